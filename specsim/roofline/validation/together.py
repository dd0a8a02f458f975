"""Rows of one deployment are predicted together, as arrays."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from specsim.errors import Bad
from specsim.roofline.deployment import Deployment
from specsim.roofline.validation.cells import Skip

Range = tuple[float, float, float]
"""Low, expected, high."""

Answer = Mapping[str, Range] | Skip
"""Quantity to milliseconds (or times), or why there is no answer."""


def each_deployment(
    questions: Sequence[Any],
    answer: Callable[[Deployment, Sequence[Any]], Mapping[str, Sequence[Any]]],
) -> list[Answer]:
    """The answers in the order of the questions.

    answer: for one deployment and its questions quantity to three arrays: low,
        expected, high.
    """
    sorted_out: dict[Deployment, list[int]] = {}
    for at, each in enumerate(questions):
        sorted_out.setdefault(each.deployment, []).append(at)
    made: list[Answer] = [{}] * len(questions)
    for deployment, places in sorted_out.items():
        asked = [questions[at] for at in places]
        for at, said in zip(places, _answers(deployment, asked, answer), strict=True):
            made[at] = said
    return made


def _answers(
    made: Deployment,
    asked: Sequence[Any],
    answer: Callable[[Deployment, Sequence[Any]], Mapping[str, Sequence[Any]]],
) -> list[Answer]:
    try:
        spans = answer(made, asked)
    except Bad as why:
        return [Skip("not modelled", str(why)) for _ in asked]
    wide = {
        name: np.broadcast_arrays(*map(np.atleast_1d, ends), np.zeros(len(asked)))[:3]
        for name, ends in spans.items()
    }
    return [
        {name: _range(ends, at) for name, ends in wide.items()}
        for at in range(len(asked))
    ]


def _range(ends: Sequence[Any], at: int) -> Range:
    low, expected, high = (float(each[at]) for each in ends)
    return low, expected, high
