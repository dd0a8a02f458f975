"""What EAGLE and multi-token prediction share: drafts that go on from hidden states."""

from collections.abc import Callable, Sequence

from .layers import Array, Stack
from .linear import Linear
from .reduced import Vocabulary
from .transformer import Transformer


class FeatureDraft:
    """A draft with layers and a cache of its own between the target's two ends.

    A node is a token and the features of the position before it, so tokens run one
    ahead of features. What was emitted comes with the hidden states of the target;
    further down, the draft goes on from features it made itself.

    mix:    embeddings and features (n, D) each, to what the layers read (n, D)
    finish: what the layers made (n, D), to what the head reads (n, D)
    vocabulary: of which words the logits are, if not of all; those rows of the head
    """

    def __init__(
        self,
        target: Transformer,
        stack: Stack,
        mix: Callable[[Array, Array], Array],
        finish: Callable[[Array], Array],
        vocabulary: Vocabulary | None = None,
    ):
        self.target, self.stack = target, stack
        self.mix, self.finish = mix, finish
        self.vocabulary = vocabulary
        few = vocabulary and Linear(target.head(vocabulary.ids))
        self._head = few or target.logits

    def extend(
        self, tokens: Sequence[int], parents: Sequence[int], features: Array
    ) -> tuple[Array, Array]:
        """Logits (n, V) of the token after each node, and the node's features (n, D).

        With a vocabulary of N words logits are (n, N).

        Calls before a `keep` grow one tree: parents count its nodes from the first.
        ValueError: a token outside the vocabulary, a parent that is not an older node.
        """
        read = self.mix(self.target.embed(tokens), features)
        made = self.stack.extend(read, parents)
        return self._head(self.finish(made)), made

    def keep(self, path: Sequence[int]) -> None:
        """The nodes of `path`, root first, become context; the rest is forgotten."""
        self.stack.keep(path)

    def clear(self) -> None:
        """Forget everything: a new text begins."""
        self.stack.clear()
