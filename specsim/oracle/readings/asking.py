"""Readings that ask in batches: generators of questions, sent the answers."""

from collections.abc import Callable, Generator, Sequence
from typing import TypeAlias, TypeVar

Q = TypeVar("Q")
A = TypeVar("A")
R = TypeVar("R")
Asking: TypeAlias = Generator[list[Q], list[A], R]
"""Yields questions, is sent one answer to each, and returns what it made of them."""


def answered(asking: Asking[Q, A, R], answer: Callable[[list[Q]], list[A]]) -> R:
    """What an asking returns, its questions answered by a function.

    >>> def squares():
    ...     first = yield [1, 2]
    ...     return first, (yield [sum(first)])
    >>> answered(squares(), lambda asked: [x * x for x in asked])
    ([1, 4], [25])
    """
    try:
        asked = next(asking)
        while True:
            asked = asking.send(answer(asked))
    except StopIteration as done:
        returned: R = done.value
        return returned


def together(askings: Sequence[Asking[Q, A, R]]) -> Asking[Q, A, list[R]]:
    """Several at once: in each round the questions of all of them, in their order."""
    returned: dict[int, R] = {}
    waiting: dict[int, list[Q]] = {}

    def step(i: int, answers: list[A] | None) -> None:
        try:
            waiting[i] = askings[i].send(answers)  # type: ignore[arg-type]
        except StopIteration as done:
            waiting.pop(i, None)
            returned[i] = done.value

    for i in range(len(askings)):
        step(i, None)
    while waiting:
        rounds = list(waiting.items())
        answers = yield [question for _, asked in rounds for question in asked]
        at = 0
        for i, asked in rounds:
            step(i, answers[at : at + len(asked)])
            at += len(asked)
    return [returned[i] for i in range(len(askings))]
