"""What drafters that read nothing but the text have in common."""

from collections.abc import Sequence

from ..probs import Probs


class Lookup:
    """The text is all there is to know, and `propose` is given it."""

    def begin(self, context: Sequence[int], hidden: Probs) -> None:
        """Nothing to do."""

    def observe(self, emitted: list[int], rows: Probs, hidden: Probs) -> None:
        """Nothing to do."""
