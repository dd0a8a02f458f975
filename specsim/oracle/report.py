"""What a check found, as JSON and as a page a person reads."""

from dataclasses import asdict, dataclass, field
from typing import Any

from specsim.oracle.versions import versions

TARGETS = "the target's"
"""Whose law an engine is held to unless it declares another."""
FORMAT = 1
"""Of the JSON: raised when a key goes away or changes its meaning."""

EXIT = {
    "exact": 0,
    "exact_within": 0,
    "not_rejected": 0,
    "rejected": 1,
    "unsupported": 2,
    "errored": 2,
    "inconclusive": 3,
}
"""Exit code by verdict."""

PROOF = 1000.0
"""What log10 E is said to be when it is infinite: the engine did the impossible."""
GRADES = (
    (1, "clean"),
    (3, "note"),
    (6, "suspicious"),
    (9, "very suspicious"),
)
"""What is said of log10 E below each bound, by any one test; a failure beyond."""


def grade(log10_e: float) -> str:
    """In words: PractRand's habit, with the guarantee of an e-value.

    >>> grade(0.2), grade(4.5), grade(9)
    ('clean', 'suspicious', 'fail')
    """
    return next((word for bound, word in GRADES if log10_e < bound), "fail")


@dataclass(frozen=True)
class Diagnosis:
    """A planted bug that the engine resembles: `line` is where it was planted."""

    name: str
    rule: str
    kind: str
    line: str
    reports: tuple[str, ...]
    likeness: str


@dataclass(frozen=True)
class Witness:
    """The smallest failing case: rows by prefix, and one wrong context in them.

    wanted, found: the whole row there, as it should be and as it is.
    trials:        draws behind `found`; 0 where the law was computed.
    tv:            total variation of the completed block, where the law was computed.
    """

    world: str
    p: dict[str, list[str]]
    q: dict[str, list[str]]
    prefix: tuple[int, ...]
    token: int
    want: str
    got: str
    wrong: int
    wanted: tuple[float, ...] = ()
    found: tuple[float, ...] = ()
    trials: int = 0
    tv: str = ""


@dataclass(frozen=True)
class Finding:
    """A defect too rare to show in the law, with the input that shows it."""

    name: str
    call: dict[str, Any]
    got: str
    acceptable: str


@dataclass(frozen=True)
class Effect:
    """How wrong a sampled engine is at least, in one context.

    An event was chosen on the draws that refuted the engine and counted in fresh ones:
    `count` of `trials`, where `want` is its probability. `low` is that far under the
    total variation of the context's row, at this confidence (Clopper-Pearson).
    """

    world: str
    prefix: tuple[int, ...]
    event: tuple[int, ...]
    want: float
    count: int
    trials: int
    low: float
    confidence: float

    def __str__(self) -> str:
        after = f"after {list(self.prefix)}" if self.prefix else "as the first token"
        tokens = " or ".join(map(str, self.event))
        return (
            f"TV at least {self.low:.3g} ({self.confidence:.0%} confidence) in "
            f"{self.world} {after}: token {tokens} came {self.count} times of "
            f"{self.trials} fresh draws, wanted {self.want:.4g}"
        )


@dataclass(frozen=True)
class Tier:
    """One way of asking, and what it said.

    name:    a stable id, like verify/coins/law.
    log10_e: the evidence against the engine, where it was sampled.
    path:    blocks drawn, and log10 E then.
    """

    name: str
    verdict: str
    detail: str
    seconds: float
    worlds: int = 0
    log10_e: float | None = None
    path: tuple[tuple[int, float], ...] = ()
    effect: Effect | None = None

    @property
    def grade(self) -> str:
        """Of the evidence; empty where there was none to gather."""
        return "" if self.log10_e is None else grade(self.log10_e)


@dataclass
class Report:
    """The verdict on an engine. `log10_e` is None where the law was computed.

    law: whose law the engine is held to.
    """

    engine: str
    verdict: str
    seed: int
    replay: str
    log10_e: float | None = None
    diagnosis: list[Diagnosis] = field(default_factory=list)
    witness: Witness | None = None
    tiers: list[Tier] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    excluded: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0
    law: str = TARGETS
    false_alarm: float = 1e-9
    versions: dict[str, str] = field(default_factory=versions)

    @property
    def exit_code(self) -> int:
        return EXIT[self.verdict]

    @property
    def trouble(self) -> str:
        """Why there is no verdict, on one line."""
        by = [
            [tier.detail for tier in self.tiers if tier.verdict == verdict]
            for verdict in ("errored", "unsupported")
        ]
        return "; ".join(dict.fromkeys(by[0] or by[1]))

    @property
    def headline(self) -> str:
        """The verdict as a title.

        >>> Report("mine:verify", "not_rejected", 0, "").headline
        'NOT REJECTED'
        """
        return self.verdict.upper().replace("_", " ")

    def as_dict(self) -> dict[str, Any]:
        return {"report": "specsim check", "format": FORMAT, **asdict(self)}

    def text(self) -> str:
        """The page: verdict, evidence, the failing case, what it resembles."""
        return "\n".join(
            [
                f"{self.headline}  {self.engine}",
                *([] if self.law == TARGETS else [f"  law: {self.law}"]),
                "",
                *(
                    f"  {tier.name:30} {tier.verdict:13} {tier.detail}"
                    for tier in self.tiers
                ),
                *(f"  {tier.effect}" for tier in self.tiers if tier.effect),
                *self._witness(),
                *self._diagnosis(),
                *self._findings(),
                *(f"  note: {note}" for note in self.notes),
                "",
                *([f"  excluded: {_listed(self.excluded)}"] if self.excluded else []),
                f"  seed {self.seed}, {self.seconds:.1f} s; again: {self.replay}",
            ]
        )

    def _witness(self) -> list[str]:
        if not (w := self.witness):
            return []
        after = "as the first token"
        if w.prefix:
            after = f"after {list(w.prefix)}, where the block goes on"
        return [
            "",
            f"  smallest failing case ({w.world}, {plural(w.wrong, 'wrong context')})",
            *(f"    p({key}) = {' '.join(row)}" for key, row in w.p.items()),
            *(f"    q({key}) = {' '.join(row)}" for key, row in w.q.items()),
            f"    {after}: token {w.token} wanted {w.want}, got {w.got}",
        ]

    def _diagnosis(self) -> list[str]:
        if self.verdict != "rejected":
            return []
        if not self.diagnosis:
            return ["", "  resembles none of the known bugs"]
        lines = ["", "  resembles a known bug"]
        for known in self.diagnosis:
            what = f"{known.kind} in rule {known.rule}"
            lines.append(f"    {known.name} ({what}): {known.likeness}")
            lines.append(f"      {known.line}")
            if known.reports:
                lines.append(f"      seen in {', '.join(known.reports)}")
        return lines

    def _findings(self) -> list[str]:
        lines = []
        for found in self.findings:
            lines += [
                "",
                f"  defect at the edge: {found.name}",
                *(f"    {key} = {value}" for key, value in found.call.items()),
                f"    got {found.got}, acceptable {found.acceptable}",
            ]
        return lines


def plural(n: int, what: str) -> str:
    """A number of things.

    >>> plural(1, "world"), plural(2, "world")
    ('1 world', '2 worlds')
    """
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:6])
    return shown if len(names) <= 6 else f"{shown} and {len(names) - 6} more"
