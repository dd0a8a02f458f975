"""The decode loop: prefill, then propose, verify, commit and forget, step by step.

Leviathan, Kalman and Matias (2023), Algorithm 1 put in a loop, for any rule and any
tree. https://arxiv.org/abs/2211.17192
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol

from .probs import Probs
from .proposal import Proposal
from .randomness import Source


class Model(Protocol):
    """A language model with a memory of the tokens it was told to keep.

    extend: scores a tree of n tokens on top of what is kept. Gives rows (n + 1, V),
            row 0 at the root and row i + 1 after node i, and hidden states (n + 1, D).
            Calls before a `keep` grow one tree: parents count its nodes from the first.
    keep:   the nodes, root first, that become context; the rest is forgotten.
    """

    def extend(
        self, tokens: Sequence[int], parents: Sequence[int]
    ) -> tuple[Probs, Probs]: ...
    def keep(self, path: Sequence[int]) -> None: ...


class Drafter(Protocol):
    """What proposes: `propose` from the whole context, then `observe` what came of it.

    begin:   once, with the prompt but for its last token, and the target's hidden
             states (n + 1, D) of it.
    observe: the tokens emitted, all of them, and the target's rows and hidden states
             of the tree that was proposed.
    """

    def begin(self, context: Sequence[int], hidden: Probs) -> None: ...
    def propose(self, context: Sequence[int], k: int, source: Source) -> Proposal: ...
    def observe(self, emitted: list[int], rows: Probs, hidden: Probs) -> None: ...


class Step(NamedTuple):
    """What was proposed, which nodes of it were kept, and what was emitted.

    cut: how many tokens more the rule emitted, beyond the end of the text.
    """

    proposal: Proposal
    path: list[int]
    emitted: list[int]
    cut: int

    @property
    def accepted(self) -> int:
        """How many drafted tokens the rule kept."""
        return len(self.path)


Luck = Callable[[int, int], Source]
"""The Source of a step, from its number and the absolute position of its first token.

Rules that promise the same text for the same noise are to be given coins by position,
all others by step.
"""


def decode(
    target: Model,
    drafter: Drafter,
    verify: Callable[[Probs, Proposal, Source], list[int]],
    prompt: Sequence[int],
    *,
    k: int,
    luck: Luck,
    max_tokens: int,
    stop: frozenset[int] = frozenset(),
) -> Iterator[Step]:
    """Emit up to `max_tokens` tokens after `prompt`, or through the first in `stop`.

    The last token emitted waits: it is fed to the target together with the next draft,
    so that each step is one pass. A block is cut where the text ends; what it would
    have added is discarded. ValueError: an empty prompt.
    """
    if not prompt:
        raise ValueError("an empty prompt: give at least one token to go on from")
    context = list(prompt)
    _, hidden = target.extend(prompt[:-1], range(-1, len(prompt) - 2))
    target.keep(range(len(prompt) - 1))
    drafter.begin(prompt[:-1], hidden)
    number, left = 0, max_tokens
    while left > 0:
        source = luck(number, len(context))
        proposal = drafter.propose(context, min(k, left - 1), source)
        rows, hidden = target.extend(*behind(context[-1], proposal))
        emitted = verify(rows[1:], proposal, source)
        path = accepted(proposal, emitted)
        target.keep([0, *(node + 1 for node in path)])
        drafter.observe(emitted, rows[1:], hidden[1:])
        block = until(stop, emitted[:left])
        context += block
        yield Step(proposal, path, block, len(emitted) - len(block))
        number, left = number + 1, left - len(block)
        if block[-1] in stop:
            return


def behind(token: int, proposal: Proposal) -> tuple[list[int], list[int]]:
    """Tokens and parents of the proposal, hung below one token more."""
    return [token, *proposal.tokens], [-1, *(parent + 1 for parent in proposal.parents)]


def accepted(proposal: Proposal, emitted: Sequence[int]) -> list[int]:
    """The nodes, root first, that bear all emitted tokens but the last: a path, so that
    where there are copies each is below the one before.
    """
    ends = (proposal.at(emitted[:n]) for n in range(len(emitted) - 1, -1, -1))
    node = next(end for end in ends if end is not None)
    path: list[int] = []
    while node >= 0:
        path.insert(0, node)
        node = proposal.parents[node]
    return path


def until(stop: frozenset[int], emitted: list[int]) -> list[int]:
    """The tokens up to the first that stops, which is emitted itself."""
    ends = (i + 1 for i, token in enumerate(emitted) if token in stop)
    return emitted[: next(ends, len(emitted))]
