"""Rows of measured speed-ups of speculative decoding."""

from collections.abc import Sequence
from dataclasses import dataclass

from specsim.errors import Bad
from specsim.roofline.deployment import Deployment
from specsim.roofline.speculation import measured as published
from specsim.roofline.speculation.pricing import speculate
from specsim.roofline.validation.cells import Cells, Skip, needed
from specsim.roofline.validation.together import Answer


@dataclass(frozen=True)
class Question:
    """What a row asks, as `speculate` is asked."""

    asked: published.Asked
    flags: tuple[str, ...] = ()

    @property
    def deployment(self) -> Deployment:
        """The target, without its drafter."""
        return self.asked.deployment

    @property
    def batch(self) -> float:
        """Sequences decoded together."""
        return float(self.asked.keywords["batch"])


def question(row: Cells) -> Question:
    """The question of a row; reads no measured column."""
    try:
        return Question(published.question(row))
    except Bad as why:
        raise _skip(why) from None


def measured(row: Cells) -> dict[str, float]:
    """How many times faster than plain decoding."""
    return {"speedup": needed(row, "speedup")}


def predicted(questions: Sequence[Question]) -> list[Answer]:
    """Low, expected and high speed-up."""
    return [_answer(each.asked) for each in questions]


def _answer(asked: published.Asked) -> Answer:
    try:
        made = speculate(asked.deployment, asked.drafter, **asked.keywords)
    except Bad as why:
        return _skip(why)
    return {"speedup": (float(made.low), float(made.speedup), float(made.high))}


def _skip(why: Bad) -> Skip:
    """The reason before the colon, and what it is about after it."""
    reason, _, what = str(why).partition(": ")
    return Skip(reason, what)
