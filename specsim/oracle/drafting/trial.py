"""A drafter judged: the law of its drafts if it can be read, else evidence."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from specsim.oracle.drafting import cases, known, law
from specsim.oracle.drafting.cases import Case
from specsim.oracle.drafting.contract import Drafted
from specsim.oracle.drafting.drafter import Drafter
from specsim.oracle.drafting.evidence import DraftEvidence
from specsim.oracle.drafting.law import Law
from specsim.oracle.engines.problems import Unreadable
from specsim.oracle.exact import Gap, figure
from specsim.oracle.report import PROOF, Report, Tier, Witness
from specsim.oracle.sampling import derived

SECONDS = {"smoke": 3.0, "quick": 8.0, "full": 120.0, "nightly": 1200.0}
DRAWS = {"smoke": 2_000, "quick": 20_000, "full": 200_000, "nightly": 2_000_000}
"""Most seconds for laws, and again for draws; most drafts drawn; by budget."""
ROUND = 250
"""Drafts drawn in one case before the next has its turn."""


@dataclass
class Drafting:
    """One mode of a drafter. What it finds goes into `report`."""

    host: Drafter
    mode: str
    budget: str
    seed: int
    false_alarm: float
    report: Report
    laws: dict[Case, Law] = field(default_factory=dict)

    def run(self) -> None:
        """Its law, then its rows, then whether they last, then its temperatures."""
        warm = self.host.hello()["temperature"]
        every = [*cases.every(self.budget)]
        self.cases = [case.at(1.0) for case in every] if warm else every
        ways = ("symbolic",) if self.mode != "rng" else ("symbolic", "scripted")
        if not any(self._read(how) for how in ways):
            self._draw()
        self._rows()
        self._kept()
        if warm:
            self._temperature()

    def _tier(
        self, what: str, verdict: str, detail: str, start: float, worlds: int = 0
    ) -> None:
        seconds = round(time.monotonic() - start, 3)
        name = f"draft/{self.mode}/{what}"
        self.report.tiers.append(Tier(name, verdict, detail, seconds, worlds))

    def _read(self, how: str) -> bool:
        """Judge by the law; False where it cannot be read."""
        start, laws = time.monotonic(), dict[Case, Law]()
        asked = [*self.cases]
        if self.cases[0].asked.temperature is not None:
            asked += [
                case.at(t) for case in self.cases[-4:] for t in cases.TEMPERATURES
            ]
        for case in asked:
            if time.monotonic() - start > SECONDS[self.budget]:
                break
            try:
                laws[case] = self.host.law(case.asked, self.mode, how)
            except Unreadable as reason:
                self.report.notes.append(
                    f"draft, {how} reading: in {case.name}: {reason}"
                )
                return False
        self.laws = laws
        self._judge(how, start)
        return True

    def _judge(self, how: str, start: float) -> None:
        """One verdict over all laws read."""
        found = {case: law.gaps(read) for case, read in self.laws.items()}
        wrong = {
            case: [g for g in gaps if big(g[1], how)] for case, gaps in found.items()
        }
        failed = [case for case, gaps in wrong.items() if gaps]
        off = any(gaps for case, gaps in found.items() if case.binary)
        verdict = "exact" if how == "symbolic" and not off else "exact_within"
        if len(self.laws) < len(self.cases):
            verdict = "inconclusive"
        depths = {case.asked.k for case in self.laws}
        detail = f"{how} law of drafts in {len(self.laws)} models, K {span(depths)}"
        if failed:
            verdict = "rejected"
            detail += f": in {len(failed)} not that of the declared q"
            before, gap = wrong[failed[0]][0]
            self.report.witness = witness(failed[0], before, gap, len(wrong[failed[0]]))
            self.report.diagnosis = known.diagnose(self.laws)
        self._tier("law", verdict, detail, start, len(self.laws))

    def _draw(self) -> None:
        start = time.monotonic()
        evidence, turn = DraftEvidence(len(self.cases)), 0
        hurdle = -math.log10(self.false_alarm)
        while evidence.drafts < DRAWS[self.budget] and evidence.log10_e < hurdle:
            late = time.monotonic() - start > SECONDS[self.budget]
            if late and turn >= len(self.cases):  # every case has had its turn
                break
            i = turn % len(self.cases)
            asked = self.cases[i].asked
            seed = derived(self.seed, self.host.spec, turn)
            drafts = self.host.draws(asked, self.mode, ROUND, seed)
            evidence.observe(i, drafts, len(asked.rows[0]))
            turn += 1
        log10_e = min(evidence.log10_e, PROOF)
        self.report.log10_e = max(self.report.log10_e or 0.0, log10_e)
        verdict = "rejected" if log10_e >= hurdle else "not_rejected"
        detail = f"{evidence.drafts} drafts, log10 E {log10_e:.1f}"
        detail += f" (rejects at {hurdle:.0f})"
        self._tier("drawn", verdict, detail, start, len(self.cases))

    def _rows(self) -> None:
        """Whether q is made of rows, and siblings are what they are said to be."""
        start = time.monotonic()
        drafts = self._drafts()
        found = [c for one in drafts for c in law.complaints(one)]
        kinds = ", ".join(sorted({one.kind for one in drafts}))
        detail = found[0] if found else f"{len(drafts)} drafts, {kinds}"
        self._tier("rows", "rejected" if found else "exact", detail, start)

    def _drafts(self) -> Sequence[Drafted]:
        if self.laws:
            return [one for read in self.laws.values() for one in read]
        return [
            one
            for case in self.cases
            for one in self.host.draws(case.asked, self.mode, 20, self.seed)
        ]

    def _kept(self) -> None:
        """Whether a draft's rows are overwritten by the next one's."""
        start = time.monotonic()
        by_k = {case.asked.k: case.asked for case in self.cases}
        lost = 0
        for case in self.cases:
            then = replace(by_k[case.asked.k], rows=case.asked.rows[::-1])
            lost += not self.host.kept(case.asked, then, self.mode)
        detail = f"overwritten by the next draft in {lost} of {len(self.cases)} models"
        self._tier("kept", "rejected" if lost else "exact", detail, start)

    def _temperature(self) -> None:
        """Whether the first row is that of temperature 1, raised to 1 / temperature."""
        start, wrong, asked = time.monotonic(), list[str](), 0
        for case in self.cases[-4:]:
            (hot,) = self.host.draws(case.asked, self.mode, 1, self.seed)
            for t in cases.TEMPERATURES:
                cold = self.host.draws(case.at(t).asked, self.mode, 1, self.seed)[0]
                if hot.q and hot.tokens and cold.tokens:
                    asked += 1
                    wrong += [] if honoured(hot, cold, t) else [f"{t:g} in {case.name}"]
        verdict = "rejected" if wrong else "exact_within"
        detail = f"not honoured at {wrong[0]}" if wrong else f"{asked} rows honour it"
        self._tier("temperature", verdict, detail, start)


def honoured(hot: Drafted, cold: Drafted, temperature: float) -> bool:
    assert hot.q
    if temperature:
        return cold.q is not None and law.follows(hot.q[0], cold.q[0], temperature)
    return hot.q[0][cold.tokens[0]] == max(hot.q[0])


def big(gap: Gap, how: str) -> bool:
    """Whether a gap is more than rounding; bisection sees absolute odds only."""
    size = gap.size if how == "symbolic" else abs(gap.got - gap.want)
    return size > law.ROUNDING


def span(values: set[int]) -> str:
    return f"{min(values)}-{max(values)}" if values else "none"


def witness(case: Case, before: Drafted, gap: Gap, wrong: int) -> Witness:
    """The model's rows along the text drafted, and one wrong token."""
    asked = case.asked
    paths = [gap.prefix[:n] for n in range(len(gap.prefix) + 1)]
    rows = {
        " ".join(map(str, path)) or "root": [
            str(w) for w in asked.model([*asked.context, *path]).tolist()
        ]
        for path in paths
    }
    name = f"drafter in {case.name}, {before.kind}, context {asked.context}"
    odds = figure(gap.want), figure(gap.got)
    return Witness(name, {}, rows, gap.prefix, gap.token, *odds, wrong=wrong)
