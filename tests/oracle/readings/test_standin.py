import copy
import math
from collections.abc import Callable
from fractions import Fraction as F
from functools import partial
from typing import Any

import numpy as np
import pytest

from specsim.oracle import exact
from specsim.oracle.readings.cells import Unfollowable
from specsim.oracle.readings.standin import StandIn, coins
from specsim.oracle.readings.symbolic import Path, law
from specsim.rules import RULES
from tests.oracle.readings import foreign
from tests.oracle.readings.cases import Case, cases, chain
from tests.oracle.readings.foreign import Engine

WORLDS = {"short": chain(3, 1), "long": chain(3, 3, seed=5), "wide": chain(4, 2)}


def law_of(engine: Engine, case: Case) -> exact.Law:
    return law(lambda path: tuple(engine(case.p, case.q, case.tokens, StandIn(path))))


@pytest.mark.distribution
@pytest.mark.parametrize("world", WORLDS)
def test_exact_arithmetic_gives_the_exact_law(world: str) -> None:
    for case in cases(WORLDS[world]):
        assert law_of(foreign.scaled, case) == case.want


@pytest.mark.distribution
@pytest.mark.parametrize("engine", foreign.RIGHT, ids=lambda engine: engine.__name__)
def test_every_hand_follows_the_chain_rule(engine: Engine) -> None:
    tolerance = 1e-7 if engine is foreign.single else 1e-15
    for case in cases(chain(3, 2)):
        assert exact.distance(law_of(engine, case), case.want) < tolerance


@pytest.mark.distribution
@pytest.mark.parametrize(
    ("engine", "name"),
    [(foreign.block, "block"), (foreign.sampler_match, "sampler_match")],
)
def test_other_rules_are_followed(engine: Engine, name: str) -> None:
    for case in cases(chain(3, 3), RULES[name]):
        assert exact.distance(law_of(engine, case), case.want) < 1e-15


@pytest.mark.distribution
def test_coin_mode_is_followed() -> None:
    for case in cases(chain(4, 2)):
        engine = partial(foreign.from_coins, case.p, case.q, case.tokens)

        def run(path: Path, engine: Any = engine) -> tuple[int, ...]:
            return tuple(engine(*coins(path, 2)))

        assert exact.distance(law(run), case.want) < 1e-15


def test_the_law_of_a_reused_uniform() -> None:
    for case in cases(chain(3, 1)):
        p, q = ([F(w) for w in row] for row in (case.p[0], case.q[0]))
        x = case.tokens[0]
        ratio = min(F(1), p[x] / q[x])
        left = [max(F(0), a - b) for a, b in zip(p, q, strict=True)]
        got, below = law_of(foreign.reusing_accept, case), F(0)
        for y, w in enumerate(left):
            share = w / sum(left)
            seen = max(F(0), below + share - max(below, ratio))
            assert got.get((y,), F(0)) == seen
            below += share


def test_the_law_of_one_uniform_for_all() -> None:
    for case in cases(chain(3, 2)):
        p, q = ([list(map(F, row)) for row in rows] for rows in (case.p, case.q))
        (x, y), got = case.tokens, law_of(foreign.one_for_all, case)
        one = min(F(1), p[0][x] / q[0][x])
        both = min(one, p[1][y] / q[1][y])
        lengths = [sum(w for b, w in got.items() if len(b) == n) for n in (1, 2, 3)]
        assert lengths == [1 - one, one - both, both]
        for z in range(3):
            assert got.get((x, y, z), F(0)) == both * p[2][z]


def coarsely_below(t: float, path: Path) -> bool:
    return int(path.uniform() * 100) / 100 < t


def test_a_coarse_uniform_shows() -> None:
    for ratio in (0.125, 0.5, 0.995):
        got = law(partial(coarsely_below, ratio))
        assert got.get(True) == F(math.ceil(ratio * 100), 100)


DRAWS: dict[str, Callable[[StandIn], Any]] = {
    "choice": lambda rng: rng.choice(3, p=[0.25, 0.5, 0.25]),
    "choice of one": lambda rng: rng.choice([0, 1, 2], 1, p=[0.25, 0.5, 0.25])[0],
    "choice without p": lambda rng: rng.choice([0, 1, 1, 2]),
    "multinomial": lambda rng: rng.multinomial(1, [0.25, 0.5, 0.25]).argmax(),
    "multinomial rows": lambda rng: rng.multinomial(
        1, [[0, 1, 0], [0.25, 0.5, 0.25]]
    ).argmax(-1)[1],
    "integers": lambda rng: (0, 1, 1, 2)[rng.integers(4)],
    "endpoint": lambda rng: (0, 1, 1, 2)[rng.integers(1, 4, endpoint=True) - 1],
    "binomial": lambda rng: rng.binomial(1, [0.5, 0.5]).sum(),
    "uniform": lambda rng: (rng.uniform(-1, 1, (2, 1)) < 0).sum(),
    "children": lambda rng: sum(bool(r.random() < 0.5) for r in rng.spawn(2)),
    "scaled exponential": lambda rng: rng.exponential([4.0, 2.0, 4.0]).argmin(),
    "shape of nothing": lambda rng: (rng.random(()) >= np.array([0.25, 0.75])).sum(),
}


@pytest.mark.parametrize("name", DRAWS)
def test_draws_are_made_of_uniforms(name: str) -> None:
    got = law(lambda path: int(DRAWS[name](StandIn(path))))
    assert got == {0: F(1, 4), 1: F(1, 2), 2: F(1, 4)}


def test_rows_that_do_not_quite_sum_to_one() -> None:
    short = law(lambda path: int(StandIn(path).choice(2, p=[0.5, 0.5 - 1e-9])))
    assert short.keys() == {0, 1}
    rest = law(lambda path: int(StandIn(path).multinomial(1, [0.25, 0.5]).argmax()))
    assert rest == {0: F(1, 4), 1: F(3, 4)}


def test_it_passes_for_a_generator() -> None:
    def run(path: Path) -> tuple[bool, ...]:
        rng = StandIn(path)
        assert "StandIn" in f"{rng} {rng!r}"
        return isinstance(rng, np.random.Generator), np.random.default_rng(rng) is rng

    assert law(run) == {(True, True): F(1)}


def test_numpy_complains_as_ever() -> None:
    with pytest.raises(ValueError, match="sum to 1"):
        law(lambda path: int(StandIn(path).choice(2, p=[0.5, 0.25])))
    with pytest.raises(ValueError, match="high <= 0"):
        law(lambda path: int(StandIn(path).integers(0)))


REFUSED: dict[str, Callable[[Any], object]] = {
    "normal": lambda rng: rng.normal(),
    "permutation": lambda rng: rng.permutation(3),
    "bits": lambda rng: rng.bit_generator,
    "copy": copy.deepcopy,
    "multinomial": lambda rng: rng.multinomial(2, [0.5, 0.5]),
    "binomial": lambda rng: rng.binomial(2, 0.5),
    "without replacement": lambda rng: rng.choice(3, 2, replace=False),
    "out": lambda rng: rng.random(out=np.empty(2)),
    "float32": lambda rng: rng.random(dtype=np.float32),
    "a seed": lambda rng: rng.integers(2**31),
}


@pytest.mark.parametrize("name", REFUSED)
def test_all_else_is_refused(name: str) -> None:
    with pytest.raises(Unfollowable):
        law(lambda path: REFUSED[name](StandIn(path)) is None)
