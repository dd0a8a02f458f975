"""Worlds for foreign engines: binary fractions, on which float arithmetic is exact.

Entries of q are powers of two and residuals weigh a power of two, so ratios, residuals,
their normalisation and running sums are exact in 16-bit floats and wider: a right
token-by-token verifier keeps the target's law to the last bit, and whatever departs
from it departs because of its algebra.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any, Literal

import numpy as np

from specsim.oracle.engines.contract import Call
from specsim.oracle.worlds import Branching, World
from specsim.seam import probs, proposal, randomness, table

GRAIN = 16
"""Entries of p are multiples of 1 / GRAIN."""
ENOUGH = {"smoke": 8, "quick": 32, "full": 78, "nightly": 156}
"""Worlds by budget."""
Size = tuple[int, Branching]
"""Vocabulary and shape of the draft."""
Sort = tuple[Size, proposal.Kind | Literal["certain"]]
"""A size, and how siblings come about; a certain chain has one-hot rows of q."""
CORE: list[Sort] = [
    ((2, (1, 1)), "iid"),
    ((2, (1, 1, 1)), "iid"),
    ((4, (1, 1)), "certain"),
    ((3, (1,)), "iid"),
    ((6, (1,)), "certain"),
    ((3, (1, 1)), "certain"),
]
MORE: list[Sort] = [
    ((3, (1, 1)), "iid"),
    ((2, (1, 1, 1)), "certain"),
    ((4, (1, 1)), "iid"),
    ((6, (1,)), "iid"),
    ((2, (1,) * 5), "iid"),
    ((3, (1, 1, 1)), "iid"),
    ((2, (1,) * 5), "certain"),
]
LARGE: list[Size]
LARGE = [(8, (1,)), (5, (1, 1)), (2, (1,) * 6), (3, (1,) * 4), (12, (1,))]


def fitting(operation: str, budget: str, offer: Mapping[str, Any]) -> list[World]:
    """What an engine is asked that offers this, its `hello`; what it asks for itself
    comes right after the core.
    """
    if operation == "verify_tree":
        every = trees(budget, tuple(offer["kinds"]))
    else:
        every = chains(budget)
    first = core(operation)
    return [*every[:first], *extras(offer["accepts"]), *every[first:]]


def chains(budget: str = "quick") -> list[World]:
    """Worlds for `verify`: the `core` first, which a slow engine must get through."""
    sorts = [*CORE, *MORE]
    if budget in ("full", "nightly"):
        sorts += [(size, "iid") for size in LARGE]
    return [*named(), *tables(sorts, ENOUGH[budget])]


def extras(accepts: Sequence[str]) -> Iterator[World]:
    """Worlds that are only for engines that ask for them: no q, no draft."""
    target, drafter = binary(0, 3, True)
    if "q_none" in accepts:
        yield World("no-q", 3, target, drafter, (1, 1), "fixed")
    if "k0" in accepts:
        yield World("no-draft", 3, target, drafter, ())


def core(operation: str) -> int:
    """How many worlds, the first ones, are the least that a verdict rests on."""
    return len(list(named())) + len(CORE) if operation == "verify" else 6


def trees(budget: str = "quick", kinds: tuple[proposal.Kind, ...] = ()) -> list[World]:
    """Worlds for `verify_tree`, with siblings of each kind."""
    sizes: list[Size] = [(2, (2,)), (3, (2,)), (3, (1, 1))]
    sizes += [(3, (2, 1)), (4, (3,)), (2, (2, 2))]
    every = kinds or ("iid", "without_replacement", "fixed")
    return tables([(size, kind) for kind in every for size in sizes], ENOUGH[budget])


def named() -> Iterator[World]:
    """Worlds made for one sort of fault each."""
    c = table.constant
    tiny = 2**30
    pairs = {
        "certain-target": (2, c([0, 1], [1, 0]), c([1, 1])),
        "equal": (2, c([1, 3], [1, 1]), c([1, 3])),
        "disjoint": (3, c([1, 1, 0], [0, 1, 1]), c([0, 0, 1])),
        "zero-in-target": (3, c([1, 0, 1], [1, 1, 2]), c([1, 1, 2])),
        "tiny": (
            3,
            c([4, 3 * tiny - 4, tiny], [1, 1, 2]),
            c([4, 2 * tiny - 4, 2 * tiny]),
        ),
        "faint": (
            4,
            c([1536, 1520, 1032, 8], [4092, 2, 1, 1]),
            c([2048, 1024, 1024, 0]),
        ),
        "close": (3, c([65, 63, 128], [1, 1, 2]), c([64, 64, 128])),
        "elevenths": (3, c([5, 3, 3], [1, 7, 3]), c([3, 5, 3])),
    }
    for name, (vocab, target, drafter) in pairs.items():
        yield World(name, vocab, target, drafter, (1,))
    target = turning([4, 6, 6], [7, 4, 5], [5, 3, 8])
    yield World("turning", 3, target, turning([8, 4, 4], [4, 8, 4]), (1, 1))
    yield long(8)


def turning(*rows: Sequence[int]) -> proposal.Rows:
    """Row d after d tokens, turned by their sum: a wrong level or prefix shows."""
    upright = table.constant(*rows)
    return lambda prefix: np.roll(upright(prefix), sum(prefix))


def long(k: int) -> World:
    """A long draft of two words with few ways to go: both models are certain but for
    the middle, where only the drafter is, the last token and what comes after.
    """
    sure = [[1, 0], [0, 1]] * k
    p, q = sure[: k + 1], sure[:k]
    p[k // 2] = [1, 1]
    p[k - 1], q[k - 1] = [1, 3], [1, 1]
    p[k] = [3, 1]
    return World("long", 2, table.constant(*p), table.constant(*q), (1,) * k)


def tables(sorts: Sequence[Sort], count: int) -> list[World]:
    """`count` worlds of random rows, each sort in turn."""
    made = []
    for seed in range(count):
        (vocab, branching), kind = sorts[seed % len(sorts)]
        target, drafter = binary(seed, vocab, kind == "certain")
        drawn: proposal.Kind = "iid" if kind == "certain" else kind
        made.append(World(f"binary-{seed}", vocab, target, drafter, branching, drawn))
    return made


def binary(seed: int, vocab: int, certain: bool) -> tuple[proposal.Rows, proposal.Rows]:
    """A target and a drafter whose rows change with the prefix, zeros among them.

    certain: the drafter's rows are one-hot.
    """

    @cache
    def pair(prefix: tuple[int, ...]) -> tuple[probs.Probs, probs.Probs]:
        rng = np.random.default_rng([seed, vocab, *prefix])
        weights = np.eye(vocab)[rng.integers(vocab)] if certain else halves(rng, vocab)
        q = table.row(weights)
        while True:
            p = table.row(rng.multinomial(GRAIN, rng.dirichlet(np.ones(vocab))))
            mass = Fraction(probs.residual(p, q).sum())
            if mass.numerator in (0, 1):
                return p, q

    return lambda prefix: pair(prefix)[0], lambda prefix: pair(prefix)[1]


def halves(rng: np.random.Generator, vocab: int) -> list[int]:
    """A row of powers of two over eighths: one split again and again, then shuffled."""
    parts = [8]
    for _ in range(rng.integers(1, vocab)):
        parts.sort()
        if parts[-1] > 1:
            parts += [parts.pop() // 2] * 2
    weights = parts + [0] * (vocab - len(parts))
    return [int(w) for w in rng.permutation(weights)]


def is_binary(world: World) -> bool:
    """Whether floats hold the rows of the world exactly."""
    rows = [*world.target(()), *world.drafter(())]
    return all(w.denominator & (w.denominator - 1) == 0 for w in rows)


def calls(world: World, operation: str) -> tuple[list[Call], list[Fraction]]:
    """What an engine is asked in a world: every draft there is, and its odds."""
    made, odds = [], []
    for drafted, share in randomness.branches(world.draft):
        made.append(call(world, drafted, operation))
        odds.append(share)
    return made, odds


def call(world: World, drafted: proposal.Proposal, operation: str) -> Call:
    """One draft of a world."""
    return asked(proposal.score(world.target, drafted), drafted, operation)


def asked(p: probs.Probs, drafted: proposal.Proposal, operation: str) -> Call:
    """A proposal and the target's rows as floats; a fixed tree with one-hot rows."""
    q = drafted.q
    if q is None and operation == "verify_tree":
        q = np.array([probs.one_hot(x, p[0]) for x in drafted.tokens], dtype=object)
    return Call(
        operation,
        p.astype(float).tolist(),
        None if q is None else q.astype(float).tolist(),
        list(drafted.tokens),
        list(drafted.parents),
        drafted.kind,
    )
