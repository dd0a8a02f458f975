"""The exact law of what a rule emits, against the target's."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator
from fractions import Fraction
from typing import NamedTuple, Protocol, TypeVar

from specsim.oracle.worlds import World, chains
from specsim.rules import Losslessness, Verify
from specsim.seam import proposal, randomness

Tokens = tuple[int, ...]
Law = dict[Tokens, Fraction]
H = TypeVar("H", bound=Hashable)


class Reading(Protocol):
    """How a law is read off code that asks a Source: `randomness.law`, or a wider
    one.
    """

    def __call__(
        self, run: Callable[[randomness.Source], H], /
    ) -> dict[H, Fraction]: ...


class Drafted(NamedTuple):
    """One draft, its odds, and the law of the block that the rule makes of it."""

    tokens: Tokens
    odds: Fraction
    block: Law


def drafts(
    verify: Verify, world: World, law: Reading = randomness.law
) -> Iterator[Drafted]:
    """Every draft there is, each with the exact law of what is emitted given it."""
    if world.kind == "coupled":
        yield from _jointly(verify, world, law)
        return
    for proposed, odds in randomness.branches(world.draft):
        p = proposal.score(world.target, proposed)

        def run(
            source: randomness.Source, p: object = p, given: object = proposed
        ) -> Tokens:
            return tuple(verify(p, given, source))  # type: ignore[arg-type]

        yield Drafted(tuple(proposed.tokens), odds, law(run))


def _jointly(verify: Verify, world: World, law: Reading) -> Iterator[Drafted]:
    """The same where both may read one race: drafter and rule in one run, the law of
    the block being conditioned on the draft.
    """

    def run(source: randomness.Source) -> tuple[Tokens, Tokens]:
        proposed = world.draft(source)
        p = proposal.score(world.target, proposed)
        return tuple(proposed.tokens), tuple(verify(p, proposed, source))

    blocks: dict[Tokens, Law] = defaultdict(dict)
    for (tokens, block), share in law(run).items():
        blocks[tokens][block] = share
    for tokens, given in blocks.items():
        odds = sum(given.values(), Fraction())
        yield Drafted(tokens, odds, {x: share / odds for x, share in given.items()})


def mixed(drafted: Iterator[Drafted] | list[Drafted]) -> Law:
    """The law of the emitted block, averaged over the drafts."""
    law: Law = defaultdict(Fraction)
    for _, odds, block in drafted:
        for tokens, share in block.items():
            law[tokens] += odds * share
    return dict(law)


def emitted(verify: Verify, world: World, law: Reading = randomness.law) -> Law:
    """The exact law of one step's block, of 1 to depth + 1 tokens."""
    return mixed(drafts(verify, world, law))


def completed(law: Law, target: proposal.Rows, length: int) -> Law:
    """Shorter blocks continued by the target, longer ones cut; no branching."""
    done: Law = defaultdict(Fraction)
    pending = list(law.items())
    while pending:
        block, odds = pending.pop()
        if len(block) >= length:
            done[block[:length]] += odds
        else:
            row = target(block)
            pending += [((*block, x), odds * w) for x, w in enumerate(row) if w]
    return dict(done)


def distance(a: Law, b: Law) -> Fraction:
    """Total variation."""
    gaps = (abs(a.get(k, Fraction()) - b.get(k, Fraction())) for k in a | b)
    return sum(gaps, Fraction()) / 2


def bias(
    verify: Verify,
    world: World,
    losslessness: Losslessness = "marginal",
    law: Reading = randomness.law,
) -> Fraction:
    """Total variation between what is emitted, completed, and the target's own law.

    Where each fixed draft must keep the law (pathwise, conditional) the worst draft
    counts, otherwise the average over the draft's own law. No coupled draft is fixed:
    it knows of the races what the rule will read.
    """
    length = len(world.branching) + 1
    truth = completed({(): Fraction(1)}, world.truth, length)

    def gap(block: Law) -> Fraction:
        return distance(completed(block, world.truth, length), truth)

    every = drafts(verify, world, law)
    firm = losslessness in ("pathwise", "conditional")
    if firm and world.kind != "coupled":
        return max(gap(drafted.block) for drafted in every)
    return gap(mixed(every))


def figure(odds: Fraction) -> str:
    """A fraction where it is short enough to read, else a decimal."""
    return str(odds) if odds.denominator < 10**6 else f"{float(odds):.6g}"


class Gap(NamedTuple):
    """A context in which the emitted token does not have the target's odds."""

    prefix: Tokens
    token: int
    want: Fraction
    got: Fraction

    @property
    def size(self) -> Fraction:
        """Relative to what is wanted; absolute odds below 2**-40 count as 2**-40."""
        return abs(self.got - self.want) / max(self.want, Fraction(1, 2**40))


def conditionals(law: Law) -> dict[Tokens, dict[int, Fraction]]:
    """P(token i = y | token i is emitted, the tokens before it), by prefix and y.

    A rule is lossless iff this is the target's row after every prefix it reaches: that
    is equivalent to the completed block having the target's joint law, whatever decides
    how long the block is.
    """
    longer: dict[Tokens, dict[int, Fraction]] = {}
    for block, odds in law.items():
        for i, token in enumerate(block):
            seen = longer.setdefault(block[:i], {})
            seen[token] = seen.get(token, Fraction()) + odds
    return {
        prefix: {x: w / sum(seen.values()) for x, w in sorted(seen.items())}
        for prefix, seen in longer.items()
        if any(seen.values())
    }


def gaps(law: Law, truth: proposal.Rows) -> list[Gap]:
    """Every context where the law departs from `truth`, shortest prefix first."""
    found = [
        Gap(prefix, x, Fraction(want), seen.get(x, Fraction()))
        for prefix, seen in conditionals(law).items()
        for x, want in enumerate(truth(prefix))
        if seen.get(x, Fraction()) != want
    ]
    return sorted(found, key=lambda gap: (len(gap.prefix), -gap.size))


def assert_lossless(verify: Verify, *questions: World) -> None:
    """AssertionError naming the first wrong context, if any of the worlds has one.

    Without worlds: every chain, drawn independently.

    >>> from specsim.rules import RULES
    >>> assert_lossless(RULES["block"].verify)
    """
    for world in questions or chains():
        for gap in gaps(emitted(verify, world), world.truth)[:1]:
            after = f"after {list(gap.prefix)}" if gap.prefix else "at the start"
            raise AssertionError(
                f"{world}: {after} token {gap.token} has odds {gap.got}, not {gap.want}"
            )
