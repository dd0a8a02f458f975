"""Published rows as samples: alpha of one drafter, in one task, of one target."""

import re
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from math import log10

from specsim.roofline.speculation.acceptance import Alike, Paths
from specsim.roofline.speculation.acceptance import tokens as emits
from specsim.roofline.speculation.drafters import DRAFTER_COSTS
from specsim.roofline.speculation.shape import shaped

SHARE = 1 / 30
MOST = 0.97

TASKS = {
    "MT-bench": "chat", "Alpaca": "chat", "AlpacaEval": "chat", "dialog": "chat",
    "HumanEval": "code", "MBPP": "code", "GSM8K": "maths", "CNN/DM": "summarisation",
    "XSum": "summarisation", "WMT EnDe": "translation", "Spec-Bench MT-bench": "chat",
    "Spec-Bench Translation": "translation", "Spec-Bench Summarization":
    "summarisation", "Spec-Bench QA": "qa", "Spec-Bench Math": "maths",
    "Spec-Bench RAG": "rag", "Spec-Bench overall": "mixed", "1k/2k requests": "mixed",
    "edit": "edit", "": "mixed",
}  # fmt: skip
METHODS = {
    "draft model": "draft-model", "SpS": "draft-model", "EAGLE": "eagle",
    "EAGLE-1": "eagle", "EAGLE2": "eagle2", "EAGLE-2": "eagle2", "EAGLE3": "eagle3",
    "EAGLE-3": "eagle3", "MTP": "mtp", "Medusa": "medusa", "Medusa-2": "medusa",
    "Hydra": "hydra", "PLD": "prompt-lookup", "PLD baseline": "prompt-lookup",
    "Lookahead": "lookahead", "REST": "rest", "Recycling": "token-recycling",
}  # fmt: skip
EDITS = {
    "id": "vllm-24344", "evidence": "excerpt", "kind": "measured", "method": "PLD",
    "target": "Llama-3.1-8B-Instruct", "draft": "prompt n-gram", "task": "edit",
    "temperature": "0", "K_or_tree": "K=5", "alpha": "", "tau_tokens_per_step": "2.96",
    "speedup": "", "source": "vllm-project/vllm PR #24344 (vdaita/edit_5k_char, "
    "5,376 tokens in 993 drafts and 821 plain steps)",
}  # fmt: skip
"""Read in an excerpt of the source, with its command; no other row is of edits."""


@dataclass(frozen=True)
class Sample:
    """One row: what was drafted, for what and by what, and how much was accepted."""

    task: str
    drafter: str
    temperature: int
    target: str
    draft: str
    alpha: float
    how: str
    id: str
    source: str


def samples(rows: list[dict[str, str]]) -> tuple[list[Sample], float]:
    """All samples, and what alpha gains by ten times the parameters of a draft."""
    found = [*_measured(rows), *_scaled(rows)]
    slope = _slope(found)
    return [_moved(one, slope) for one in found], slope


def usable(row: dict[str, str]) -> bool:
    """Whether it was read at its source or in a summary, and measured."""
    evidence = row["evidence"] in ("read", "secondary") or row is EDITS
    return evidence and row["kind"] in ("measured", "acceptance_only")


def _measured(rows: Iterable[dict[str, str]]) -> Iterator[Sample]:
    """Rows that say what was accepted; MTP is taken depth by depth (`_by_depth`)."""
    for row in rows:
        known = row["task"] in TASKS and row["temperature"] in ("0", "1")
        if known and METHODS.get(row["method"], "mtp") != "mtp":
            tokens = row["tau_tokens_per_step"]
            if row["alpha"]:
                yield _sample(row, float(row["alpha"]), "measured")
            elif tokens:
                yield _sample(row, _fitted(row, float(tokens)), "measured")


def _scaled(rows: list[dict[str, str]]) -> Iterator[Sample]:
    """Tasks of a source that gives their speed-ups, and tokens only overall."""
    overall = {
        (row["target"], row["method"], row["source"]): row
        for row in rows
        if row["task"] == "Spec-Bench overall" and row["tau_tokens_per_step"]
    }
    for row in rows:
        whole = overall.get((row["target"], row["method"], row["source"]))
        if whole and row is not whole and row["method"] in METHODS:
            ratio = float(row["speedup"]) / float(whole["speedup"])
            tokens = max(1.0, float(whole["tau_tokens_per_step"]) * ratio)
            yield _sample(row, _fitted(row, tokens), "scaled")


def _sample(row: dict[str, str], alpha: float, how: str) -> Sample:
    said = row["task"], METHODS[row["method"]], row["temperature"]
    where = row["target"], row["draft"], alpha, how, row["id"], row["source"]
    return Sample(TASKS[said[0]], said[1], int(said[2]), *where)


def _fitted(row: dict[str, str], tokens: float) -> float:
    return fitted(tokens, METHODS[row["method"]], row["K_or_tree"])


def fitted(tokens: float, drafter: str, shape: str) -> float:
    """The alpha at which the theory emits so many tokens a step.

    >>> round(fitted(3.3616, "draft-model", "K=4"), 4)
    0.8
    """
    row = DRAFTER_COSTS[drafter]
    depth, nodes = row.k, row.nodes
    if found := re.search(r"K\s?=\s?(\d+)", shape):
        depth, nodes = int(found[1]), 0
    elif shape.startswith("static tree"):
        depth, nodes = 5, 25

    def emitted(alpha: float) -> float:
        law = Alike(alpha)
        paths = Paths(alpha, row.paths) if row.paths > 1 else law
        return float(emits(paths, depth, shaped(depth, nodes, law).parents))

    return _root(emitted, tokens)


def _root(rising: Callable[[float], float], value: float) -> float:
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < value else (low, middle)
    return low


def _share(one: Sample) -> float | None:
    """Parameters of a draft model over those of the target."""
    if one.drafter != "draft-model":
        return None
    draft, target = (_size(name) for name in (one.draft, one.target))
    return draft / target


def _size(name: str) -> float:
    found = re.search(r"(\d+(?:\.\d+)?)\s?([MB])\b", name)
    if not found:
        raise ValueError(f"no number of parameters in {name!r}")
    return float(found[1]) * (1e6 if found[2] == "M" else 1e9)


def _slope(samples: list[Sample]) -> float:
    """Alpha gained for ten times the draft, over targets measured with several."""
    groups = defaultdict(list)
    for one in samples:
        if share := _share(one):
            key = one.target, one.task, one.temperature
            groups[key].append((log10(share), one.alpha))
    slopes = [
        statistics.linear_regression(*zip(*points, strict=True)).slope
        for points in groups.values()
        if len({share for share, _ in points}) > 2
    ]
    return statistics.mean(slopes)


def _moved(one: Sample, slope: float) -> Sample:
    """A draft model's row, as if the draft had had 1/30 of the parameters."""
    if not (share := _share(one)):
        return one
    return replace(one, alpha=min(one.alpha + slope * log10(SHARE / share), MOST))
