"""Should this deployment speculate, and how: one scenario, searched and in words."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from specsim.errors import Bad
from specsim.roofline.catalog import Model
from specsim.roofline.deployment import Deployment
from specsim.roofline.lettering import figure, milliseconds
from specsim.roofline.speculation import search
from specsim.roofline.speculation.acceptance import Acceptance, Alike, Emitted
from specsim.roofline.speculation.drafters import Drafter
from specsim.roofline.speculation.pricing import Speculation, speculate
from specsim.roofline.speculation.search import BreakEven, Length, Tree

SHOWN, FEW = 3, 4
"""Losing ranges that are printed, and batches between two that are told as one."""


@dataclass(frozen=True)
class Report:
    """One speculation, the best draft of its kind, and where it stops to pay.

    best_k:    None where tokens per step were given: they belong to one k.
    best_tree: None where chains are drafted, or acceptance says nothing of ranks.
    gpu_hour:  dollars an hour of one GPU costs; None: not asked.
    """

    made: Speculation
    best_k: Length | None
    best_tree: Tree | None
    break_even: BreakEven
    gpu_hour: float | None

    def as_dict(self) -> dict[str, Any]:
        """What `specsim roofline --drafter --json` adds; times are of one step."""
        made, tree, best = self.made, self.best_tree, self.best_k
        small = made.draft.deployment
        return {
            "drafter": made.draft.drafter.name,
            "draft_model": small and small.model.hf_id,
            "k": made.shape.depth,
            "tree": made.shape.nodes if made.shape.tree else 0,
            "verified_tokens": made.carried + 1,
            "tokens_per_step": float(made.tokens),
            "tokens_std": made.tokens_std,
            "speedup": float(made.speedup),
            "speedup_low": float(made.low),
            "speedup_high": float(made.high),
            **{f"{name}_ms": 1000 * float(s) for name, s in self._seconds()},
            "tokens_per_s": float(made.tokens_per_s),
            "best_k": best and best.k,
            "best_k_speedup": best and best.speedup,
            "best_tree": tree and vars(tree),
            "break_even_batch": self.break_even.first,
            "losing_batches": [list(each) for each in self.break_even.losing],
            "draft_bytes": round(made.draft.bytes),
            "draft_kv_bytes": round(float(made.draft_cache_bytes)),
            "spare_bytes": round(float(made.spare_bytes)),
            "max_batch": int(made.max_batch),
            **self._cost(),
            "notes": list(_notes(made)),
        }

    def _seconds(self) -> Iterator[tuple[str, float]]:
        for name in ("plain", "draft", "verify", "overhead", "step", "token"):
            yield name, getattr(self.made, f"{name}_s")

    def _cost(self) -> dict[str, float]:
        if self.gpu_hour is None:
            return {}
        dollars = float(self.made.dollars(self.gpu_hour))
        plain = dollars * float(self.made.speedup)
        return {"dollars_per_million": dollars, "plain_dollars_per_million": plain}


def report(
    deployment: Deployment,
    name: str | Drafter,
    *,
    alpha: Any,
    draft_model: str | Model | None = None,
    k: int | None = None,
    tree: int | Sequence[int] | None = None,
    batch: int = 1,
    context: int = 2048,
    gpu_hour: float | None = None,
) -> Report:
    """Price one scenario and search around it. Bad on anything unusable.

    Arguments as of `speculate`, each a single number.
    """
    asked: dict[str, Any] = {"alpha": alpha, "draft_model": draft_model}
    made = speculate(
        deployment, name, k=k, tree=tree, batch=batch, context=context, **asked
    )
    if np.ndim(made.step_s) or np.ndim(made.tokens):
        raise Bad("a report is of one scenario: arrays are for `speculate`")
    if gpu_hour is not None and not 0 <= gpu_hour < float("inf"):
        raise Bad(f"gpu_hour {gpu_hour!r}: give a price, 0 or more")
    asked |= {"context": context}
    chain = isinstance(made.acceptance, Emitted)
    grown = made.shape.tree and isinstance(made.acceptance, Alike)
    return Report(
        made,
        None if chain else search.best_k(deployment, name, batch=batch, **asked),
        search.best_tree(deployment, name, batch=batch, **asked) if grown else None,
        search.break_even(deployment, name, k=k, tree=tree, **asked),
        gpu_hour,
    )


def text(made: Report) -> str:
    """The same for people, in under 20 lines."""
    one = made.made
    lines = [
        _fact("draft", _draft(one)),
        _fact("emits", _emits(one)),
        _fact("plain", f"{_ms(one.plain_s)} a token"),
        _fact("step", _step(one)),
        _fact("speed-up", f"{one.speedup:.2f}x ({one.low:.2f} to {one.high:.2f})"),
        _fact("best", "; ".join(_best(made)) or "tokens per step belong to one k"),
        _fact("loses", _loses(made.break_even, int(one.max_batch))),
        _fact("memory", _memory(one)),
    ]
    if made.gpu_hour is not None:
        lines.append(_fact("cost", _dollars(made)))
    notes = [f"note: {note}" for note in _notes(one)]
    return "\n".join([*lines, *([""] if notes else []), *notes])


def _dollars(made: Report) -> str:
    cost = made.as_dict()
    mine, plain = (
        figure(cost[f"{name}dollars_per_million"], 3) for name in ("", "plain_")
    )
    return f"${mine} a million tokens, plain ${plain}"


def _draft(one: Speculation) -> str:
    row, small = one.draft.drafter, one.draft.deployment
    named = f" ({small.model.name})" if small and row.kind == "model" else ""
    if one.shape.tree:
        return f"{row.name}{named}, a tree of {one.shape.nodes}, {one.shape.depth} deep"
    return f"{row.name}{named}, {one.shape.depth} tokens"


def _emits(one: Speculation) -> str:
    if not one.tokens_std:
        return f"{one.tokens:.3g} tokens a step"
    doubt = f"a step: give or take {one.tokens_std:.2g}"
    return f"{one.tokens:.3g} tokens on average ({doubt})"


def _step(one: Speculation) -> str:
    parts = {"draft": one.draft_s, "verify": one.verify_s, "host": one.overhead_s}
    said = ", ".join(f"{name} {_ms(s)}" for name, s in parts.items())
    return f"{_ms(one.step_s)}: {said}; {_ms(one.token_s)} a token"


def _best(made: Report) -> Iterator[str]:
    if made.best_k and made.best_k.k:
        yield f"a chain of {made.best_k.k}, {made.best_k.speedup:.2f}x"
    elif made.best_k:
        yield "no chain: each is slower than plain decoding"
    if made.best_tree and made.best_tree.nodes:
        tree = made.best_tree
        yield f"a tree of {tree.nodes}, {tree.depth} deep, {tree.speedup:.2f}x"


def _loses(found: BreakEven, fit: int) -> str:
    """Where it loses, small gaps left out, and how many sequences there can be."""
    fitting = f"; {fit:,} {'sequence fits' if fit == 1 else 'sequences fit'}"
    if found.first is None:
        return f"at no batch up to {found.most:,}{fitting}"
    ranges = [_range(*each, found.most) for each in _merged(found.losing)]
    more = [f"{len(ranges) - SHOWN:,} ranges more"] if len(ranges) > SHOWN else []
    return f"at batches {' and '.join(ranges[:SHOWN] + more)}{fitting}"


def _range(first: int, last: int, most: int) -> str:
    if last == most:
        return f"from {first:,}"
    return f"{first:,}" if first == last else f"{first:,} to {last:,}"


def _merged(ranges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ranges a few batches apart, or a hundredth of the batch, as one."""
    made: list[tuple[int, int]] = []
    for first, last in ranges:
        if made and first - made[-1][1] <= max(FEW, first / 100):
            made[-1] = made[-1][0], last
        else:
            made.append((first, last))
    return made


def _memory(one: Speculation) -> str:
    spare, held = float(one.spare_bytes) / 1e9, one.draft.bytes / 1e9
    room = f"{spare:,.1f} GB left" if spare >= 0 else f"{-spare:,.1f} GB SHORT"
    cache = float(one.draft_cache_bytes) / 1e9
    return f"draft {held:.2f} GB, its cache {cache:.2f} GB; {room}"


def _notes(one: Speculation) -> Iterator[str]:
    """What the reader should know before believing it."""
    given: Acceptance = one.acceptance
    if float(one.spare_bytes) < 0:
        yield "it does not fit: what is said is hypothetical"
    if one.shape.tree and isinstance(given, Alike):
        yield "the r-th child of a node is taken to be kept with alpha / r of the rest"
    if one.draft.target.model.moe_experts:
        yield "experts read for drafts are counted as routing of independent tokens"
    yield f"host times of drafting: {one.draft.loop.source}"


def _fact(name: str, value: str) -> str:
    return f"{name:9} {value}"


def _ms(seconds: float) -> str:
    return milliseconds(1000 * float(seconds))
