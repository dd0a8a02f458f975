"""What a trial asks of an engine, wherever the engine runs."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar, Self

from specsim.oracle.engines.contract import Block, Call
from specsim.oracle.engines.problems import Skipped
from specsim.oracle.engines.process import Process
from specsim.oracle.exact import Law

if TYPE_CHECKING:
    from specsim.oracle.large.rows import Large


class Host(ABC):
    """An engine in a process of its own.

    spec:     what the engine was called by.
    readings: by mode, the ways in which a law can be read, the strongest first.
    """

    spec: str
    timeout: float
    process: Process
    readings: ClassVar[Mapping[str, tuple[str, ...]]]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the process and whatever it started."""
        self.process.close()

    @abstractmethod
    def afresh(self) -> "Host":
        """The same engine, which remembers nothing, in another process."""

    @abstractmethod
    def hello(self) -> dict[str, Any]:
        """What it offers: operations with their modes, others, accepts, kinds."""

    @abstractmethod
    def laws(
        self, calls: Sequence[Call], mode: str, reading: str, checks: int = 128
    ) -> list[Law]:
        """The law of each call; a scripted one foretold `checks` fresh runs.

        Unreadable if `reading` cannot follow the engine; Failed if the engine fails.
        """

    @abstractmethod
    def once(
        self, call: Call, accept: Sequence[float], sample: Sequence[float]
    ) -> Block | str | None:
        """One coin-mode call: its block, or what it raised; None where it skips."""

    @abstractmethod
    def begun(self, call: Call, value: float) -> Block | str | None:
        """One seed-mode call, its first coins `value`: its block, or what it raised.

        None where that cannot be had.
        """

    @abstractmethod
    def blocks(
        self, calls: Sequence[Call], which: Sequence[int], seed: int, mode: str
    ) -> list[Block]:
        """Real draws, one of calls[i] for each i in `which`, as far as time allows."""

    def large(
        self, world: "Large", drafts: Sequence[list[int]], seed: int, mode: str
    ) -> list[Block]:
        """Real draws in a world of real size, a block for each draft, as far as time
        allows. Skipped: it cannot be asked there.
        """
        raise Skipped("it is asked in small vocabularies only")
