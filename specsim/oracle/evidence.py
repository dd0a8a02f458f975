"""Judging by e-values an engine that can only be sampled.

An engine emits a block B of random length L; the target's rows are p. It is lossless
(B, continued by the target, has the target's law) iff, for every i and every prefix s
with P(L >= i, B[:i-1] = s) > 0,

    P(B[i] = y | L >= i, B[:i-1] = s) = p(y | s)    for all y.

So each emitted token, given the prefix emitted before it and that a token i was emitted
at all, is a fair draw from p whatever rule decides where blocks end; and a bet on it
that pays f(y) / p(y), for any row f chosen beforehand, multiplies a gambler's money by
1 on average at most. Bets follow one another, so the money E is a test martingale:
under a lossless engine P(sup E >= 1 / a) <= a (Ville 1939), at whichever moments one
looks and however one chooses to stop. Conditioning on "accepted" or on L = i instead
would be wrong: it fails correct engines.

Assumed: given everything before it, a block is a fresh one (blocks that share random
numbers are not), and which case is asked next does not depend on blocks to come.

Mixtures: Wald (1945), "Sequential tests of statistical hypotheses" (a simple
alternative); Lindon and Malek (2022), "Anytime-valid inference for multinomial count
data", https://arxiv.org/abs/2011.03567 (an unknown one).
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from specsim.errors import Bad
from specsim.oracle.exact import Law, Tokens, conditionals
from specsim.seam import proposal

Array = NDArray[np.float64]
Context = tuple[int, Tokens]
Rows = Callable[[Tokens], Mapping[int, Any] | None]
"""From a prefix to the odds of what comes next, None where there is no telling."""

RESERVE = 1e-3
"""The part of the money that every bet keeps back, so that no token ruins it."""

CONCENTRATIONS = np.geomspace(10, 1e7, 13)
"""How many draws the unknown row's prior is worth: small for gross faults."""

LN10 = math.log(10)

NONE = "none of these"


@dataclass(frozen=True)
class Cell:
    """A token after a prefix: how often it came and how often it should have.

    count of trials: times the token, and any token, was emitted there.
    want: the target's probability, exactly.
    """

    case: int
    prefix: Tokens
    token: int
    count: int
    trials: int
    want: Any

    @property
    def got(self) -> float:
        return self.count / self.trials


def log_bet(f: Mapping[int, Fraction], p: Array) -> Array:
    """Log of (1 - RESERVE) f / p + RESERVE at every token (V,).

    Where p is 0 the token is proof and the bet decides nothing; so that it still tells
    mutants apart it is settled there as if p were RESERVE / V.
    """
    rows = np.array([float(f.get(token, 0)) for token in range(len(p))])
    fair = np.where(p > 0, p, RESERVE / len(p))
    return np.log((1 - RESERVE) * rows / fair + RESERVE)


def log_dirichlet(counts: Array, p: Array) -> Array:
    """Log of what betting on an unknown row has made, (contexts, CONCENTRATIONS).

    The row is learnt as tokens come, from a Dirichlet prior k p for each k: the n-th
    bet is on (k p + counts so far) / (k + n - 1), which the past decides. Float64
    leaves 8 digits or so of the ratio: the terms are of order k ln k and cancel.
    """
    from scipy.special import gammaln

    n = counts[:, None]
    fair = np.where(p > 0, p, 1)[:, None]
    k = CONCENTRATIONS[:, None]
    learnt = gammaln(k * fair + n) - gammaln(k * fair) - n * np.log(fair)
    total = gammaln(k) - gammaln(k + n.sum(-1, keepdims=True))
    return np.asarray(learnt.sum(-1) + total[..., 0])


def log_mean(logs: Array, axis: int = 0) -> Array:
    """Log of the mean of exp(logs)."""
    return np.asarray(np.logaddexp.reduce(logs, axis) - math.log(logs.shape[axis]))


def stakes(mutants: int) -> Array:
    """How the first unit of money is split (mutants + 2,).

    A half equally on the mutants; a quarter on an unknown fault in some one case, and
    a quarter on one in every case alike.
    """
    shares: Array = np.array([*[0.5 / max(mutants, 1)] * mutants, 0.25, 0.25])
    return np.asarray(shares / shares.sum())


class _Bets(NamedTuple):
    """One context, padded to the widest vocabulary."""

    p: Array
    logs: Array
    counts: Array
    vocab: int


class Evidence:
    """The money E made by betting against an engine: 1 at first, FAIL once it is large.

    targets:      the target of each case: prefix -> row.
    alternatives: by mutant, the exact law of the block it emits in each case, or what
                  it does after each prefix; None where it makes no bet.

    E is the sum over `stakes` of martingales, hence one itself:

    * for each mutant, the product of its bets over all cases and blocks;
    * the mean over cases of the product over contexts of the mean over k of
      `log_dirichlet`: a token moves one context, whose bet the past decides;
    * the mean over k of the product of the same over all contexts of all cases.

    log10_e: the largest E at the end of any `observe`; infinite once the engine said
    what the target never says.
    """

    def __init__(
        self,
        targets: Sequence[proposal.Rows],
        alternatives: Mapping[str, Sequence[Law | Rows | None]],
    ):
        self.names = list(alternatives)
        self.blocks = 0
        self.log10_e = 0.0
        self._targets = targets
        self._mutants = [
            [_rows(law) for _, law in zip(targets, laws, strict=True)]
            for laws in alternatives.values()
        ]
        self._width = max(len(rows(())) for rows in targets)
        self._staked = np.log(stakes(len(self.names)))
        self._seen: dict[Context, _Bets] = {}
        for case in range(len(targets)):
            self._at(case, ())

    def observe(self, case: int, blocks: Iterable[Sequence[int]]) -> None:
        """Count what the engine emitted on `case`, and value E. Bad: not a token id."""
        self.observe_all([(case, blocks)])

    def observe_all(
        self, emitted: Iterable[tuple[int, Iterable[Sequence[int]]]]
    ) -> None:
        """The same of several cases before E is valued, which takes longest."""
        for case, blocks in emitted:
            for block, times in Counter(map(tuple, blocks)).items():
                self.blocks += times
                self._count(case, tuple(map(int, block)), times)
        self.log10_e = max(self.log10_e, self.valued())

    def valued(self) -> float:
        """log10 of E now, which may be less than it has been."""
        p, _, counts = self._stacked()
        if counts[p == 0].any():
            return math.inf
        return float(np.logaddexp.reduce(self._made() + self._staked)) / LN10

    def leading(self, n: int = 3) -> list[tuple[str, float]]:
        """The n likeliest faults with their shares of E, "none of these" among them."""
        logs = self._made() + self._staked
        *shares, local, general = np.exp(logs - np.logaddexp.reduce(logs)).tolist()
        ranked = [*zip(self.names, shares, strict=True), (NONE, local + general)]
        return sorted(ranked, key=lambda named: -named[1])[:n]

    def excluded(self) -> dict[str, float]:
        """By mutant, log10 of an e-value against the engine's being that mutant.

        A token's factor is p / ((1 - RESERVE) f + RESERVE p). With x = f / p its mean
        under the mutant is E_p[x / ((1 - RESERVE) x + RESERVE)], at most 1 by Jensen
        since E_p[x] <= 1. Empty once the target itself is refuted.
        """
        if math.isinf(self.log10_e):
            return {}
        lost = (0 - self._made()[:-2] / LN10).tolist()
        return dict(zip(self.names, lost, strict=True))

    def row(self, case: int, prefix: Tokens) -> list[int]:
        """How often each token came after the prefix."""
        bets = self._at(case, prefix)
        return [int(n) for n in bets.counts[: bets.vocab]]

    def worst(self, least: int = 1) -> Cell | None:
        """The cell that carries most of the discrepancy; None before any token.

        By its part n ln(n / m) - n + m of the log likelihood ratio, m being the count
        expected; an impossible token before all others, and then those of contexts
        that were seen `least` times.
        """
        from scipy.special import kl_div

        if not self.blocks:
            return None
        p, _, counts = self._stacked()
        trials = counts.sum(1)
        parts = kl_div(counts, trials[:, None] * p)
        rare = trials < min(least, trials.max())
        parts[rare] *= np.isinf(parts[rare])
        at, token = divmod(int(parts.argmax()), p.shape[1])
        case, prefix = list(self._seen)[at]
        want = self._targets[case](prefix)[token]
        return Cell(case, prefix, token, int(counts[at, token]), int(trials[at]), want)

    def _count(self, case: int, block: Tokens, times: int) -> None:
        for i, token in enumerate(block):
            bets = self._at(case, block[:i])
            if not 0 <= token < bets.vocab:
                raise Bad(
                    f"case {case}: the engine emitted {token}, and token ids are "
                    f"0 to {bets.vocab - 1}: return the block alone, without padding"
                )
            bets.counts[token] += times
            if not bets.p[token]:
                return  # what follows an impossible prefix has no right law

    def _at(self, case: int, prefix: Tokens) -> _Bets:
        if (case, prefix) not in self._seen:
            p = np.asarray(self._targets[case](prefix), dtype=float)
            fair, counts = np.zeros((2, self._width))
            logs = np.zeros((self._width, len(self.names)))
            fair[: len(p)] = p
            for m, cases in enumerate(self._mutants):
                if f := cases[case](prefix):
                    logs[: len(p), m] = log_bet(f, p)
            self._seen[case, prefix] = _Bets(fair, logs, counts, len(p))
        return self._seen[case, prefix]

    def _stacked(self) -> tuple[Array, Array, Array]:
        p, logs, counts, _ = zip(*self._seen.values(), strict=True)
        return np.array(p), np.array(logs), np.array(counts)

    def _made(self) -> Array:
        """Log of what each stake has made so far (mutants + 2,), stakes apart."""
        p, logs, counts = self._stacked()
        mutants = np.tensordot(counts, logs, 2)
        unknown = np.zeros((len(p), len(CONCENTRATIONS)))
        many = counts.sum(1) > 1  # nothing is learnt before the first token
        unknown[many] = log_dirichlet(counts[many], p[many])
        by_case = np.zeros(len(self._targets))
        np.add.at(by_case, [case for case, _ in self._seen], log_mean(unknown, axis=1))
        return np.array([*mutants, log_mean(by_case), log_mean(unknown.sum(0))])


def _rows(law: Law | Rows | None) -> Rows:
    return law if callable(law) else conditionals(law or {}).get
