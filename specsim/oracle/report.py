"""What a check found, as JSON and as a page a person reads."""

from dataclasses import asdict, dataclass, field
from typing import Any

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
    """The smallest failing case: rows by prefix, and one wrong context in them."""

    world: str
    p: dict[str, list[str]]
    q: dict[str, list[str]]
    prefix: tuple[int, ...]
    token: int
    want: str
    got: str
    wrong: int


@dataclass(frozen=True)
class Finding:
    """A defect too rare to show in the law, with the input that shows it."""

    name: str
    call: dict[str, Any]
    got: str
    acceptable: str


@dataclass(frozen=True)
class Tier:
    """One way of asking, and what it said."""

    name: str
    verdict: str
    detail: str
    seconds: float
    worlds: int = 0


@dataclass
class Report:
    """The verdict on an engine. `log10_e` is None where the law was computed."""

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

    @property
    def exit_code(self) -> int:
        return EXIT[self.verdict]

    @property
    def trouble(self) -> str:
        """Why there is no verdict, on one line."""
        broken = [tier.detail for tier in self.tiers if tier.verdict == "errored"]
        return "; ".join(broken or self.notes)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    def text(self) -> str:
        """The page: verdict, evidence, the failing case, what it resembles."""
        return "\n".join(
            [
                f"{self.verdict.upper().replace('_', ' ')}  {self.engine}",
                "",
                *(
                    f"  {tier.name:30} {tier.verdict:13} {tier.detail}"
                    for tier in self.tiers
                ),
                *self._witness(),
                *self._diagnosis(),
                *self._findings(),
                *(f"  note: {note}" for note in self.notes),
                "",
                f"  excluded: {_listed(self.excluded)}" if self.excluded else "",
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
            f"  smallest failing case ({w.world}, {w.wrong} wrong contexts)",
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


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:6])
    return shown if len(names) <= 6 else f"{shown} and {len(names) - 6} more"
