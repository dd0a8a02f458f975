"""Drafters whose vocabulary is not the target's.

Timor et al. (2025), "Accelerating LLM inference with lossless speculative decoding
algorithms for heterogeneous vocabularies". https://arxiv.org/abs/2502.05202

Algorithm 4, token-level intersection (`restricted`): the drafter draws among the words
that both vocabularies have. Its row is restricted to them and renormalised before the
draw, so that q is the law of what is drawn, and every rule serves. The residual may
well name a word that the drafter lacks.
Algorithm 2, string-level exact match (`Retokenised`): the drafted text is encoded again
with the target's tokenizer. Nobody knows the law of the tokens that come out, so the
draft is "fixed", for rules that need no q.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from .decode import Drafter
from .draft.lookup import Lookup
from .probs import Probs
from .proposal import Proposal, Rows
from .randomness import Source

SPACES = "Ġ▁"
"""How tokenizers of bytes, and of pieces, write the space in front of a word."""


class Shared(NamedTuple):
    """The M words that two vocabularies share.

    draft:  (M,) their ids in the drafter's
    target: (M,) their ids in the target's, in the same order
    size:   how many words the target has
    """

    draft: list[int]
    target: list[int]
    size: int

    def restrict(self, row: Probs) -> Probs:
        """A drafter's row on the shared words alone, normalised if any mass is left."""
        left: Probs = np.where(np.isin(np.arange(len(row)), self.draft), row, 0 * row)
        return left / left.sum() if left.any() else left

    def lift(self, rows: Probs) -> Probs:
        """Rows (..., V) of the drafter's ids as rows of the target's."""
        lifted = np.zeros((*rows.shape[:-1], self.size), rows.dtype)
        lifted[..., self.target] = rows[..., self.draft]
        return lifted


def shared(draft: Sequence[str], target: Sequence[str]) -> Shared:
    """The words, by id, that are in both vocabularies, however they mark spaces.

    Of ids that spell the same word the lowest counts.

    >>> shared(["▁a", "b", "c"], ["c", "d", "Ġa"])
    Shared(draft=[0, 2], target=[2, 0], size=3)
    """
    theirs, ours = _ids(draft), _ids(target)
    words = [word for word in theirs if word in ours]
    return Shared([theirs[w] for w in words], [ours[w] for w in words], len(target))


def _ids(words: Sequence[str]) -> dict[str, int]:
    plain = str.maketrans(dict.fromkeys(SPACES, " "))
    ids: dict[str, int] = {}
    for i, word in enumerate(words):
        ids.setdefault(word.translate(plain), i)
    return ids


Encode = Callable[[tuple[int, ...]], tuple[int, ...]]
"""Ids of the target's vocabulary as the drafter's ids of the same text."""


def restricted(rows: Rows, words: Shared, encode: Encode) -> Rows:
    """The drafter as the target sees it: prefixes and rows in the target's ids.

    encode: by way of the text, since the target may say words that the drafter lacks.
    Where no mass lies on shared words the row is all zeros and nothing is drafted.
    """
    return lambda prefix: words.lift(words.restrict(rows(encode(prefix))))


def translated(proposal: Proposal, words: Shared) -> Proposal:
    """The same draft in the target's ids. ValueError if its words are not all shared.

    A drafter that was not restricted before it drew is found out by its q.
    """
    ids = dict(zip(words.draft, words.target, strict=True))
    mend = "restrict the row to shared words before drawing"
    for token in proposal.tokens:
        if token not in ids:
            raise ValueError(f"the target has no word for draft token {token}: {mend}")
    if proposal.q is None:
        q = None
    elif np.delete(proposal.q, words.draft, axis=-1).any():
        raise ValueError(f"q has mass on words that the target lacks: {mend}")
    else:
        q = words.lift(proposal.q)
    return proposal._replace(tokens=[ids[x] for x in proposal.tokens], q=q)


class Tokenizer(Protocol):
    def encode(self, text: str) -> list[int]: ...
    def decode(self, ids: Sequence[int]) -> str: ...


class Retokenised(Lookup):
    """A drafter of chains with a tokenizer of its own, in the target's tokens.

    The drafter reads nothing but the text: the target's rows are not its own.

    look_behind: how many of the last tokens are encoded again together with the draft.
    Coins: those of the drafter inside.
    """

    def __init__(
        self,
        drafter: Drafter,
        own: Tokenizer,
        target: Tokenizer,
        look_behind: int = 10,
    ):
        if look_behind < 1:
            raise ValueError(f"look_behind={look_behind}: look at one token or more")
        self._drafter, self._own, self._target = drafter, own, target
        self._look_behind = look_behind

    def propose(self, context: Sequence[int], k: int, source: Source) -> Proposal:
        before = self._own.encode(self._target.decode(context))
        drafted = self._drafter.propose(before, k, source)
        text = self._own.decode([*before, *drafted.tokens])
        text = text[len(self._own.decode(before)) :]
        tokens = continued(context[-self._look_behind :], text, self._target)[:k]
        return Proposal(tokens, [*range(-1, len(tokens) - 1)], None, "fixed")


def continued(window: Sequence[int], text: str, tokenizer: Tokenizer) -> list[int]:
    """The tokens that say `text` after the tokens of `window`, less the last.

    Both are encoded at once, since words join across a seam. If no token ends where the
    window's text does, the draft would change what has been emitted, and nothing is
    proposed. The last token is left out because with more text it might have become a
    longer one.
    """
    before = tokenizer.decode(window)
    ids = tokenizer.encode(before + text)
    for seam in range(len(ids)):
        if tokenizer.decode(ids[:seam]) == before:
            return ids[seam:-1]
    return []
