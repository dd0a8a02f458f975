"""One golden vector: what is asked, and what may be answered."""

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cache, cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable
from math import lcm
from typing import Any

import numpy as np

from specsim.errors import Bad
from specsim.rules import RULES, Verify, named
from specsim.seam import probs, proposal, randomness

Kind = proposal.Kind
Proposal = proposal.Proposal
Tokens = tuple[int, ...]
Number = Callable[[Fraction], Any]
CLASSES = "dyadic", "margin", "edge", "metamorphic"


def shipped() -> Traversable:
    """The folder of the files that come with the package."""
    return files("specsim") / "data" / "vectors"


@dataclass(frozen=True)
class Rows:
    """Probabilities (R, V): integer weights, each row over a denominator of its own."""

    over: tuple[int, ...]
    weights: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, rows: Iterable[Iterable[Fraction]]) -> "Rows":
        made = [[Fraction(x) for x in row] for row in rows]
        over = tuple(lcm(*(x.denominator for x in row)) for row in made)
        pairs = zip(made, over, strict=True)
        return cls(over, tuple(tuple(int(x * d) for x in row) for row, d in pairs))

    @property
    def fractions(self) -> list[list[Fraction]]:
        pairs = zip(self.over, self.weights, strict=True)
        return [[Fraction(w, d) for w in row] for d, row in pairs]


@dataclass(frozen=True)
class Step:
    """What a verifier is asked: V words, N drafted tokens, a coin for each name.

    target: (N + 1, V), row 0 at the root, row i + 1 after node i
    draft:  (N, V), the row each token was drawn from; None where the draft is fixed
    accept: (N,) by node
    sample: (N + 1,) by row of the target
    race:   (N + 1, W) times of races by depth, W a multiple of V; () if none is read
    """

    rule: str
    kind: Kind
    vocab: int
    target: Rows
    draft: Rows | None
    tokens: Tokens
    parents: Tokens
    accept: tuple[Fraction, ...]
    sample: tuple[Fraction, ...]
    race: tuple[tuple[Fraction, ...], ...]

    @cached_property
    def id(self) -> str:
        """Twelve hexadecimal digits that depend on the question alone."""
        text = json.dumps(asked(self), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    @cached_property
    def p(self) -> probs.Probs:
        """The target's rows as Fractions."""
        return self.given()[0]

    @property
    def q(self) -> probs.Probs | None:
        """The draft's rows as Fractions."""
        return self.proposal.q

    @cached_property
    def proposal(self) -> Proposal:
        return self.given()[1]

    def luck(self, number: Number = Fraction) -> list[list[Any]]:
        """Coins and times as `randomness.replay` takes them, every one a `number`."""
        coins = [[*map(number, us)] for us in (self.accept, self.sample)]
        race = [[*map(number, times)] for times in self.race]
        return [*coins, race] if race else coins

    def coin(self, name: randomness.Coin) -> Fraction:
        purpose, index = name
        return (self.accept if purpose == "accept" else self.sample)[index]

    def given(self, number: Number = Fraction) -> tuple[probs.Probs, Proposal]:
        """The target's rows and the proposal, every entry a `number`."""

        def array(rows: Rows) -> probs.Probs:
            made = [[number(x) for x in row] for row in rows.fractions]
            kind = object if number is Fraction else None
            return np.array(made, dtype=kind).reshape(len(made), self.vocab)

        q = None if self.draft is None else array(self.draft)
        drafted = Proposal([*self.tokens], [*self.parents], q, self.kind)
        return array(self.target), drafted


@dataclass(frozen=True)
class Pair:
    """What a vector has to do with another: its block is the image of that one's.

    relation: the flag under which the theorem is stated.
    image:    the new id of each of the other's tokens.
    """

    relation: str
    of: str
    image: Tokens

    def __call__(self, block: Tokens) -> Tokens:
        return tuple(self.image[x] for x in block)


@dataclass(frozen=True)
class Vector(Step):
    """A step and its verdict.

    blocks:  every block that is right: one, unless the question has no exact answer.
    refusal: an error is right as well.
    margin:  how near a coin comes to a decision on the way, in units of the coin.
    bits:    the fewest significand bits of a float format in which this must come out.
    """

    class_: str
    blocks: tuple[Tokens, ...]
    margin: Fraction
    bits: int
    flags: tuple[str, ...] = ()
    refusal: bool = False
    pair: Pair | None = None

    @classmethod
    def of(cls, step: Step, class_: str, **verdict: Any) -> "Vector":
        asked = {field.name: getattr(step, field.name) for field in fields(Step)}
        return cls(**asked, class_=class_, **verdict)

    @property
    def block(self) -> Tokens | None:
        """The one right block; None where several are."""
        return self.blocks[0] if len(self.blocks) == 1 else None


def replay(
    vector: Step,
    verify: Verify,
    number: Number = Fraction,
    coins: Callable[..., randomness.Source] = randomness.replay,
) -> Tokens | None:
    """The block that a verifier of the references' form makes of a vector.

    None where it raises ValueError, as `Refused` is, or divides by zero.
    number: the arithmetic it is given, exact unless said.
    """
    try:
        source = coins(*vector.luck(number))
        return tuple(int(x) for x in verify(*vector.given(number), source))
    except (ValueError, ZeroDivisionError):
        return None


def legal(vector: Vector, block: Sequence[int] | None) -> bool:
    """Is that a right answer? None stands for an error."""
    return vector.refusal if block is None else tuple(block) in vector.blocks


def load(rule: str | None = None, kind: Kind | None = None) -> list[Vector]:
    """The shipped vectors, of one rule or one kind of proposal if asked.

    Raises Bad on a rule that is not in the table, or has no file yet.
    """
    names = RULES if rule is None else [named(rule).name]
    return [v for name in names for v in _read(name) if kind in (None, v.kind)]


@cache
def _read(rule: str) -> list[Vector]:
    path = shipped() / f"{rule}.json"
    if not path.is_file():
        raise Bad(
            f"{rule} has no vectors yet: run `specsim vectors export {shipped()}`"
        )
    document = json.loads(path.read_text("utf-8"))
    return [read(rule, entry) for entry in document["vectors"]]


def asked(step: Step) -> dict[str, Any]:
    """The question as JSON: it is what the id is the hash of."""
    return {
        "rule": step.rule,
        "kind": step.kind,
        "vocab": step.vocab,
        "p": vars(step.target),
        "q": step.draft and vars(step.draft),
        "tokens": step.tokens,
        "parents": step.parents,
        "accept": [*map(str, step.accept)],
        "sample": [*map(str, step.sample)],
        **({"race": [[*map(str, row)] for row in step.race]} if step.race else {}),
    }


def read(rule: str, entry: dict[str, Any]) -> Vector:
    """The vector of that JSON; its id is not looked at."""

    def rows(value: Any) -> Rows:
        return Rows(tuple(value["over"]), tuple(map(tuple, value["weights"])))

    def whole(value: Any) -> Tokens:
        return tuple(value)

    pair = entry.get("pair")
    return Vector(
        rule=rule,
        kind=entry["kind"],
        vocab=entry["vocab"],
        target=rows(entry["p"]),
        draft=entry["q"] and rows(entry["q"]),
        tokens=whole(entry["tokens"]),
        parents=whole(entry["parents"]),
        accept=tuple(map(Fraction, entry["accept"])),
        sample=tuple(map(Fraction, entry["sample"])),
        race=tuple(tuple(map(Fraction, row)) for row in entry.get("race", ())),
        class_=entry["class"],
        blocks=tuple(map(whole, entry.get("acceptable") or [entry["block"]])),
        margin=Fraction(entry["margin"]),
        bits=entry["bits"],
        flags=tuple(entry["flags"]),
        refusal=entry.get("refusal", False),
        pair=pair and Pair(pair["relation"], pair["of"], whole(pair["image"])),
    )
