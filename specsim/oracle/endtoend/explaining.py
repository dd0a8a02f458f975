"""Why a case was rejected: the worst prefix, what the engine leans to, what matters."""

import math
from dataclasses import dataclass

import numpy as np

from specsim.oracle.effect import CONFIDENCE, interval
from specsim.oracle.endtoend.cases import Case
from specsim.oracle.endtoend.drawing import Drawing, Judged, Limits, Session
from specsim.oracle.endtoend.leanings import NAMES, told
from specsim.oracle.endtoend.request import Request
from specsim.oracle.evidence import Cell
from specsim.oracle.report import Effect, Witness

LIKELY = 0.3
"""The share of the evidence from which on a leaning is named."""
OFTEN = 12
"""How often a prefix must have come for it to be shown."""
FEWEST, MORE = 96, 4
"""So many answers are asked for when the engine is asked again, or so many times as
many as refuted it.
"""


@dataclass
class Explained:
    """A rejected case, of which something was drawn that refutes it."""

    drawn: Drawing
    session: Session
    limits: Limits

    @property
    def cell(self) -> Cell:
        """The token after a prefix that tells most."""
        cell = self.drawn.evidence.worst(OFTEN)
        assert cell
        return cell

    @property
    def ask(self) -> Request:
        return self.drawn.case.asks[self.cell.case]

    @property
    def judged(self) -> Judged:
        return self.drawn.judged

    def words(self) -> str:
        """The worst prefix, and what the engine leans to."""
        cell = self.cell
        where = f"after {[*cell.prefix]}" if cell.prefix else "as the first token"
        if not cell.want:
            return f"token {cell.token} {where}, which {self._forbids(cell)}"
        said = f"token {cell.token} {where}: wanted {float(cell.want):.3g}, "
        said += f"got {cell.count} of {cell.trials}"
        leading = [
            told(name)
            for name, share in self.drawn.evidence.leading()
            if name in NAMES and share >= LIKELY
        ]
        return said + "".join(f"; leans {leaning}" for leaning in leading)

    def _forbids(self, cell: Cell) -> str:
        """Why a token cannot come there."""
        if self.ask.temperature:
            return f"{settings(self.ask)} rules out"
        logits = self.judged.target.row(self.ask, cell.prefix).logits
        margin = float(logits.max() - logits[cell.token])
        return f"is {margin:.3g} nats short of the likeliest, {logits.argmax()}"

    def witness(self) -> Witness:
        """The worst prefix and its rows."""
        cell = self.cell
        row = self.judged.target.row(self.ask, cell.prefix).p
        draft = self.judged.draft.row(self.ask, cell.prefix).p
        counts = self.drawn.evidence.row(cell.case, cell.prefix)
        key = " ".join(map(str, cell.prefix)) or "root"
        return Witness(
            world=described(self.ask),
            p={key: [f"{x:.4g}" for x in row]},
            q={key: [f"{x:.4g}" for x in draft]},
            prefix=cell.prefix,
            token=cell.token,
            want=f"{float(cell.want):.4g}",
            got=f"{cell.count} of {cell.trials} draws",
            wrong=1,
            wanted=tuple(row.tolist()),
            found=tuple(count / cell.trials for count in counts),
            trials=cell.trials,
        )

    def effect(self) -> Effect | None:
        """How wrong the row is at least, by as many answers drawn afresh."""
        if self.drawn.case.greedy:
            return None
        cell, ask = self.cell, self.ask
        row = self.judged.target.row(ask, cell.prefix).p
        counts = np.array(self.drawn.evidence.row(cell.case, cell.prefix))
        event = tuple(np.flatnonzero(counts > counts.sum() * row).tolist())
        want, depth = float(row[[*event]].sum()), len(cell.prefix)
        fresh = self._again(ask, math.inf, "effect")
        after = [
            text[depth]
            for text in fresh.texts[0]
            if len(text) > depth and text[:depth] == cell.prefix
        ]
        count, trials = sum(token in event for token in after), len(after)
        low = interval(count, trials, 2 * CONFIDENCE - 1)[0] - want if trials else 0.0
        if low <= 0:
            return None
        where = described(ask)
        return Effect(where, cell.prefix, event, want, count, trials, low, CONFIDENCE)

    def shrunk(self) -> "Explained | None":
        """The request with the fewest settings that still fails, asked for alone.

        None: alone it does not fail.
        """
        if not (smallest := self._failing(self.ask)):
            return None
        for name in sorted(self.ask.changed):
            smallest = self._failing(smallest.ask.neutral(name)) or smallest
        return smallest

    def _failing(self, ask: Request) -> "Explained | None":
        """What refutes the engine by this request alone, if anything does."""
        drawn = self._again(ask, self.limits.hurdle, "shrinking")
        shown = drawn.refuted and not drawn.wrong
        return Explained(drawn, self.session, self.limits) if shown else None

    def _again(self, ask: Request, hurdle: float, *names: object) -> Drawing:
        most = max(FEWEST, MORE * len(self.drawn.answers))
        answers = min(most, self.limits.answers)
        limits = self.limits._replace(answers=answers, hurdle=hurdle)
        drawn = Drawing(Case("again", (ask,)), self.judged)
        return drawn.run(self.session, limits, *names)


def described(ask: Request) -> str:
    """A request on one line."""
    prompt = " ".join(map(str, ask.prompt))
    return f"prompt {prompt}, {ask.max_tokens} tokens, {settings(ask)}"


def settings(ask: Request) -> str:
    """What is changed in a request, in words."""
    made = (f"{name} {getattr(ask, name)}" for name in sorted(ask.changed))
    return ", ".join(made) or "nothing changed"
