"""Rows and coins where an interval, a float format or a support ends."""

from fractions import Fraction
from typing import NamedTuple

from specsim.oracle.vectors.vector import Tokens
from specsim.seam import proposal

Coins = tuple[Fraction, ...]
Weights = list[list[int]]

ZERO, HALF = Fraction(0), Fraction(1, 2)
LEAST = Fraction(1, 2**24)
HIGH, HIGHER = 1 - LEAST, 1 - Fraction(1, 2**53)
BOTH_ENDS = ZERO, HIGH, HIGHER
ULP = 2**25
"""Its reciprocal is the grain of float32 between a quarter and a half."""
QUARTER = ULP // 4


class Case(NamedTuple):
    """Rows of integer weights, and the values that coins are given in turn.

    Every coin of a name gets the same value. over: the denominator of every row.
    """

    flags: tuple[str, ...]
    over: int
    p: Weights
    q: Weights
    tokens: Tokens
    accept: Coins = (ZERO, HIGH)
    sample: Coins = (HALF,)
    parents: Tokens | None = None
    kind: proposal.Kind = "iid"


def beside(threshold: Fraction) -> Coins:
    """A threshold and its neighbours, one step of 2**-24 away."""
    return threshold - LEAST, threshold, threshold + LEAST


def near(ulps: int) -> Case:
    """So many units in the last place more in p than in q at token 0, less at 1."""
    p = [QUARTER + ulps, QUARTER - ulps, 2 * QUARTER]
    q = [QUARTER, QUARTER, 2 * QUARTER]
    coins = (HIGH,) if ulps > 0 else beside(1 + 2 * ulps * LEAST)
    return Case(("NearTie",), ULP, [p, q], [q], (0,), coins, (HIGH,))


CHAINS = [
    Case(("ForbiddenDraft", "ZeroCoin"), 4, [[4, 0], [1, 3]], [[2, 2]], (1,), (ZERO,)),
    Case(
        ("ForbiddenDraft", "ZeroCoin"),
        4,
        [[0, 1, 3], [0, 2, 2]],
        [[2, 1, 1]],
        (0,),
        (ZERO, HALF),
        (ZERO, HIGH),
    ),
    Case(
        ("ZeroCoin", "HighCoin", "ZeroMassEnd"),
        4,
        [[0, 1, 3, 0], [0, 3, 1, 0], [0, 2, 2, 0]],
        [[0, 2, 2, 0], [0, 2, 2, 0]],
        (1, 2),
        BOTH_ENDS,
        BOTH_ENDS,
    ),
    Case(
        ("EqualLaws", "HighCoin"),
        8,
        [[1, 3, 4], [5, 2, 1], [2, 2, 4]],
        [[1, 3, 4], [5, 2, 1]],
        (1, 0),
        BOTH_ENDS,
    ),
    Case(("OneHotTarget",), 4, [[0, 4], [4, 0]], [[2, 2]], (1,), BOTH_ENDS, (HIGH,)),
    Case(
        ("OneHotTarget",), 4, [[0, 4], [4, 0]], [[2, 2]], (0,), (ZERO, HIGH), (HIGHER,)
    ),
    Case(("OneHotDraft",), 4, [[1, 2, 1], [1, 1, 2]], [[0, 4, 0]], (1,), beside(HALF)),
    Case(
        ("OneHotDraft", "OneHotTarget"),
        1,
        [[0, 1], [1, 0], [0, 1]],
        [[0, 1], [1, 0]],
        (1, 0),
        BOTH_ENDS,
    ),
    Case(
        ("Disjoint",),
        4,
        [[1, 3, 0, 0], [0, 0, 2, 2]],
        [[0, 0, 2, 2]],
        (2,),
        (ZERO, HIGH),
        (ZERO, Fraction(1, 4), HIGH),
    ),
    Case(
        ("OnThreshold",),
        8,
        [[2, 5, 1], [2, 2, 4]],
        [[4, 2, 2]],
        (0,),
        beside(HALF),
        (Fraction(1, 4), HALF),
    ),
    Case(
        ("OnThreshold",),
        8,
        [[2, 2, 4], [4, 2, 2]],
        [[2, 2, 4]],
        (0,),
        (HALF,),
        (*beside(Fraction(1, 4)), *beside(HALF)),
    ),
    Case(
        ("OnThreshold",),
        8,
        [[2, 4, 2], [4, 2, 2]],
        [[6, 1, 1]],
        (0,),
        (Fraction(3, 4),),
        beside(Fraction(3, 4)),
    ),
    *(near(ulps) for ulps in (-3, -2, -1, 1, 2, 3)),
    Case(
        ("Tie",),
        8,
        [[2, 3, 3], [4, 4, 0], [1, 1, 6]],
        [[2, 4, 2], [4, 4, 0]],
        (1, 0),
        (HALF,),
        (HALF,),
    ),
    Case(("Tie",), 8, [[2, 3, 3], [4, 4, 0]], [[2, 2, 4]], (2,), (HALF,), (HALF,)),
    Case(
        ("Tie",),
        ULP,
        [[QUARTER, QUARTER + 1, QUARTER - 1, QUARTER], [QUARTER] * 4],
        [[QUARTER] * 4],
        (1,),
        (HALF,),
        (HALF,),
    ),
    Case(
        ("TinyDraft",),
        2**24,
        [[1, 3 * 2**22 - 1, 2**22], [2**22, 2**22, 2**23]],
        [[4, 2**23 - 4, 2**23]],
        (0,),
        beside(Fraction(1, 4)),
    ),
    Case(
        ("TinyDraft",),
        2**40,
        [[1, 3 * 2**38 - 1, 2**38], [2**38, 2**38, 2**39]],
        [[4, 2**39 - 4, 2**39]],
        (0,),
        (Fraction(15, 64), Fraction(17, 64)),
    ),
    Case(
        ("TinyDraft", "HighCoin"),
        2**30,
        [[64, 2**30 - 64], [2**29, 2**29]],
        [[64, 2**30 - 64]],
        (0,),
        (HIGH, HIGHER),
    ),
    Case(
        ("NarrowDraft",),
        8,
        [[1, 1, 2, 4], [2, 2, 2, 2]],
        [[4, 4, 0, 0]],
        (0,),
        (LEAST, HIGH),
        (ZERO, HALF, HIGH),
    ),
    Case(
        ("OffByRounding",),
        ULP,
        [[QUARTER - 1, QUARTER, 2 * QUARTER], [QUARTER, QUARTER, 2 * QUARTER]],
        [[QUARTER, QUARTER, 2 * QUARTER]],
        (0,),
        (HIGH, HIGHER),
        (HIGH,),
    ),
    Case(
        ("ImpossibleDraft",),
        4,
        [[0, 1, 3, 0], [2, 0, 2, 0]],
        [[0, 2, 2, 0]],
        (0,),
        (ZERO, HIGH),
    ),
    Case(("ImpossibleDraft",), 4, [[2, 1, 1], [2, 2, 0]], [[0, 2, 2]], (0,)),
    Case(("NothingDrafted",), 8, [[0, 3, 5, 0]], [], (), (HALF,), BOTH_ENDS),
]

TREES = [
    Case(
        ("SameSibling", "ZeroCoin"),
        8,
        [[4, 2, 2], [2, 2, 4], [2, 2, 4]],
        [[6, 1, 1]] * 2,
        (0, 0),
        (ZERO, Fraction(2, 3), HIGH),
        (ZERO,),
        (-1, -1),
    ),
    Case(("Tie",), 8, [[4, 4], [8, 0], [0, 8]], [[4, 4]] * 2, (0, 1), parents=(-1, -1)),
    Case(
        ("SpentSiblings", "HighCoin"),
        4,
        [[1, 3], [4, 0], [0, 4]],
        [[2, 2], [0, 4]],
        (0, 1),
        (ZERO, HALF, HIGH, HIGHER),
        (ZERO,),
        (-1, -1),
        "without_replacement",
    ),
    Case(
        ("DeepRow",),
        8,
        [[2, 4, 2], [8, 0, 0], [0, 8, 0], [0, 4, 4], [0, 0, 8]],
        [[2, 2, 4], [2, 2, 4], [2, 2, 4], [0, 4, 4]],
        (2, 1, 1, 2),
        (ZERO, Fraction(3, 4)),
        (ZERO, Fraction(3, 8), HALF, Fraction(7, 8)),
        (-1, -1, 1, 2),
    ),
    Case(
        ("Tie", "DeepRow"),
        8,
        [[4, 4, 0], [0, 4, 4], [3, 2, 3], [0, 0, 8]],
        [[4, 4, 0], [4, 4, 0], [2, 3, 3]],
        (1, 0, 1),
        (ZERO,),
        (ZERO, HALF),
        (-1, -1, 1),
    ),
]

PATHS = [c for c in TREES if c.kind == "iid" and set(c.parents or ()) == {-1}]
"""Those of one level are as many paths."""
