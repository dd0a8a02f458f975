"""Metamorphic pairs: a second step whose block is a stated image of the first's.

Three theorems hold for every rule that asks for its coins by name, draws by inverse CDF
and tells tokens apart by nothing but their weights:

* ids of no mass may be put anywhere: no cumulative sum changes but by repetition, and
  no race has another runner;
* ids may be permuted if the times of races are permuted with them and each drawing coin
  is moved with the interval it lay in: where row r's coin was d above the lower end of
  its token's interval, it is now d above that end in the permuted row (an argmax among
  ties is not covered, nor a plan among many that are best);
* coins that were not asked for may have any value.

The second does not hold for an inverse-CDF draw with its coin left alone, so it is not
asserted. That requests of a batch do not touch each other needs no vectors of its own:
any two vectors side by side are such a pair.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate
from typing import TypeVar

from specsim.oracle.vectors import derive
from specsim.oracle.vectors.derive import Answer
from specsim.oracle.vectors.luck import Luck
from specsim.oracle.vectors.vector import Pair, Rows, Step, Tokens, Vector
from specsim.rules import Rule

T = TypeVar("T")
EACH = 5
"""Pairs of each relation for a rule."""
PADDING = 3


def metamorphic(rule: Rule, bases: list[Vector]) -> Iterator[Vector]:
    """For each relation, images of the first vectors that it says something about."""
    for relation, made in (
        ("Padded", padded),
        ("Relabelled", None if rule.most_words else relabelled),
        ("OtherCoins", other_coins),
    ):
        found = 0
        for base in bases:
            answer = derive.by_replay(base)
            image = answer and made and made(base, answer, Luck(relation, base.id))
            if image and found < EACH:
                found += 1
                yield _paired(relation, base, *image)


def _paired(relation: str, base: Vector, step: Step, image: Tokens) -> Vector:
    pair = Pair(relation, base.id, image)
    answer = derive.by_replay(step)
    if answer is None or answer.block != pair(base.blocks[0]):
        raise RuntimeError(f"{relation} is no theorem for {step.rule}: see {base.id}")
    return Vector.of(
        step,
        "metamorphic",
        blocks=(answer.block,),
        margin=answer.margin,
        bits=base.bits,
        flags=(relation,),
        pair=pair,
    )


def padded(step: Step, answer: Answer, luck: Luck) -> tuple[Step, Tokens]:
    """Ids of no mass before, among and after the others."""
    wide = step.vocab + PADDING
    gone = {wide - 1, *(luck.below(wide) for _ in range(PADDING - 1))}
    image = tuple(x for x in range(wide) if x not in gone)[: step.vocab]
    return moved(step, image, wide), image


def relabelled(step: Step, answer: Answer, luck: Luck) -> tuple[Step, Tokens] | None:
    """Ids permuted, each drawing coin moved with its interval; not if argmax ties."""
    greedy = not (answer.asked or step.race)
    if greedy and any(w.count(max(w)) > 1 for w in step.target.weights):
        return None
    image = tuple(luck.shuffled(range(step.vocab)))
    if image == tuple(range(step.vocab)):
        return None
    sample = list(step.sample)
    for (purpose, r), asked in answer.asked.items():
        if purpose == "sample":
            sample[r] += shift(asked.cdf, image, sample[r])
    return replace(moved(step, image, step.vocab), sample=tuple(sample)), image


def shift(cdf: list[Fraction], image: Tokens, u: Fraction) -> Fraction:
    """How far the interval that u lies in moves, when ids move to their `image`."""
    weights = [b - a for a, b in zip([Fraction(0), *cdf], cdf, strict=False)]
    token = next(x for x, c in enumerate(cdf) if u < c)
    after = [weights[image.index(x)] for x in range(len(image))]
    low = [Fraction(0), *accumulate(after)][image[token]]
    return low - (cdf[token] - weights[token])


def other_coins(step: Step, answer: Answer, luck: Luck) -> tuple[Step, Tokens] | None:
    """Every coin that was not asked for, thrown again."""
    over = max(x.denominator for x in (*step.accept, *step.sample)) // 2

    def thrown(purpose: str, coins: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
        kept = (name[1] for name in answer.asked if name[0] == purpose)
        asked = set(kept)
        return tuple(c if i in asked else luck.coin(over) for i, c in enumerate(coins))

    accept, sample = thrown("accept", step.accept), thrown("sample", step.sample)
    if (accept, sample) == (step.accept, step.sample):
        return None
    return replace(step, accept=accept, sample=sample), tuple(range(step.vocab))


def moved(step: Step, image: Tokens, wide: int) -> Step:
    """The same step, token x now called image[x] out of `wide` ids; the others weigh
    nothing, and take no time at all to do so.
    """

    def placed(row: Sequence[T], empty: T) -> tuple[T, ...]:
        made = [empty] * wide
        for x, entry in zip(image, row, strict=True):
            made[x] = entry
        return tuple(made)

    def spread(rows: Rows) -> Rows:
        return Rows(rows.over, tuple(placed(row, 0) for row in rows.weights))

    def run(times: Sequence[Fraction]) -> tuple[Fraction, ...]:
        lists = range(0, len(times), step.vocab)
        made = (placed(times[a : a + step.vocab], Fraction(0)) for a in lists)
        return tuple(time for part in made for time in part)

    return replace(
        step,
        vocab=wide,
        target=spread(step.target),
        draft=step.draft and spread(step.draft),
        tokens=tuple(image[x] for x in step.tokens),
        race=tuple(map(run, step.race)),
    )
