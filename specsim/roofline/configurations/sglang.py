"""SGLang: `python3 -m sglang.launch_server --speculative-algorithm ...`.

Options and defaults as in docs_new/docs/advanced_features/speculative_decoding.mdx of
sgl-project/sglang at 16974b8 (2026); the two match windows of n-grams are options of
067ad4d. `--speculative-num-draft-tokens` counts the tokens verified, one more than are
drafted: the root is the token the target emitted last (`fillResult` of the n-gram
cache; "if topk=1, it is adjusted to num_steps + 1").
"""

import re
import shlex
from typing import Any

from specsim.errors import Bad
from specsim.roofline.configurations.given import Given, expressible, flags
from specsim.roofline.configurations.setup import (
    LONGEST,
    MOST_GPUS,
    WIDEST,
    Setup,
    Tree,
)

NAME = "sglang"
MARK = re.compile(
    r"--speculative-(algorithm|draft|num-|eagle|ngram|dflash)"
    r"|sglang\.launch_server|\bsglang serve\b"
)

ALGORITHMS = {
    "draft-model": "STANDALONE",
    "eagle": "EAGLE",
    "eagle3": "EAGLE3",
    "mtp": "NEXTN",
    "dflash": "DFLASH",
    "prompt-lookup": "NGRAM",
}
_TREE = {"draft_model", "tree"}
CAN = {
    "draft-model": _TREE,
    "eagle": _TREE,
    "eagle3": _TREE,
    "mtp": _TREE,
    "dflash": {"draft_model"},
    "prompt-lookup": {"tree", "window"},
}

ALGORITHM = "--speculative-algorithm"
MODEL = "--speculative-draft-model-path"
STEPS = "--speculative-num-steps"
TOPK = "--speculative-eagle-topk"
TOKENS = "--speculative-num-draft-tokens"
BLOCK = "--speculative-dflash-block-size"
BREADTH = "--speculative-ngram-max-bfs-breadth"
DEPTH = "--speculative-ngram-max-trie-depth"
SHORTEST = "--speculative-ngram-min-match-window-size"
LONGEST_MATCH = "--speculative-ngram-max-match-window-size"
READ = (
    ALGORITHM, MODEL, STEPS, TOPK, TOKENS, BLOCK, BREADTH, DEPTH, SHORTEST,
    LONGEST_MATCH,
)  # fmt: skip
LEFT_OUT = tuple(
    f"--speculative-{name}"
    for name in (
        "accept-threshold-acc", "accept-threshold-single", "attention-mode",
        "dflash-draft-window-size", "draft-attention-backend", "draft-load-format",
        "draft-model-quantization", "draft-model-revision", "moe-a2a-backend",
        "moe-runner-backend", "ngram-capacity", "ngram-match-type",
        "ngram-min-bfs-breadth", "token-map", "use-rejection-sampling",
    )
)  # fmt: skip
DEFAULT_BREADTH, DEFAULT_TOKENS, DEFAULT_DEPTH = 10, 12, 18


def read(text: str) -> Setup:
    """The set-up a command line, or its options alone, describes."""
    line, _ = flags(NAME, text)
    mine = {n: v for n, v in line.values.items() if n.startswith("--speculative-")}
    left_out = Given(NAME, mine, text=True).known(READ, LEFT_OUT)
    drafter = _drafter(line)
    return Setup(
        drafter,
        draft_model=line.word(MODEL),
        target=line.word("--model-path", "--model"),
        tensor_parallel=line.whole(
            "--tensor-parallel-size", "--tp-size", "--tp", most=MOST_GPUS
        ),
        left_out=left_out,
        **_counts(line, drafter),
    )


def _drafter(line: Given) -> str:
    """EAGLE without a model of its own is how built-in layers are called upon."""
    algorithm = line.word(ALGORITHM)
    if algorithm is None:
        raise line.bad(f"speculation is off: give {ALGORITHM}")
    for drafter, name in ALGORITHMS.items():
        if name == algorithm.upper():
            built_in = drafter == "eagle" and line.word(MODEL) is None
            return "mtp" if built_in else drafter
    known = ", ".join(ALGORITHMS.values())
    raise line.bad(
        f"{ALGORITHM} {algorithm[:60]!r} is not understood; understood are {known}"
    )


def _counts(line: Given, drafter: str) -> dict[str, Any]:
    if drafter == "prompt-lookup":
        return _looked_up(line)
    if drafter == "dflash":
        block = line.whole(TOKENS, BLOCK, least=2, most=LONGEST + 1)
        return {"k": block and block - 1}
    steps, topk = line.whole(STEPS), line.whole(TOPK)
    tokens = line.whole(TOKENS, least=2, most=LONGEST + 1)
    given = [steps is None, topk is None, tokens is None]
    if any(given) and not all(given):
        raise line.bad(f"{STEPS}, {TOPK} and {TOKENS} go together: give all or none")
    tree = Tree(topk, tokens - 1) if topk and topk > 1 and tokens else None
    return {"k": steps, "tree": tree}


def _looked_up(line: Given) -> dict[str, Any]:
    """Of a lookup: as deep as it has nodes, and by default it branches."""
    depth = line.whole(DEPTH, LONGEST_MATCH, most=WIDEST)
    tokens = line.whole(TOKENS, least=2, most=LONGEST + 1)
    drafted = (tokens or min(depth or DEFAULT_DEPTH, DEFAULT_TOKENS)) - 1
    breadth = line.whole(BREADTH) or DEFAULT_BREADTH
    tree = Tree(breadth, drafted) if breadth > 1 else None
    shortest = line.whole(SHORTEST, most=depth or WIDEST) or 1
    return {"k": drafted, "tree": tree, "window": depth and (shortest, depth)}


def write(setup: Setup) -> str:
    """A command line if the target is known, else the options alone."""
    expressible(NAME, setup, CAN)
    options: dict[str, Any] = {
        "--model-path": setup.target,
        "--tp": setup.tensor_parallel,
        ALGORITHM: ALGORITHMS[setup.drafter],
        MODEL: setup.draft_model,
        **_options(setup),
    }
    words = ["python3", "-m", "sglang.launch_server"] if setup.target else []
    for name, value in options.items():
        words += [name, str(value)] if value is not None else []
    return shlex.join(words)


def _options(setup: Setup) -> dict[str, Any]:
    """The counts, the token verified beside the drafted ones included."""
    if setup.drafter == "prompt-lookup":
        return _lookup_options(setup)
    if setup.k is None:
        return {}
    if setup.drafter == "dflash":
        return {TOKENS: setup.k + 1}
    topk, nodes = (setup.tree.topk, setup.tree.nodes) if setup.tree else (1, setup.k)
    return {STEPS: setup.k, TOPK: topk, TOKENS: nodes + 1}


def _lookup_options(setup: Setup) -> dict[str, Any]:
    if setup.k is None:
        raise Bad(f"{NAME}: k is open: say how many tokens to look up")
    if setup.tree and setup.tree.nodes != setup.k:
        raise Bad(f"{NAME}: a lookup tree is as deep as it has nodes: make k so")
    shortest, longest = setup.window or (1, None)
    if shortest != 1:
        raise Bad(
            f"{NAME}: it looks n-grams up from length 1 on: begin the window at 1"
        )
    breadth = setup.tree.topk if setup.tree else 1
    return {TOKENS: setup.k + 1, BREADTH: breadth, DEPTH: longest}
