"""Vectors drawn at random: dyadic ones, exact in all floats, and ones with margin."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import ceil
from typing import NamedTuple

import numpy as np

from specsim.oracle.vectors import derive
from specsim.oracle.vectors.derive import Answer
from specsim.oracle.vectors.luck import Luck
from specsim.oracle.vectors.vector import Rows, Step, Vector
from specsim.oracle.worlds import Branching
from specsim.rules import Rule, Shape
from specsim.seam import probs, proposal, randomness, table

GRAIN = 64
"""Rows and thresholds of dyadic vectors are multiples of 1 / GRAIN."""
MARGIN = Fraction(1, 2**14)
"""How far the others' coins keep from every threshold: twenty times what the order of
summation can move one in float32.
"""
TRIES, PATIENCE = 3000, 50
"""To find a fit step at all; to find one whose block has the length wanted."""

CHAINS: tuple[Branching, ...] = (1,), (1, 1), (1, 1, 1), (1, 1, 1, 1)
TREES: tuple[Branching, ...] = (2,), (1, 1), (3,), (2, 1), (1, 2), (2, 2), (3, 1, 1)
PATHS: tuple[Branching, ...] = (2,), (1, 1), (3,), (2, 1), (3, 1), (2, 1, 1)
SHAPES: dict[Shape, tuple[Branching, ...]]
SHAPES = {"chain": CHAINS, "tree": TREES, "paths": PATHS}
Weights = Callable[[Luck, int], list[int]]


class Recipe(NamedTuple):
    """How a class of vectors is drawn.

    copies: vectors of each rule; over: coins are odd multiples of 1 / (2 over); gap:
    how near a threshold they are put; bits: of the floats in which they must come out;
    fit: what a step must keep to.
    """

    name: str
    copies: int
    vocabularies: tuple[int, ...]
    target: Weights
    drafter: Weights
    over: int
    gap: Fraction
    bits: int
    fit: Callable[[Step, Answer], bool]


def drawn(rule: Rule) -> list[Vector]:
    """The dyadic vectors of a rule, then those with a margin."""
    return [first(rule, n, recipe) for recipe in RECIPES for n in range(recipe.copies)]


def first(rule: Rule, n: int, recipe: Recipe) -> Vector:
    """The first fit step whose block has the length wanted; else any fit one.

    Two in three have their coins put as near to the thresholds as the recipe allows: a
    threshold that is a little off then shows.
    """
    luck = Luck(recipe.name, rule.name, n)
    shapes = SHAPES[rule.shape]
    branching = shapes[n % len(shapes)]
    kind = rule.kinds[n // len(shapes) % len(rule.kinds)]
    wanted = 1 + luck.below(len(branching) + 1)
    spare: tuple[Step, Answer] | None = None
    for tried in range(TRIES):
        made = step(rule, kind, branching, recipe, n, luck)
        answer = derive.by_replay(made)
        if answer and recipe.fit(made, answer):
            spare = made, answer
            if len(answer.block) == wanted:
                break
        if spare and tried >= PATIENCE:
            break
    if spare is None:
        raise RuntimeError(f"{TRIES} tries gave no {recipe.name} vector of {rule.name}")
    made, answer = tight(*spare, recipe, luck) if n % 3 else spare
    return Vector.of(
        made,
        recipe.name,
        blocks=(answer.block,),
        margin=answer.margin,
        bits=recipe.bits,
    )


def tight(
    made: Step, answer: Answer, recipe: Recipe, luck: Luck
) -> tuple[Step, Answer]:
    """The same path, each coin `gap` away from an end of the interval it lies in."""
    coins = {"accept": list(made.accept), "sample": list(made.sample)}
    for (purpose, index), asked in answer.asked.items():
        low, high = asked.within
        ends = [low + recipe.gap] * (low > 0) + [high - recipe.gap] * (high < 1)
        if ends:
            near = odd(luck.pick(ends), recipe.over)
            if low < near < high:
                coins[purpose][index] = near
    closer = replace(made, accept=tuple(coins["accept"]), sample=tuple(coins["sample"]))
    again = derive.by_replay(closer)
    if again and again.block == answer.block and recipe.fit(closer, again):
        return closer, again
    return made, answer


def odd(x: Fraction, over: int) -> Fraction:
    """The odd multiple of 1 / (2 over) at x, or just above."""
    return Fraction(2 * ceil(x * over - Fraction(1, 2)) + 1, 2 * over)


def step(
    rule: Rule,
    kind: proposal.Kind,
    branching: Branching,
    recipe: Recipe,
    n: int,
    luck: Luck,
) -> Step:
    """One draft from random rows, scored by random rows, with random coins and times.

    Where there are races the target's rows are drawn like the drafter's: what divides a
    dyadic time has to be a power of two.
    """
    vocab = recipe.vocabularies[n % len(recipe.vocabularies)]
    vocab = min(vocab, rule.most_words or vocab)
    target = recipe.drafter if rule.races else recipe.target
    run: dict[int, list[Fraction]] = defaultdict(list)

    def times(d: int, n: int) -> probs.Probs:
        run[d] += [luck.coin(recipe.over) for _ in range(n - len(run[d]))]
        return np.array(run[d][:n], dtype=object)

    coins = randomness.Uniforms(lambda coin: luck.coin(2**15), times)
    drafted = proposal.draft(_rows(recipe.drafter, vocab, luck), branching, coins, kind)
    p = proposal.score(_rows(target, vocab, luck), drafted)
    count = len(drafted.tokens)
    return Step(
        rule=rule.name,
        kind=kind,
        vocab=vocab,
        target=Rows.of(p),
        draft=None if drafted.q is None else Rows.of(drafted.q),
        tokens=tuple(drafted.tokens),
        parents=tuple(drafted.parents),
        accept=tuple(luck.coin(recipe.over) for _ in range(count)),
        sample=tuple(luck.coin(recipe.over) for _ in range(count + 1)),
        race=tuple(
            tuple(times(d, rule.races * vocab))
            for d in range(count + 1 if rule.races else 0)
        ),
    )


def _rows(weights: Weights, vocab: int, luck: Luck) -> proposal.Rows:
    """A model whose row after a prefix is made when it is first asked for."""
    made: dict[tuple[int, ...], list[int]] = {}

    def rows(prefix: tuple[int, ...]) -> probs.Probs:
        return table.row(made.setdefault(prefix, weights(luck, vocab)))

    return rows


def exact(made: Step, answer: Answer) -> bool:
    """Is every number on the way a multiple of 1 / 64, every mass a power of two, and
    does 16-bit arithmetic see the very same margin?
    """
    asked = answer.asked.values()
    if answer.margin < Fraction(1, GRAIN):
        return False
    if not all(_power_of_two(one.mass) for one in asked):
        return False
    if any(GRAIN % t.denominator for one in asked for t in one.cdf):
        return False
    if any(GRAIN % over for over in (*made.target.over, *_over(made.draft))):
        return False
    return derive.by_floats(made, 11) == (answer.block, answer.margin)


def clear(made: Step, answer: Answer) -> bool:
    return answer.margin >= MARGIN


def _over(rows: Rows | None) -> tuple[int, ...]:
    return rows.over if rows else ()


def _power_of_two(x: Fraction) -> bool:
    return all(n & (n - 1) == 0 for n in (x.numerator, x.denominator))


def _binary(luck: Luck, vocab: int) -> list[int]:
    return luck.parts(luck.pick((16, 32, GRAIN)), vocab)


def _halves(luck: Luck, vocab: int) -> list[int]:
    return luck.halves(16, vocab)


def _any(luck: Luck, vocab: int) -> list[int]:
    made = luck.parts(luck.pick((97, 499, 997)), vocab)
    made[luck.below(2)] += luck.pick((0, 500))  # or wide rows would never agree
    return made


RECIPES = [
    Recipe(
        "dyadic",
        32,
        (2, 3, 4, 5, 6),
        _binary,
        _halves,
        GRAIN,
        Fraction(3, 2 * GRAIN),
        derive.NARROW,
        exact,
    ),
    Recipe(
        "margin",
        18,
        (3, 8, 5, 64, 16, 32),
        _any,
        _any,
        2**19,
        2 * MARGIN,
        derive.SINGLE,
        clear,
    ),
]
