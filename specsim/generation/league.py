"""Drafters and rules side by side on one model: what each keeps, and what it gains."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from specsim import drafters, rules
from specsim.drafters import DRAFTERS, Drafter
from specsim.errors import Bad
from specsim.generation import drafting
from specsim.generation.generated import Generated, generated
from specsim.generation.models import Backend, Models, load
from specsim.generation.reasons import why
from specsim.generation.scene import USUAL, Scene, pair, stage
from specsim.rules import RULES, Rule


@dataclass(frozen=True)
class Line:
    """One pairing, measured; predicted: the roofline's speed-up, if one was asked."""

    made: Generated
    predicted: float | None

    def as_dict(self) -> dict[str, Any]:
        """Times are of one step, in milliseconds."""
        made, seconds = self.made, self.made.timed.seconds
        tally = made.run.tally
        parts = "draft", "verify", "overhead", "total"
        line = {
            "drafter": made.scene.drafter.name,
            "rule": made.scene.rule.name,
            "k": made.scene.request.k,
            "nodes_per_step": tally.drafted / tally.steps,
            "acceptance": made.acceptance,
            "tokens_per_step": made.tokens_per_step,
            "step_ms": {
                name: 1000 * getattr(seconds, name) / tally.steps for name in parts
            },
            "plain_ms": 1000 * made.timed.plain_seconds / tally.emitted,
            "rounds": len(made.timed.runs),
            "speedup": made.speedup,
            "speedup_range": [min(made.timed.speedups), max(made.timed.speedups)],
            "predicted_speedup": self.predicted,
        }
        return line | {"why": why(line)}


@dataclass(frozen=True)
class League:
    """The fastest first."""

    lines: list[Line]

    def as_dict(self) -> dict[str, Any]:
        """What `specsim generate --compare --json` writes."""
        scene = self.lines[0].made.scene
        return {
            "target": scene.models.name,
            "prompt": [*scene.request.prompt],
            "max_new_tokens": scene.request.most,
            "seed": scene.request.seed,
            "league": [line.as_dict() for line in self.lines],
        }

    def text(self) -> str:
        """For people."""
        head = (
            f"{'drafter':14}{'rule':21}{'draft':>9}{'tokens':>8}{'draft':>8}"
            f"{'verify':>8}{'rest':>7}{'plain':>8}{'speed-up':>10}{'':13}"
            f"{'predicted':>9}  kept by depth"
        )
        units = f"{'':35}{'':>9}{'a step':>8}{'ms':>8}{'ms':>8}{'ms':>7}{'ms':>8}"
        lines = [line.as_dict() for line in self.lines]
        reasons = (f"{line['drafter']:14}{line['why']}" for line in lines)
        notes = [*NOTES, *_off(lines)]
        return "\n".join([head, units, *map(_row, lines), "", *reasons, "", *notes])


NOTES = (
    "draft: tokens a step, in a chain or a tree. ms: of one step; plain: of one token.",
    "Each runs side by side with plain decoding of as many tokens: medians of rounds,",
    "least and most in brackets. A step saves the plain steps that its tokens would",
    "have taken, but for one; it costs the draft, and what verifying takes beyond it.",
    "kept by depth: how often a token was kept when all above it were.",
)


def _off(lines: list[dict[str, Any]]) -> Iterator[str]:
    """How far the roofline's speed-ups are from those measured."""
    foretold = [line for line in lines if line["predicted_speedup"] is not None]
    if foretold:
        off = [line["predicted_speedup"] / line["speedup"] - 1 for line in foretold]
        yield (
            f"predicted: by the roofline; off by {median(map(abs, off)):.0%} in the "
            f"median, {median(off):+.0%} on balance."
        )


def league(
    prompt: str | Iterable[int] | None = None,
    *,
    drafter: str | None = None,
    rule: str | None = None,
    calibration: str | None = None,
    target: str | Path | Models | None = None,
    draft_model: str | Path | None = None,
    backend: Backend = "numpy",
    **asked: Any,
) -> League:
    """Every drafter there is with its usual rule; of those named, every sound pairing.

    drafter: this one with every rule that keeps the target's law on its drafts.
    rule:    this one with every drafter whose drafts it takes.
    calibration: a file that `specsim calibrate` wrote, to predict with.
    asked:   as of `stage`.
    """
    machine = None if calibration is None else _machine(calibration)
    first = pair(drafter or "ngram", rule if drafter else None)
    if not isinstance(target, Models):
        part = drafting.part(first[0]) if drafter else "draft"
        target = load(target, draft_model, backend, part)
    scene = stage(first, prompt, target=target, **asked)
    lines = []
    for made in scenes(scene, drafter, rule):
        ran = generated(made)
        lines.append(Line(ran, machine and _predicted(ran, machine)))
    lines.sort(key=lambda line: -line.made.speedup)
    return League(lines)


def scenes(scene: Scene, drafter: str | None, rule: str | None) -> list[Scene]:
    """Those to compare; Bad if there are none."""
    if drafter:
        rows = [drafting.require(drafters.named(drafter), scene.models)]
    else:
        every = DRAFTERS.values()
        rows = [row for row in every if drafting.available(row, scene.models)]
    pairs = [(row, each) for row in rows for each in _rules(scene, row, drafter, rule)]
    if not pairs:
        raise Bad(f"{rule} takes no draft that {scene.models.name} has a drafter for")
    return [scene.of(*each) for each in pairs]


def _rules(
    scene: Scene, row: Drafter, drafter: str | None, rule: str | None
) -> Iterator[Rule]:
    """The rules to show the drafter with."""
    if rule:
        wanted = [rules.named(rule)]
    else:
        wanted = [*RULES.values()] if drafter else [RULES[USUAL[row.kind]]]
    for each in wanted:
        able = each.most_words is None or scene.models.vocab <= each.most_words
        kept = rule or not (each.lossy or each.greedy)
        if able and kept and not drafters.unsound(row, each):
            yield each


def _machine(calibration: str) -> Any:
    from specsim.roofline.calibration import load

    return load(calibration).gpu


def _predicted(made: Generated, machine: Any) -> float | None:
    from specsim.generation import prediction

    return prediction.speedup(made, machine)


def _row(line: dict[str, Any]) -> str:
    ms, nodes = line["step_ms"], line["nodes_per_step"]
    predicted, (low, high) = line["predicted_speedup"], line["speedup_range"]
    shape = "tree" if DRAFTERS[line["drafter"]].shape == "tree" else "chain"
    told = "-" if predicted is None else f"{predicted:.2f}x"
    kept = " ".join(f"{rate:.2f}" for rate in line["acceptance"])
    return (
        f"{line['drafter']:14}{line['rule']:21}{f'{shape} {nodes:.1f}':>9}"
        f"{line['tokens_per_step']:8.2f}{ms['draft']:8.2f}{ms['verify']:8.2f}"
        f"{ms['overhead']:7.2f}{line['plain_ms']:8.2f}"
        f"{line['speedup']:9.2f}x ({low:.2f}-{high:.2f}){told:>9}  {kept}"
    )
