"""How lossy is a lossy rule? Exactly, in worlds that can be enumerated."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

from specsim.oracle import exact
from specsim.oracle.worlds import World


class Certificate(NamedTuple):
    """What a rule emits in a world, continued by the target, against the target's own.

    The target is that of the world's rows, also where a rule draws none of its tokens.

    law:    the odds of each block of depth + 1 tokens.
    tv:     total variation from the target.
    ratio:  how many times likelier than it should be the most favoured block is, of
            those that the target allows.
    beyond: the odds of blocks that the target does not allow.
    """

    world: str
    law: exact.Law
    tv: Fraction
    ratio: Fraction
    beyond: Fraction


def certify(
    verify: Callable[..., list[int]], world: World, **options: Any
) -> Certificate:
    """The exact law of a rule with these options, averaged over the draft's own.

    Where a rule decides by logarithms or exponentials, floats say what is kept, and the
    odds are those of the rows and coins: the law is a law of Fractions all the same.

    >>> from specsim.oracle.worlds import chains
    >>> from specsim.rules import RULES
    >>> plain = next(chains())
    >>> certify(RULES["lenience"].verify, plain).tv
    Fraction(1, 3)
    >>> certify(RULES["lenience"].verify, plain, lenience=1).tv
    Fraction(0, 1)
    """
    length = len(world.branching) + 1
    truth = exact.completed({(): Fraction(1)}, world.target, length)
    emitted = exact.emitted(partial(verify, **options), world)
    law = exact.completed(emitted, world.target, length)
    return Certificate(
        str(world),
        law,
        exact.distance(law, truth),
        max(law.get(block, Fraction()) / odds for block, odds in truth.items()),
        sum((odds for block, odds in law.items() if block not in truth), Fraction()),
    )


class Worst(NamedTuple):
    """The worlds in which a rule is worst, by each measure."""

    tv: Certificate
    ratio: Certificate
    beyond: Certificate

    def as_dict(self) -> dict[str, dict[str, str]]:
        """Each measure as a fraction, and the world it is reached in."""
        return {
            measure: {
                measure: str(getattr(certificate, measure)),
                "world": certificate.world,
            }
            for measure, certificate in self._asdict().items()
        }

    def __str__(self) -> str:
        tv, ratio, beyond = self
        said = [
            f"TV {exact.figure(tv.tv)} in {tv.world}",
            f"a block {exact.figure(ratio.ratio)} times too likely in {ratio.world}",
            f"{exact.figure(beyond.beyond)} on forbidden blocks in {beyond.world}",
        ]
        return ", ".join(said if beyond.beyond else said[:2])


def worst(certificates: Iterable[Certificate]) -> Worst:
    """The first of the worst, by each measure."""
    every = list(certificates)
    return Worst(
        max(every, key=lambda certificate: certificate.tv),
        max(every, key=lambda certificate: certificate.ratio),
        max(every, key=lambda certificate: certificate.beyond),
    )
