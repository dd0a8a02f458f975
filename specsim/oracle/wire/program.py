"""A program as an engine: asked over a pipe, in batches, its law read from outside."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import groupby
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np

from specsim.errors import Bad
from specsim.oracle.engines import contract
from specsim.oracle.engines.contract import Block, Call, printable
from specsim.oracle.engines.host import Host
from specsim.oracle.engines.problems import (
    Broken,
    Failed,
    Skipped,
    Slow,
    Unsteady,
)
from specsim.oracle.engines.process import Process
from specsim.oracle.exact import Law
from specsim.oracle.large.rows import Large
from specsim.oracle.readings import scripted
from specsim.oracle.readings.asking import Asking, answered, together
from specsim.oracle.readings.pieces import Read
from specsim.oracle.readings.scripted import Played
from specsim.oracle.readings.symbolic import NotAFunction
from specsim.oracle.wire import command, messages, record
from specsim.oracle.wire.messages import Case, Run
from specsim.oracle.wire.record import Record

T = TypeVar("T")

SECONDS = 0.25
"""How long a request should take: what is asked at once grows or shrinks with it."""
FIRST, MOST = 64, 4096
"""Blocks in the first request, and in any."""
SEEDS = 2**53
"""Seeds are below this, so that they are whole numbers in every language."""


class Question(NamedTuple):
    """Which of some calls, and all its coins: N of accept, then N+1 of sample."""

    at: int
    coins: list[float]


class ProgramEngine(Host):
    """A program and its arguments, in a shell's words, that speaks the wire protocol.

    timeout: seconds one request may take before the engine is said to hang.
    Bad: it cannot be started. Broken: it breaks the protocol.
    """

    readings: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "coins": ("scripted",),
        "seed": (),
    }

    def __init__(self, spec: str, timeout: float = 20.0):
        self.spec, self.timeout = spec, timeout
        self.process = Process(command.words(spec), f"engine {spec!r}", timeout)
        self._seq, self._pace = 0, float(FIRST)

    def afresh(self) -> "ProgramEngine":
        return ProgramEngine(self.spec, self.timeout)

    def close(self) -> None:
        """End it, after a moment in which it may end by itself."""
        self.process.end_input()
        super().close()

    @cached_property
    def record(self) -> Record:
        """What it says of itself, asked once."""
        return self._heard(messages.line(messages.START), record.read)

    def hello(self) -> dict[str, Any]:
        names = "operations", "others", "accepts", "kinds"
        said = {name: getattr(self.record, name) for name in names}
        return {**said, "notes": [*self.record.notes()]}

    def laws(
        self, calls: Sequence[Call], mode: str, reading: str, checks: int = 128
    ) -> list[Law]:
        deadline = time.monotonic() + self.timeout / 3

        def answer(questions: list[Question]) -> list[Played[Block]]:
            if time.monotonic() > deadline:
                raise Slow(f"too slow to read within {self.timeout / 3:g} s")
            return self._played(calls, questions, deadline)

        each = [_asked_of(i, call, checks) for i, call in enumerate(calls)]
        try:
            return [read.law for read in answered(together(each), answer)]
        except NotAFunction as reason:
            raise Unsteady(str(reason)) from None

    def once(
        self, call: Call, accept: Sequence[float], sample: Sequence[float]
    ) -> Block | str | None:
        try:
            return self.run([Case(call, [[*accept]], [[*sample]], 1)])[0]
        except Failed as how:
            return str(how)
        except Skipped:
            return None

    def begun(self, call: Call, value: float) -> Block | str | None:
        return None

    def blocks(
        self, calls: Sequence[Call], which: Sequence[int], seed: int, mode: str
    ) -> list[Block]:
        deadline = time.monotonic() + self.timeout / 3
        rng = np.random.default_rng(seed)
        drawn: list[Block] = []
        for n, turn in enumerate(self._paced(which)):
            cases = [
                drawn_case(calls[i], len([*same]), rng) for i, same in groupby(turn)
            ]
            own = (seed + n) % SEEDS if mode == "seed" else None
            try:
                drawn += self.run(cases, own)
            except Failed as how:
                raise self._broken(str(how)) from None
            if time.monotonic() > deadline:
                break
        return drawn

    def large(
        self, world: Large, drafts: Sequence[list[int]], seed: int, mode: str
    ) -> list[Block]:
        if not self.record.form.frames:
            raise Skipped("it takes no binary frames")
        return self.blocks([*map(world.call, drafts)], range(len(drafts)), seed, mode)

    def _played(
        self, calls: Sequence[Call], questions: Sequence[Question], deadline: float
    ) -> list[Played[Block]]:
        """What comes of scripts, in as few requests as the engine's pace allows."""
        blocks: list[Block] = []
        for turn in self._paced(questions):
            cases = []
            for i, same in groupby(turn, lambda question: question.at):
                n, coins = len(calls[i].tokens), [asked.coins for asked in same]
                accept, sample = [c[:n] for c in coins], [c[n:] for c in coins]
                cases.append(Case(calls[i], accept, sample, len(coins)))
            blocks += self.run(cases)
            if time.monotonic() > deadline and len(blocks) < len(questions):
                raise Slow(f"too slow to read within {self.timeout / 3:g} s")
        return [
            Played(block, len(asked.coins))
            for block, asked in zip(blocks, questions, strict=True)
        ]

    def _paced(self, wanted: Sequence[T]) -> Iterator[Sequence[T]]:
        """The parts to ask at once, each of about SECONDS at the pace of the last."""
        at = 0
        while at < len(wanted):
            n = max(1, min(MOST, int(self._pace)))
            start = time.monotonic()
            yield (part := wanted[at : at + n])
            spent = max(time.monotonic() - start, 1e-4)
            self._pace = min(4 * self._pace, len(part) * SECONDS / spent)
            at += n

    def run(self, cases: Sequence[Case], seed: int | None = None) -> list[Block]:
        """One request. Failed: the engine fails. Skipped: it does not do this."""
        self._seq += 1
        run = Run(self._seq, cases[0].call.operation, cases, seed)
        form = self.record.form
        answer = self._heard(form.run(run), lambda said: _of(form.answer(said), run))
        if answer.get("skipped") is True:
            raise Skipped(_skip(answer))
        if answer.get("errored") is True:
            raise Failed(f"errored: {_context(answer)}")
        asked = [case.call for case in cases for _ in range(case.count)]
        blocks = answer.get("blocks")
        if not isinstance(blocks, list) or len(blocks) != len(asked):
            found = len(blocks) if isinstance(blocks, list) else "no"
            raise self._broken(f"answered {found} blocks to {len(asked)} asked for")
        try:
            return [*map(contract.block, blocks, asked)]
        except Bad as wrong:
            raise Failed(str(wrong)) from None

    def _heard(self, request: bytes, made: Callable[[str], T]) -> T:
        """What is made of the engine's answer; whatever is wrong with it, Broken."""
        said = self.process.ask(request)
        try:
            return made(said)
        except Bad as wrong:
            raise self._broken(str(wrong)) from None

    def _broken(self, what: str) -> Broken:
        return Broken(f"engine {self.spec!r}: {what}")


def _asked_of(
    at: int, call: Call, checks: int
) -> Asking[Question, Played[Block], Read[Block]]:
    """The reading of one call's law, its scripts written out as coins."""
    coins = range(2 * len(call.tokens) + 1)
    reading: scripted.Asks[Block, Read[Block]] = scripted.reading(checks=checks)
    try:
        scripts = next(reading)
        while True:
            asked = [Question(at, [*map(script, coins)]) for script in scripts]
            scripts = reading.send((yield asked))
    except StopIteration as done:
        returned: Read[Block] = done.value
        return returned


def drawn_case(call: Call, count: int, rng: np.random.Generator) -> Case:
    """A case with real luck, which goes unread in seed mode."""
    n = len(call.tokens)
    accept, sample = rng.random((count, n)), rng.random((count, n + 1))
    return Case(call, accept.tolist(), sample.tolist(), count)


def _of(answer: dict[str, Any], run: Run) -> dict[str, Any]:
    """The answer, if it is to this request."""
    seq = answer.get("seq")
    if type(seq) is not int or seq != run.seq:
        raise Bad(f"answered seq {printable(repr(seq), 20)} to request {run.seq}")
    return answer


def _skip(answer: dict[str, Any]) -> str:
    """Its reason, and where that is tracked."""
    url = printable(str(answer.get("issue_url", "")), 120)
    message = printable(str(answer.get("message", "it gives no reason")), 160)
    return f"{message} ({url})" if url else message


def _context(answer: dict[str, Any]) -> str:
    context = answer.get("context")
    told = context.get("message", context) if isinstance(context, dict) else context
    return printable(str(told), 200)
