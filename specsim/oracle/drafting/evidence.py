"""Judging by e-values a drafter whose law cannot be read: see oracle/evidence.py.

Each token, given its history, is a bet against the row that was declared for it: the
row is learnt as drafts come, as there for a fault that nobody foresaw. Where no history
comes twice nothing can be learnt; so there are bets on powers of the row as well, which
is what another temperature, or the likeliest token, looks like.
"""

import math
from collections.abc import Iterable

import numpy as np

from specsim.oracle.drafting.contract import Drafted, Row
from specsim.oracle.drafting.law import History, histories, wanted
from specsim.oracle.evidence import CONCENTRATIONS, LN10, Array, log_dirichlet, log_mean

POWERS = np.array([0.25, 0.5, 0.7, 1.4, 2, 4, 16])
"""Of the declared row: what tokens may be drawn from instead."""
MOST_HISTORIES = 20_000
"""After so many different ones no new one is bet on."""


class DraftEvidence:
    """The money E made by betting that a drafter does not draw from the q it declares.

    A third of it on a fault in some one case, a third on one in all alike, and a third
    on powers of the rows.
    """

    def __init__(self, cases: int):
        self._cases = cases
        self._seen: dict[tuple[int, History], Array] = {}
        self._powers = np.zeros(len(POWERS))
        self.drafts, self.log10_e = 0, 0.0

    def observe(self, case: int, drafts: Iterable[Drafted], vocab: int) -> None:
        """Count the drafts of a case, and value E."""
        for one in drafts:
            self.drafts += 1
            for history, token in histories(one):
                self._powers += log_powers(history.row, token)
                if (case, history) in self._seen or len(self._seen) < MOST_HISTORIES:
                    counts = self._seen.setdefault((case, history), np.zeros(vocab))
                    counts[token] += 1
        self.log10_e = max(self.log10_e, self.valued())

    def valued(self) -> float:
        """log10 of E now; infinite once a token came that its row rules out."""
        local, general = np.zeros(self._cases), np.zeros(len(CONCENTRATIONS))
        for (case, history), counts in self._seen.items():
            row = np.zeros(len(counts))
            declared = wanted(history, np.flatnonzero(counts).tolist())
            row[: len(declared)] = declared
            if counts[row == 0].any():
                return math.inf
            unknown = log_dirichlet(counts[None], (row / row.sum())[None])
            local[case] += log_mean(unknown, axis=1)[0]
            general += unknown[0]
        three = np.array([*map(log_mean, (local, general, self._powers))])
        return float(log_mean(three)) / LN10


def log_powers(row: Row | None, token: int) -> Array:
    """Log of what a bet on each of POWERS pays; nothing where it is no bet."""
    if row is None or not row[token]:
        return np.zeros(len(POWERS))
    logs = np.log([w for w in row if w])
    rest = np.logaddexp.reduce(POWERS[:, None] * logs, axis=1)
    fair = math.log(row[token] / sum(row))
    return np.asarray(POWERS * math.log(row[token]) - rest - fair)
