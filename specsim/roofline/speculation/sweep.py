"""What speculation buys over a range of batches, contexts or GPUs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from specsim.errors import Bad
from specsim.roofline.catalog import Model
from specsim.roofline.lettering import columns, figure
from specsim.roofline.speculation.drafters import Drafter
from specsim.roofline.speculation.pricing import Speculation, speculate
from specsim.roofline.sweep import Sweep

HEAD = (
    "plain ms", "ms a token", "speed-up", "low", "high", "tokens/s", "spare GB", ""
)  # fmt: skip


@dataclass(frozen=True)
class Gains:
    """A sweep, and speculation priced at each of its points."""

    swept: Sweep
    made: tuple[Speculation, ...]

    def as_dict(self) -> dict[str, Any]:
        """What `specsim roofline --over --drafter --json` prints.

        Rows are those of the plain sweep, with the speculative step beside each.
        """
        told = self.swept.as_dict()
        told["drafter"] = self.made[0].draft.drafter.name
        told["rows"] = [
            row | {"speculation": _row(each)}
            for row, each in zip(told["rows"], self.made, strict=True)
        ]
        return told

    def text(self) -> str:
        """A table for people."""
        values = [value for value, _ in self.swept.points]
        rows = [_cells(*each) for each in zip(values, self.made, strict=True)]
        table = columns([(self.swept.name, *HEAD), *rows])
        return "\n".join(
            [_title(self.made[0]), "", *table, *self.swept.refused.values()]
        )


def gains(
    swept: Sweep,
    name: str | Drafter,
    *,
    alpha: Any,
    draft_model: str | Model | None = None,
    k: int | None = None,
    tree: int | Sequence[int] | None = None,
) -> Gains:
    """Speculation at each point of `swept`; arguments as of `speculate`."""
    made = [
        speculate(
            point.deployment, name, alpha=alpha, draft_model=draft_model, k=k,
            tree=tree, batch=point.batch, context=point.context,
        )
        for _, point in swept.points
    ]  # fmt: skip
    if any(np.ndim(each.step_s) or np.ndim(each.tokens) for each in made):
        raise Bad("a sweep is over one number: give one alpha, k and tree")
    return Gains(swept, tuple(made))


def _title(made: Speculation) -> str:
    target, shape = made.draft.target, made.shape
    said = f"a tree of {shape.nodes}" if shape.tree else f"{shape.depth} tokens drafted"
    drafter = made.draft.drafter.name
    return (
        f"{target.model.hf_id} on {target.gpu.name}, {drafter}, {said}, "
        f"{made.tokens:.3g} emitted a step"
    )


def _row(made: Speculation) -> dict[str, Any]:
    return {
        "tokens_per_step": float(made.tokens),
        "speedup": float(made.speedup),
        "speedup_low": float(made.low),
        "speedup_high": float(made.high),
        "step_ms": 1000 * float(made.step_s),
        "token_ms": 1000 * float(made.token_s),
        "tokens_per_s": float(made.tokens_per_s),
        "fits": bool(made.spare_bytes >= 0),
    }


def _cells(value: int, made: Speculation) -> tuple[str, ...]:
    times = (f"{1000 * float(each):,.2f}" for each in (made.plain_s, made.token_s))
    return (
        f"{value:,}",
        *times,
        *(f"{each:.2f}" for each in (made.speedup, made.low, made.high)),
        figure(float(made.tokens_per_s), 5),
        f"{float(made.spare_bytes) / 1e9:,.1f}",
        "" if made.spare_bytes >= 0 else "DOES NOT FIT",
    )
