"""What networks are to the decode loop and to drafters: rows to draw from."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from ..logits import Sampling, process
from ..probs import Probs
from .reduced import Vocabulary


class Network(Protocol):
    """A model whose `extend` gives logits (n + 1, V) in the place of rows."""

    def extend(
        self, tokens: Sequence[int], parents: Sequence[int]
    ) -> tuple[Probs, Probs]: ...
    def keep(self, path: Sequence[int]) -> None: ...


class FeatureNetwork(Protocol):
    """The same of a draft that goes on from features, without the root: (n, V), or
    (n, N) where it has a vocabulary of N words.
    """

    @property
    def vocabulary(self) -> Vocabulary | None: ...
    def extend(
        self, tokens: Sequence[int], parents: Sequence[int], features: Probs
    ) -> tuple[Probs, Probs]: ...
    def keep(self, path: Sequence[int]) -> None: ...


class _Texts:
    """What precedes each row: all that was kept, and the path down to its node."""

    def __init__(
        self,
        sampling: Sampling,
        prompt_length: int,
        vocabulary: Vocabulary | None = None,
    ):
        self.sampling, self.prompt_length = sampling, prompt_length
        self.vocabulary = vocabulary
        self._texts: list[tuple[int, ...]] = [()]

    def processed(
        self, logits: Probs, tokens: Sequence[int], parents: Sequence[int]
    ) -> Probs:
        """The rows of logits that end with those of n nodes more."""
        for token, parent in zip(tokens, parents, strict=True):
            self._texts.append((*self._texts[parent + 1], token))
        texts = [self._texts[0], *self._texts[len(self._texts) - len(tokens) :]]
        rows = map(self._row, logits, texts[len(texts) - len(logits) :])
        return np.array([*rows])

    def keep(self, path: Sequence[int]) -> None:
        self._texts = [self._texts[path[-1] + 1 if path else 0]]

    def _row(self, logits: Probs, text: tuple[int, ...]) -> Probs:
        prompt, sampling = min(self.prompt_length, len(text)), self.sampling
        if (words := self.vocabulary) is None:
            return process(logits, sampling, text, prompt)
        if _names_no_word(sampling):
            return words.spread(process(logits, sampling))
        if sampling.allowed and not sampling.allowed(text[prompt:])[words.ids].any():
            return np.zeros(words.size)
        return process(words.spread(logits, -np.inf), sampling, text, prompt)


def _names_no_word(sampling: Sampling) -> bool:
    """Whether it asks the same of every word, so that few can do without the others."""
    filters = "temperature", "top_k", "top_p", "min_p"
    return sampling == Sampling(**{name: getattr(sampling, name) for name in filters})


class Sampled:
    """A network under a request's sampling parameters: a `Model` of the decode loop.

    Penalties and the grammar see what is kept and the path down to each node; the first
    `prompt_length` tokens are the prompt, as in `logits.process`.
    """

    def __init__(self, network: Network, sampling: Sampling, prompt_length: int = 0):
        self.network = network
        self._texts = _Texts(sampling, prompt_length)

    def extend(
        self, tokens: Sequence[int], parents: Sequence[int]
    ) -> tuple[Probs, Probs]:
        """Rows (n + 1, V) and hidden states (n + 1, D), as the network's `extend`."""
        logits, hidden = self.network.extend(tokens, parents)
        return self._texts.processed(logits, tokens, parents), hidden

    def keep(self, path: Sequence[int]) -> None:
        """The nodes of `path`, root first, become context; the rest is forgotten."""
        self.network.keep(path)
        self._texts.keep(path)


class SampledFeatures:
    """A draft on features under the same parameters.

    Penalties see what it was fed: the text without its first token, which makes
    `prompt_length` smaller by one. Words that are not in its vocabulary have no
    probability; where a grammar leaves it none, the row is zero: nothing to draft.
    """

    def __init__(
        self, network: FeatureNetwork, sampling: Sampling, prompt_length: int = 0
    ):
        self.network = network
        self._texts = _Texts(sampling, prompt_length, network.vocabulary)

    def extend(
        self, tokens: Sequence[int], parents: Sequence[int], features: Probs
    ) -> tuple[Probs, Probs]:
        """Rows (n, V) and features (n, D), as the network's `extend`."""
        logits, made = self.network.extend(tokens, parents, features)
        return self._texts.processed(logits, tokens, parents), made

    def keep(self, path: Sequence[int]) -> None:
        """The nodes of `path`, root first, become context; the rest is forgotten."""
        self.network.keep(path)
        self._texts.keep(path)
