"""A published speed-up as a question: which drafter, target, device, and how deep.

Reads what a row says of the setting and of the tokens a step emits, never what was
measured: speed-up, cycle cost, tokens per second.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from specsim import seam
from specsim.errors import Bad
from specsim.roofline import fit, precisions
from specsim.roofline.catalog import Model
from specsim.roofline.deployment import Deployment
from specsim.roofline.engines import ENGINES, Engine, named
from specsim.roofline.plan import Plan
from specsim.roofline.speculation import acceptance
from specsim.roofline.speculation.drafters import Drafter, drafter
from specsim.roofline.speculation.loops import loop
from specsim.roofline.speculation.pricing import Speculation, speculate
from specsim.roofline.validation import devices, setting
from specsim.roofline.validation.cells import Skip, number, text

Row = Mapping[str, str]

CONTEXT = 600
"""Tokens cached on average, where no row says: questions of MT-bench and its like."""

NO_EVIDENCE = "recalled", "partly_recalled"

METHODS = (
    (r"staged|theory|not named|relaxed|vs mtp", None),
    (r"eagle-?\s?3", "eagle3"),
    (r"eagle-?\s?2", "eagle2"),
    (r"eagle", "eagle"),
    (r"medusa", "medusa"),
    (r"hydra", "hydra"),
    (r"\bmtp\b|nextn", "mtp"),
    (r"\bdflash\b", "dflash"),
    (r"\bpard\b", "pard"),
    (r"\bpld\b|prompt.?look", "prompt-lookup"),
    (r"lookahead|\blade\b", "lookahead"),
    (r"\brest\b", "rest"),
    (r"recycl", "token-recycling"),
    (r"suffix|\bsam", "suffix"),
    (r"n-?gram", "ngram"),
    (r"layer.?skip|early.?exit", "early-exit"),
    (r"self.?spec|draft ?& ?verify", "self-speculation"),
    (r"draft|\bsps\b|assisted", "draft-model"),
)
"""What methods are called, and the drafter that prices them; None: none does."""


@dataclass(frozen=True)
class Asked:
    """A row as a question: the arguments of `speculate`."""

    deployment: Deployment
    drafter: Drafter
    keywords: dict[str, Any]


def predict(row: Row) -> tuple[float, float, float]:
    """Speed-up, low and high, of a row; Bad with a reason where it cannot be priced."""
    made = priced(row)
    return float(made.speedup), float(made.low), float(made.high)


def priced(row: Row) -> Speculation:
    """The same in full."""
    asked = question(row)
    return speculate(asked.deployment, asked.drafter, **asked.keywords)


def question(row: Row) -> Asked:
    """What a row asks; Bad with "reason: what of it" where that is not known."""
    if (evidence := text(row, "evidence")) in NO_EVIDENCE:
        raise Bad(f"no evidence: {evidence}")
    if (kind := text(row, "kind")) not in ("", "measured"):
        raise Bad(f"no speed-up over plain decoding: {kind}")
    try:
        return _question(row)
    except Skip as reason:
        raise Bad(": ".join(filter(None, reason.args))) from None


def _question(row: Row) -> Asked:
    name = method(text(row, "method"))
    made, shape = _shape(text(row, "K_or_tree"), drafter(name))
    asked = shape | {"alpha": _tokens(row, shape), "context": CONTEXT}
    asked["batch"] = max(int(number(row, "batch") or 1), 1)
    if made.kind == "model":
        asked["draft_model"] = _model(text(row, "draft"))
    return Asked(deployed(row), made, asked)


def method(words: str) -> str:
    """The drafter that prices a method; Bad if there is none."""
    for pattern, name in METHODS:
        if re.search(pattern, words, re.IGNORECASE):
            if name is None:
                break
            return name
    raise Bad(f"no drafter prices this method: {words}")


def deployed(row: Row) -> Deployment:
    """The target on what the row ran on."""
    where = devices.device(text(row, "device"))
    words = text(row, "target")
    model = _model(words)
    numbers = setting.numbers(model, _precision(words, model), None, "")
    made = Deployment(model, where.gpu, Plan(), numbers, _engine(row))
    found = re.search(r"\btp\s?(\d+)", text(row, "device"), re.IGNORECASE)
    count = where.count or (int(found[1]) if found else None)
    if count is None:
        count = fit.least_gpus(made, 1, CONTEXT) or 1
    return fit.over(made, count)


def _engine(row: Row) -> Engine:
    """The engine; where one harness runs plain decoding too, its own code in both."""
    words = text(row, "engine")
    alone = "hf" if "pytorch" in words.lower() else "typical"
    made = named(words) or ENGINES[alone]
    own = loop(made).launch_us
    if own and "spec-bench" in text(row, "source").lower():
        made = replace(made, launch_us=own)
    return made


def _precision(words: str, model: Model) -> str:
    said = precisions.named(words)
    return said.format if said else model.native_dtype


@lru_cache(1000)
def _model(words: str) -> Model:
    """A model, whatever stands after its name."""
    plain = re.sub(r"\([^)]*\)", " ", words).strip()
    for name in (plain, plain.split(" ")[0]):
        try:
            known = setting.model(name, None, None)
        except Skip:
            continue
        return known.model
    return setting.model(words, None, None).model


def _shape(words: str, row: Drafter) -> tuple[Drafter, dict[str, Any]]:
    """The drafter, k and tree, as far as they are said; a tree counts its root."""
    if row.paths > 1:
        return _window(words, row)
    if found := re.search(r"(\d+) nodes.*?(\d+) deep|(\d+) nodes depth (\d+)", words):
        nodes, deep = (int(each) for each in found.groups() if each)
        return row, {"tree": nodes - 1, "k": deep}
    if found := re.search(r"(\d+) steps\b.*?(\d+) nodes", words):
        return row, {"tree": int(found[2]) - 1, "k": int(found[1]) + 1}
    if found := LENGTH.search(words):
        return row, {"tree": 0, "k": int(next(filter(None, found.groups())))}
    if re.search(r"\bchain\b", words):
        return row, {"tree": 0}
    return row, STATIC if row.name == "eagle" else {}


LENGTH = re.compile(
    r"chain (\d+)|\bk\s?[=~]\s?(\d+)|^(\d+)$|max\D{0,3}(\d+)", re.IGNORECASE
)
STATIC = {"tree": 25, "k": 5}
"""EAGLE's own tree, `mc_sim_7b_63` of its code: 25 drafted tokens, 5 deep."""


def _window(words: str, row: Drafter) -> tuple[Drafter, dict[str, Any]]:
    """Lookahead's `W15 N5 G15`, or (N, W, G)."""
    named = re.search(r"W ?(\d+) N ?(\d+) G ?(\d+)", words)
    if found := re.search(r"\((\d+), ?(\d+), ?(\d+)\)", words):
        length, window, paths = map(int, found.groups())
    elif named:
        window, length, paths = map(int, named.groups())
    else:
        return row, {}
    return replace(row, window=window, paths=paths), {"k": max(length - 1, 1)}


def _tokens(row: Row, shape: dict[str, Any]) -> Any:
    """Tokens a step emits as measured, else by what was accepted."""
    if (said := number(row, "tau_tokens_per_step")) is not None:
        return acceptance.Emitted(said)
    if (rate := number(row, "alpha")) is None or "k" not in shape:
        raise Bad("neither tokens per step nor acceptance and k")
    if "llama" in text(row, "engine").lower():
        theory = seam.reference("theory")
        return theory.alpha_from_counts(rate, 1, shape["k"])
    return rate
