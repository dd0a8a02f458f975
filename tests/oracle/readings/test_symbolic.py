import math
from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction as F
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specsim.oracle import exact
from specsim.oracle.readings.cells import Unfollowable
from specsim.oracle.readings.standin import StandIn
from specsim.oracle.readings.symbolic import (
    Coins,
    NotAFunction,
    Path,
    TooManyPaths,
    law,
)
from specsim.rules import RULES
from specsim.seam import probs, proposal, randomness
from tests.oracle.readings.cases import chain
from tests.oracle.readings.foreign import scaled

cdf = np.array([0.25, 0.375, 1.0])
PICKED = {0: F(1, 4), 1: F(1, 8), 2: F(5, 8)}
WAYS: dict[str, Callable[[Any], Any]] = {
    "searchsorted": lambda u: np.searchsorted(cdf, u, side="right"),
    "method": lambda u: cdf.searchsorted(u),
    "argmax of array > u": lambda u: np.argmax(cdf > u),
    "argmax of u < array": lambda u: (u < cdf).argmax(),
    "sum of array <= u": lambda u: (cdf <= u).sum(),
    "count of u >= list": lambda u: sum(bool(u >= c) for c in cdf.tolist()),
    "scaled": lambda u: np.searchsorted(cdf * 3, u * 3, side="right"),
    "NumPy scalar on the left": lambda u: (cdf * 2 <= np.float64(2) * u).sum(),
    "flipped": lambda u: (1 - u <= 1 - cdf).sum(),
    "logarithm": lambda u: int((np.log(cdf[:2]) <= np.log(u)).sum()),
    "digitize": lambda u: np.digitize(u, cdf),
    "where": lambda u: np.where(u < 0.25, 0, np.where(u < 0.375, 1, 2)),
    "truncated": lambda u: (0, 0, 1, 2, 2, 2, 2, 2)[int(u * 8)],
    "truncated below zero": lambda u: (0, 0, 1, 2, 2, 2, 2, 2)[-int(u * -8)],
    "ceiling": lambda u: (0, 0, 1, 2, 2, 2, 2, 2)[math.ceil(u * 8) - 1],
    "floor": lambda u: (cdf * 8 <= np.floor(u * np.float32(8))).sum(),
    "clipped": lambda u: (cdf <= np.clip(u, 1e-3, 1 - 1e-3)).sum(),
}


@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_pick_is_followed(way: str) -> None:
    got = law(lambda path: int(WAYS[way](path.uniform())))
    if way == "logarithm":
        assert got.keys() == PICKED.keys()
        assert all(abs(got[y] - PICKED[y]) < 1e-15 for y in PICKED)
    else:
        assert got == PICKED


MAPS: dict[str, tuple[Callable[[Any], Any], float, F]] = {
    "exp": (np.exp, math.e**0.25, F(1, 4)),
    "sqrt": (np.sqrt, 0.5, F(1, 4)),
    "log1p": (np.log1p, math.log1p(0.25), F(1, 4)),
    "negative": (np.negative, -0.25, F(3, 4)),
    "reciprocal": (lambda u: 1 / u, 4.0, F(3, 4)),
    "chain": (lambda u: 3 - np.log(u) * 2, 3 - 2 * math.log(0.25), F(3, 4)),
    "of a sum": (lambda u: (u + 1) * 2, 2.5, F(1, 4)),
    "flip": (lambda u: 1 - u, 0.25, F(1, 4)),
    "doubling": (lambda u: u * 2, 0.5, F(1, 4)),
    "trebling": (lambda u: u * 3, 0.75, F(1, 4)),
    "division": (lambda u: u / 3 - 1, -11 / 12, F(1, 4)),
}


@pytest.mark.parametrize("name", MAPS)
def test_monotone_maps_are_inverted(name: str) -> None:
    apply, t, want = MAPS[name]
    got = law(lambda path: bool(apply(path.uniform()) < t))
    assert abs(got[True] - want) < 1e-15


def test_a_uniform_used_again_remembers() -> None:
    def run(path: Path) -> tuple[bool, bool, bool]:
        u = path.uniform()
        return bool(u < 0.5), bool(2 * u > 0.5), bool(u < 0.75)

    assert law(run) == {
        (True, False, True): F(1, 4),
        (True, True, True): F(1, 4),
        (False, True, True): F(1, 4),
        (False, True, False): F(1, 4),
    }


def test_comparisons_outside_the_cell_never_fork() -> None:
    def run(path: Path) -> tuple[bool, ...]:
        u = path.uniform()
        beyond = u < 1, u < 1.5, u > 0, u >= -1, u < math.inf, u > -math.inf
        return (
            *map(bool, beyond),
            bool(u < math.nan),
            bool(u > math.nan),
            bool(u == 0),
        )

    assert law(run) == {(True,) * 6 + (False,) * 3: F(1)}


LOST: dict[str, Callable[[Any], object]] = {
    "float": float,
    "bool": bool,
    "math.log": math.log,
    "power": lambda u: u**2,
    "remainder": lambda u: u % 1,
    "fine steps": lambda u: int(u * 2**32),
    "astype": lambda u: np.array([u]).astype(np.float32),
    "into an array": lambda u: np.zeros(1).__setitem__(0, u),
    "float32": lambda u: np.float32(u),
    "asarray": lambda u: np.asarray(u, dtype=float),
    "interp": lambda u: np.interp(u, cdf, cdf),
}


@pytest.mark.parametrize("name", LOST)
def test_what_cannot_be_followed_is_refused_even_if_swallowed(name: str) -> None:
    use = LOST[name]

    def swallowing(path: Path) -> int:
        try:
            use(path.uniform())
        except Exception:
            return 0
        return 1

    with pytest.raises(Unfollowable):
        law(lambda path: bool(use(path.uniform())))
    with pytest.raises(Unfollowable):
        law(swallowing)


def test_two_uniforms_are_not_compared_or_added() -> None:
    with pytest.raises(Unfollowable, match="not in a race"):
        law(lambda path: bool(path.uniform() < path.uniform()))
    with pytest.raises(Unfollowable, match="two undrawn"):
        law(lambda path: bool(path.uniform() + path.uniform() < 1))


RACES: dict[str, Callable[[Any, Any], Any]] = {
    "argmin of E / w": lambda e, w: np.argmin(e / w),
    "argmax of w / E": lambda e, w: np.argmax(w / e),
    "argmax of log w + Gumbel": lambda e, w: np.argmax(np.log(w) - np.log(e)),
    "argmin of log E - log w": lambda e, w: np.argmin(np.log(e) - np.log(w)),
}


@pytest.mark.parametrize("name", RACES)
def test_races_pick_in_proportion(name: str) -> None:
    w = np.array([0.5, 0.125, 0.25, 0.125])

    def run(path: Path) -> int:
        undrawn: Any = [path.uniform() for _ in w]
        e = -np.log(undrawn)
        return int(RACES[name](e, w))

    got = law(run)
    assert all(abs(got[y] - F(w[y])) < 1e-15 for y in range(4))


def test_a_waiting_time_runs_in_one_race() -> None:
    def twice(path: Path) -> int:
        undrawn: Any = [path.uniform() for _ in range(3)]
        e = -np.log(undrawn)
        return int(np.argmin(e) + np.argmin(e / np.array([1.0, 2.0, 3.0])))

    with pytest.raises(Unfollowable, match="twice"):
        law(twice)


def test_a_waiting_time_does_nothing_but_race() -> None:
    def after(path: Path) -> bool:
        u: Any = path.uniform()
        v: Any = path.uniform()
        return bool(-np.log(u) < -np.log(v)) and bool(u < 0.5)

    def before(path: Path) -> bool:
        u: Any = path.uniform()
        v: Any = path.uniform()
        return bool(u < 0.5) and bool(-np.log(u) < -np.log(v))

    for run in (after, before):
        with pytest.raises(Unfollowable):
            law(run)


def test_the_logarithm_of_what_is_negative_is_nan() -> None:
    def run(path: Path) -> bool:
        negative: Any = path.uniform() - 1
        return bool(np.log(negative) < 0)

    assert law(run) == {False: F(1)}


def test_limits() -> None:
    def retrying(path: Path) -> int:
        n = 0
        while path.uniform() < 0.5:
            n += 1
        return n

    with pytest.raises(TooManyPaths, match="2000"):
        law(retrying)
    with pytest.raises(TooManyPaths, match="after 3 paths"):
        law(lambda path: int(path.uniform() * 5), limit=3)
    with pytest.raises(TooManyPaths, match="after 0 paths"):
        law(lambda path: 0, expired=lambda: True)
    assert len(law(lambda path: int(path.uniform() * 5), limit=5)) == 5


def test_luck_from_elsewhere_is_noticed() -> None:
    rng = np.random.default_rng(1)
    with pytest.raises(NotAFunction):
        law(lambda path: int(rng.integers(2**40)))


@pytest.mark.distribution
@pytest.mark.parametrize("name", ["chain", "block", "one_hot", "sampler_match"])
def test_coins_give_the_references_own_law(name: str) -> None:
    verify, world = RULES[name].verify, chain(3, 2)
    for drafted, _ in randomness.branches(world.draft):
        p = proposal.score(world.target, drafted)

        def run(
            source: randomness.Source, p: Any = p, given: Any = drafted
        ) -> tuple[int, ...]:
            return tuple(verify(p, given, source))

        def on_coins(path: Path, run: Any = run) -> tuple[int, ...]:
            return run(Coins(path))  # type: ignore[no-any-return]

        assert law(on_coins) == randomness.law(run)


def test_coins_drafted_by_name() -> None:
    weights = [F(1), F(0), F(2)]
    got = law(lambda path: Coins(path).draft(0, weights))
    assert got == {0: F(1, 3), 2: F(2, 3)}
    with pytest.raises(randomness.Refused):
        law(lambda path: Coins(path).sample(0, [F(0)]))


class AcceptAgain(Coins):
    """Planted bug: the residual is drawn with the coin that refused the token."""

    def sample(self, r: int, weights: Any) -> int:
        return self.again("accept" if r < 2 else "sample", r, weights)


def test_a_coin_asked_again_gives_the_reusing_law() -> None:
    world = chain(3, 2)
    for drafted, _ in randomness.branches(world.draft):
        p = proposal.score(world.target, drafted)
        q, (x, y) = drafted.drawn_from, drafted.tokens

        def run(path: Path, p: Any = p, given: Any = drafted) -> tuple[int, ...]:
            return tuple(RULES["chain"].verify(p, given, AcceptAgain(path)))

        got = law(run)
        r, left = min(F(1), p[0, x] / q[0, x]), probs.residual(p[0], q[0])
        for z in range(3):
            assert got.get((z,), 0) == overlap(left, z, r), (x, y, z)


def overlap(weights: probs.Probs, y: int, above: F) -> F:
    """How much of [above, 1) the inverse cdf of weights sends to y."""
    if not weights.any():
        return F(0)
    lo, hi = (sum(weights[:n], F(0)) / sum(weights) for n in (y, y + 1))
    return max(F(0), hi - max(lo, above))


def played(engine: Callable[[StandIn], list[int]]) -> exact.Law:
    return law(lambda path: tuple(engine(StandIn(path))))


@st.composite
def dyadic_rows(draw: st.DrawFn, vocab: int) -> Any:
    cut = st.integers(0, 64)
    cuts = draw(st.lists(cut, min_size=vocab - 1, max_size=vocab - 1))
    return np.diff([0, *sorted(cuts), 64]) / 64


@pytest.mark.distribution
@given(st.data())
def test_a_right_engine_keeps_the_target_on_dyadic_rows(data: st.DataObject) -> None:
    vocab = data.draw(st.integers(2, 4))
    p = np.array([data.draw(dyadic_rows(vocab)) for _ in range(2)])
    q = data.draw(dyadic_rows(vocab))[None]
    emitted: exact.Law = defaultdict(F)
    for x in np.flatnonzero(q[0]).tolist():
        engine = partial(scaled, p, q, [x])
        for tokens, share in played(engine).items():
            emitted[tokens] += F(q[0, x]) * share
    first, second = (np.array([F(w) for w in row], dtype=object) for row in p)
    rows = {0: first, 1: second}
    truth = exact.completed({(): F(1)}, lambda prefix: rows[len(prefix)], 2)
    assert exact.distance(exact.completed(emitted, lambda _: second, 2), truth) == 0
