"""A Python drafter in a process of its own."""

from dataclasses import asdict
from fractions import Fraction

from specsim.oracle.drafting.contract import Asked, Drafted
from specsim.oracle.engines.python import PROBLEMS, PythonEngine


class Drafter(PythonEngine):
    """`module:attribute` with a method `draft`."""

    def law(self, asked: Asked, mode: str, reading: str) -> dict[Drafted, Fraction]:
        """The law of what is drafted. Unreadable, or what else PROBLEMS has."""
        answer = self._ask(
            "draft_law",
            asked=asdict(asked),
            mode=mode,
            reading=reading,
            seconds=self.timeout / 3,
        )
        for word, problem in PROBLEMS.items():
            if word in answer:
                raise problem(answer[word])
        return {drafted(one): Fraction(odds) for one, odds in answer["law"]}

    def draws(self, asked: Asked, mode: str, count: int, seed: int) -> list[Drafted]:
        """Real drafts, as far as time allows."""
        answer = self._ask(
            "draft_draws",
            asked=asdict(asked),
            mode=mode,
            count=count,
            seed=seed,
            seconds=self.timeout / 3,
        )
        return [drafted(one) for one in answer["drafts"]]

    def kept(self, first: Asked, then: Asked, mode: str) -> bool:
        """Whether a draft is what it was after another one."""
        answer = self._ask(
            "draft_kept", first=asdict(first), then=asdict(then), mode=mode
        )
        return bool(answer["kept"])


def drafted(one: list[list[int] | list[list[float]] | None]) -> Drafted:
    """From JSON."""
    tokens, parents, q, kind = one
    rows = None if q is None else tuple(tuple(row) for row in q)  # type: ignore[arg-type]
    return Drafted(tuple(tokens), tuple(parents), rows, kind)  # type: ignore[arg-type]
