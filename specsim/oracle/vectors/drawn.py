"""Vectors drawn at random: dyadic ones, exact in every float, and ones with a margin."""

from collections.abc import Callable, Iterator
from fractions import Fraction

from specsim.oracle.vectors import derive
from specsim.oracle.vectors.derive import Answer
from specsim.oracle.vectors.luck import Luck
from specsim.oracle.vectors.vector import Rows, Step, Vector
from specsim.oracle.worlds import Branching
from specsim.rules import Rule
from specsim.seam import proposal, randomness, table

GRAIN = 64
"""Rows and thresholds of dyadic vectors are multiples of 1 / GRAIN."""
CLEAR = Fraction(1, GRAIN)
"""How far their coins keep from every threshold."""
MARGIN = Fraction(1, 2**14)
"""How far the others' coins keep: twenty times what float32 moves a threshold."""
DYADIC, MARGINAL = 40, 24
"""Vectors of each class for a rule."""
TRIES = 3000

CHAINS: tuple[Branching, ...] = (1,), (1, 1), (1, 1, 1), (1, 1, 1, 1)
TREES: tuple[Branching, ...] = (2,), (1, 1), (3,), (2, 1), (1, 2), (2, 2), (3, 1, 1)
Weights = Callable[[Luck, int], list[int]]


def dyadic(rule: Rule) -> Iterator[Vector]:
    """Steps on which all arithmetic is exact, in any order, in 8 significand bits."""

    def target(luck: Luck, vocab: int) -> list[int]:
        return luck.parts(luck.pick((16, 32, GRAIN)), vocab)

    def drafter(luck: Luck, vocab: int) -> list[int]:
        return luck.halves(16, vocab)

    for n in range(DYADIC):
        luck = Luck("dyadic", rule.name, n)
        vocab = 2 + n % 5
        yield _first(rule, n, luck, vocab, target, drafter, "dyadic")


def marginal(rule: Rule) -> Iterator[Vector]:
    """Arbitrary rows of up to 64 words, each coin well off every threshold it meets."""

    def weights(luck: Luck, vocab: int) -> list[int]:
        return luck.parts(luck.pick((97, 499, 997)), vocab)

    for n in range(MARGINAL):
        luck = Luck("margin", rule.name, n)
        vocab = (3, 8, 5, 64, 16, 32)[n % 6]
        yield _first(rule, n, luck, vocab, weights, weights, "margin")


def _first(
    rule: Rule,
    n: int,
    luck: Luck,
    vocab: int,
    target: Weights,
    drafter: Weights,
    class_: str,
) -> Vector:
    """The first fit step whose block has the length wanted; else any fit one."""
    shapes = TREES if rule.tree else CHAINS
    branching, kind = shapes[n % len(shapes)], rule.accepts[n % len(rule.accepts)]
    wanted = 1 + luck.below(len(branching) + 1)
    over, fit, bits = (
        (GRAIN, exact, derive.NARROW) if class_ == "dyadic" else (2**15, clear, 24)
    )
    spare: Vector | None = None
    for _ in range(TRIES):
        made = step(rule, kind, vocab, branching, target, drafter, luck, over)
        answer = derive.by_replay(made)
        if answer and fit(made, answer):
            spare = Vector(class_, made, (answer.block,), answer.margin, bits)
            if len(answer.block) == wanted:
                break
    if spare is None:
        raise RuntimeError(f"no {class_} vector {n} of {rule.name} after {TRIES} tries")
    return spare


def step(
    rule: Rule,
    kind: proposal.Kind,
    vocab: int,
    branching: Branching,
    target: Weights,
    drafter: Weights,
    luck: Luck,
    over: int,
) -> Step:
    """One draft from random rows, scored by random rows, with coins of 1 / (2 over)."""
    coins = randomness.Uniforms(lambda coin: luck.coin())
    drafted = proposal.draft(_rows(drafter, vocab, luck), branching, coins, kind)
    p = proposal.score(_rows(target, vocab, luck), drafted)
    count = len(drafted.tokens)
    return Step(
        rule=rule.name,
        kind=kind,
        vocab=vocab,
        p=Rows.of(p),
        q=None if drafted.q is None else Rows.of(drafted.q),
        tokens=tuple(drafted.tokens),
        parents=tuple(drafted.parents),
        accept=tuple(luck.coin(over) for _ in range(count)),
        sample=tuple(luck.coin(over) for _ in range(count + 1)),
    )


def _rows(weights: Weights, vocab: int, luck: Luck) -> proposal.Rows:
    """A model whose row after a prefix is made when it is first asked for."""
    made: dict[tuple[int, ...], list[int]] = {}

    def rows(prefix: tuple[int, ...]) -> "table.Probs":
        return table.row(made.setdefault(prefix, weights(luck, vocab)))

    return rows


def exact(made: Step, answer: Answer) -> bool:
    """Is every number on the way a multiple of 1 / 64, every mass a power of two, and
    does 16-bit arithmetic see the very same margin?
    """
    asked = answer.asked.values()
    if answer.margin < CLEAR or not all(_power_of_two(one.mass) for one in asked):
        return False
    if any(GRAIN % t.denominator for one in asked for t in one.thresholds):
        return False
    if any(GRAIN % x.denominator for rows in (made.p, made.q) if rows for x in _all(rows)):
        return False
    return derive.by_floats(made, 11) == (answer.block, answer.margin)


def clear(made: Step, answer: Answer) -> bool:
    return answer.margin >= MARGIN


def _all(rows: Rows) -> list[Fraction]:
    return [x for row in rows.fractions for x in row]


def _power_of_two(x: Fraction) -> bool:
    return all(n & (n - 1) == 0 for n in (x.numerator, x.denominator))
