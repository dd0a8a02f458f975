"""Prompt lookup: what followed the last words when they stood in the text before.

Saxena (2023), "Prompt lookup decoding"; Yang et al. (2023), "Inference with reference:
lossless acceleration of large language models". https://arxiv.org/abs/2304.04487
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ..proposal import Proposal, chain
from ..randomness import Source
from .lookup import Lookup

Occurrence = Literal["first", "last"]


class PromptLookup(Lookup):
    """Looks for the last n tokens, n from `longest` down to `shortest`.

    Prompt and output are searched alike. The longest match wins; of several as long the
    first one (Hugging Face, vLLM) or the last (llama.cpp). It may overlap the words
    looked for, and the draft ends where the text does. No match: nothing is drafted.
    """

    def __init__(
        self, longest: int = 3, shortest: int = 1, occurrence: Occurrence = "last"
    ):
        if not 1 <= shortest <= longest:
            raise ValueError(
                f"shortest={shortest}, longest={longest}: need 1 <= shortest <= longest"
            )
        self.lengths = range(longest, shortest - 1, -1)
        self.which = {"first": 0, "last": -1}[occurrence]

    def propose(self, context: Sequence[int], k: int, source: Source) -> Proposal:
        """At most k tokens; no coins."""
        text = np.asarray(context)
        for n in self.lengths:
            if n < len(text):
                before = sliding_window_view(text[:-1], n)
                found = np.flatnonzero((before == text[-n:]).all(axis=1))
                if len(found):
                    after = int(found[self.which]) + n
                    return chain(text[after : after + k].tolist())
        return chain([])
