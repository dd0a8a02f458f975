"""One run of the decode loop, token by token, and how each token came about."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import inf, log
from typing import Any, Literal, NamedTuple

from specsim import seam
from specsim.generation.clock import Seconds, TimedDrafter, TimedModel
from specsim.generation.luck import luck
from specsim.generation.request import Request
from specsim.generation.speech import Speech
from specsim.generation.words import Words
from specsim.rules import Rule
from specsim.seam import probs, proposal, randomness

Origin = Literal["accepted", "corrected", "bonus", "plain"]
"""Drafted and kept; or the target's own: after a draft that was refused, after one that
was kept to its end, where nothing was drafted."""
End = Literal["end", "stop", "length"]
"""A token that ends texts, a stop string, or as many tokens as were asked for."""


class Emitted(NamedTuple):
    """A token of the text.

    text:    what may be said now: all that was said, joined, is the text so far.
    logprob: in nats, of the token in the target's row there, after temperature, filters
             and penalties.
    """

    token: int
    text: str
    origin: Origin
    logprob: float


@dataclass
class Run:
    """A text that was generated, without its prompt.

    tally: what was accepted (reference/acceptance.Tally).
    """

    tally: Any
    end: End = "length"
    emitted: list[Emitted] = field(default_factory=list)
    seconds: Seconds = field(default_factory=Seconds)

    @property
    def tokens(self) -> list[int]:
        return [each.token for each in self.emitted]

    @property
    def text(self) -> str:
        return "".join(each.text for each in self.emitted)


class Heard:
    """A rule, and the target's rows that it was last shown."""

    def __init__(self, rule: Rule):
        self.rule, self._verify = rule, rule.verify
        self.rows: Any = None

    def __call__(
        self, p: probs.Probs, drafted: proposal.Proposal, source: randomness.Source
    ) -> list[int]:
        self.rows = p
        return self._verify(p, drafted, source)


def running(
    request: Request, target: Any, drafter: Any, rule: Rule, words: Words
) -> Iterator[Run]:
    """The text that the target continues the prompt with, after each step; one Run,
    which grows.

    target: a model that gives rows (reference/decode.Model), and remembers nothing.
    """
    made = Run(seam.reference("acceptance").Tally())
    speech, heard = Speech(words, request.stop), Heard(rule)
    for step in _steps(request, target, drafter, heard, made.seconds):
        block = [*_said(step, heard.rows, speech, request)]
        made.emitted += block
        made.tally.saw(_cut(step, len(block)))
        if speech.stopped:
            made.end = "stop"
        elif made.emitted[-1].token in request.ends:
            made.end = "end"
        yield made
        if speech.stopped:
            return


def _steps(
    request: Request, target: Any, drafter: Any, verify: Heard, seconds: Seconds
) -> Iterator[Any]:
    """The steps of the loop, timed."""
    steps = seam.reference("decode").decode(
        TimedModel(target, seconds),
        TimedDrafter(drafter, seconds),
        verify,
        request.prompt,
        k=request.k,
        luck=luck(verify.rule, request.seed),
        max_tokens=request.most,
        stop=request.ends,
    )
    while True:
        with seconds.adding("total"):
            step = next(steps, None)
        if step is None:
            return
        yield step


def _said(
    step: Any, rows: probs.Probs, speech: Speech, request: Request
) -> Iterator[Emitted]:
    """The tokens of a step, to its end or to that of the text."""
    nodes = [-1, *step.path]
    for i, token in enumerate(step.emitted):
        count = len(speech.tokens) + 1
        said = speech.add(token, count == request.most or token in request.ends)
        prob = float(rows[nodes[i] + 1][token])
        logprob = log(prob) if prob > 0 else -inf
        yield Emitted(token, said, _origin(step, nodes, i), logprob)
        if speech.stopped:
            return


def _origin(step: Any, nodes: Sequence[int], i: int) -> Origin:
    if i < step.accepted:
        return "accepted"
    if step.proposal.children(nodes[i]):
        return "corrected"
    return "bonus" if i else "plain"


def _cut(step: Any, length: int) -> Any:
    """The step, with what a stop string has cut off its block counted as such."""
    more = len(step.emitted) - length
    return step._replace(emitted=step.emitted[:length], cut=step.cut + more)
