"""What a proposal costs, drafter by drafter: which small model, and how many passes.

A name of this table is a cost model. It says nothing of how well the drafter drafts:
that is alpha, which the question brings with it.
"""

from dataclasses import dataclass
from typing import Literal

from specsim.errors import Bad

Kind = Literal["model", "layers", "heads", "share", "none"]


@dataclass(frozen=True)
class Drafter:
    """How one kind of drafter proposes k tokens.

    kind:     what runs: a model of its own, `layers` more layers of the target's
        widths, one head a position, a `share` of the target's own layers, or nothing.
    one_pass: all k tokens come from one pass; else there is a pass for each.
    fused:    hidden states that a matrix of fused x d by d joins into its input.
    vocab:    words the draft knows, if it has a head of its own over fewer of them.
    experts:  its layers hold the target's mixture of experts, not one dense block.
    k, nodes: the usual depth, and tokens of the usual tree; 0 nodes: a chain.
    paths:    candidates of k tokens that are verified side by side.
    window:   tokens for each of the k that a verifying pass carries beside those.
    reused:   the verifying pass skips the layers that the draft has gone through.
    """

    name: str
    kind: Kind
    source: str
    aliases: tuple[str, ...] = ()
    one_pass: bool = False
    fused: int = 0
    layers: int = 0
    vocab: int | None = None
    experts: bool = False
    share: float = 0.0
    k: int = 4
    nodes: int = 0
    paths: int = 1
    window: int = 0
    reused: bool = False


_ARXIV = "https://arxiv.org/abs/"
_ROWS = (
    Drafter("draft-model", "model", aliases=("draft", "sps"), k=5,
            source=f"Leviathan et al. (2023), section 2. {_ARXIV}2211.17192"),
    Drafter("pard", "model", one_pass=True, k=8,
            source=f"An et al. (2025), section 3: mask tokens. {_ARXIV}2504.18583"),
    Drafter("eagle", "layers", aliases=("eagle1", "eagle-1"), layers=1, fused=2, k=5,
            source=f"Li et al. (2024), section 3.1: one layer on [embedding, feature], "
            f"the target's head. {_ARXIV}2401.15077"),
    Drafter("eagle2", "layers", aliases=("eagle-2",), layers=1, fused=2, k=6, nodes=59,
            source=f"Li et al. (2024), section 4: EAGLE's layer, a tree grown by "
            f"confidence. {_ARXIV}2406.16858"),
    Drafter("eagle3", "layers", aliases=("eagle-3",), layers=1, fused=3, vocab=32_000,
            k=8, nodes=59, source=f"Li et al. (2025), section 3: features of three "
            f"depths, a head over 32,000 words. {_ARXIV}2503.01840"),
    Drafter("mtp", "layers", aliases=("nextn",), layers=1, fused=2, experts=True, k=1,
            source=f"DeepSeek-V3 (2024), section 2.2: one whole layer, the target's "
            f"embedding and head. {_ARXIV}2412.19437"),
    Drafter("medusa", "heads", one_pass=True, k=4, nodes=63,
            source=f"Cai et al. (2024), section 2.1: for each position a residual "
            f"block and a head. {_ARXIV}2401.10774"),
    Drafter("hydra", "heads", fused=3, k=4, nodes=63,
            source=f"Ankner et al. (2024), section 3: heads read what was drafted. "
            f"{_ARXIV}2402.05109"),
    Drafter("dflash", "layers", aliases=("block-diffusion",), one_pass=True, layers=5,
            fused=5, k=15, source=f"Chen et al. (2026): five layers, a block of 16 in "
            f"one pass. {_ARXIV}2602.06036"),
    Drafter("self-speculation", "share", aliases=("draft-and-verify", "layer-skip"),
            share=0.5, k=6, source=f"Zhang et al. (2023), section 3: about half of the "
            f"layers skipped. {_ARXIV}2309.08168"),
    Drafter("early-exit", "share", aliases=("layerskip",), share=0.25, k=6, reused=True,
            source=f"Elhoushi et al. (2024), section 4.3: exit early, verify with the "
            f"layers that remain. {_ARXIV}2404.16710"),
    Drafter("ngram", "none", aliases=("n-gram",), k=5,
            source="counts of the text so far; nothing runs on the GPU"),
    Drafter("prompt-lookup", "none", aliases=("pld",), k=10,
            source="Saxena (2023), prompt lookup decoding, num_pred_tokens=10. "
            "https://github.com/apoorvumang/prompt-lookup-decoding"),
    Drafter("jacobi", "none", k=8,
            source=f"Santilli et al. (2023): the last guess, improved by each pass. "
            f"{_ARXIV}2305.10427"),
    Drafter("suffix", "none", aliases=("sam",), k=8,
            source=f"Oliaro et al. (2024), SuffixDecoding. {_ARXIV}2411.04975"),
    Drafter("rest", "none", k=10, nodes=64,
            source=f"He et al. (2023), section 3: a trie of retrieved continuations. "
            f"{_ARXIV}2311.08252"),
    Drafter("token-recycling", "none", aliases=("recycling",), k=6, nodes=80,
            source=f"Luo et al. (2024), section 3: a static tree over an adjacency "
            f"matrix. {_ARXIV}2408.08696"),
    Drafter("lookahead", "none", k=4, paths=7, window=7,
            source=f"Fu et al. (2024), section 3: (W + G)(N - 1) tokens a pass; W 7, "
            f"G 7, N 5. {_ARXIV}2402.02057"),
)  # fmt: skip

DRAFTER_COSTS = {row.name: row for row in _ROWS}
"""The drafters that can be priced, by name."""


def drafter(name: str | Drafter) -> Drafter:
    """The row of that name or alias, whatever its case; Bad if there is none.

    >>> drafter("EAGLE-3").fused, drafter("pld").name
    (3, 'prompt-lookup')
    """
    if isinstance(name, Drafter):
        return name
    key = name.strip().lower().replace("_", "-") if isinstance(name, str) else ""
    for row in _ROWS:
        if key in (row.name, *row.aliases):
            return row
    raise Bad(f"drafter {name!r}: choose from {', '.join(DRAFTER_COSTS)}")
