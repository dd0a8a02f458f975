"""What each flag stands for, and where the fault it looks for was seen in public."""

from typing import NamedTuple


class Note(NamedTuple):
    """bugType: the sort of fault; effect: what an engine does that has it; links:
    owner/repo#N, public issues or pull requests.
    """

    bugType: str
    description: str
    effect: str
    links: tuple[str, ...] = ()


NOTES = {
    "ZeroCoin": Note(
        "edge of an interval",
        "A coin is 0, and something of probability 0 stands first in line.",
        "A token that the target forbids is kept or drawn.",
        ("vllm-project/vllm#2336",),
    ),
    "HighCoin": Note(
        "edge of an interval",
        "A coin is the last float below 1, in single or double precision.",
        "The scan runs past its end: the last id, or one of no mass, is emitted.",
        ("sgl-project/sglang#22643",),
    ),
    "OnThreshold": Note(
        "edge of an interval",
        "A coin lies exactly on a threshold, or one step of float32 to its side.",
        "Intervals are not half-open: kept iff u < p/q, first with cdf > u * total.",
    ),
    "ZeroMassEnd": Note(
        "fallback id",
        "The last ids of the vocabulary have no mass.",
        "The last id is emitted where the scan does not reach the coin.",
        ("sgl-project/sglang#22643", "sgl-project/sglang#37472"),
    ),
    "ForbiddenDraft": Note(
        "support",
        "The drafted token has probability 0 under the target.",
        "A token that the target forbids is kept.",
        ("openvinotoolkit/openvino.genai#2331",),
    ),
    "EqualLaws": Note(
        "empty residual",
        "p and q are the same row: nothing is ever refused, nothing is left.",
        "0/0, or a draw from an empty row.",
        ("duoan/TorchCode#16",),
    ),
    "OneHotTarget": Note(
        "degenerate row",
        "The target puts all its mass on one token.",
        "Division by zero, or a draft kept that cannot be.",
        ("ggml-org/llama.cpp#5657",),
    ),
    "OneHotDraft": Note(
        "degenerate row",
        "The draft puts all its mass on one token.",
        "The residual keeps the drafted token.",
    ),
    "Disjoint": Note(
        "support",
        "Target and draft have no token in common.",
        "The draft is kept, or its own mass stays in the residual.",
    ),
    "NearTie": Note(
        "precision",
        "p and q differ by one to three units in the last place of float32.",
        "Rows rounded to fewer bits turn the decision.",
        ("deepseek-ai/DeepSpec#31",),
    ),
    "Tie": Note(
        "ties",
        "Several tokens are the likeliest, or one is by a unit in the last place.",
        "The highest id is taken, or another than plain decoding takes.",
        ("ohdearquant/lattice#280", "Pushkinist/rMLX#373"),
    ),
    "TinyDraft": Note(
        "precision",
        "The drafted token is very unlikely under q.",
        "An epsilon under the fraction, or 16-bit underflow, changes the ratio.",
        ("lablup/mlxcel#992",),
    ),
    "OffByRounding": Note(
        "empty residual",
        "p lies a rounding under q at the drafted token and nowhere above it: no exact "
        "run holds such rows, so all that is asked is to stay in the target's support.",
        "NaN, an uninitialised id or one past the vocabulary is emitted.",
        ("duoan/TorchCode#16",),
    ),
    "ImpossibleDraft": Note(
        "support",
        "The drafted token has q = 0, so it cannot have been drawn: all that is asked "
        "is to stay in the target's support.",
        "0/0 keeps a token that the target forbids.",
    ),
    "NarrowDraft": Note(
        "vocabulary",
        "The draft knows only the first ids; the target has mass on the others.",
        "The target's tail is cut off.",
        ("vllm-project/vllm#7252",),
    ),
    "NothingDrafted": Note(
        "block length",
        "No token is drafted: the step is plain decoding.",
        "An index of -1, or nothing emitted.",
        ("vllm-project/vllm#46533",),
    ),
    "SameSibling": Note(
        "tree siblings",
        "Two siblings bear the same token.",
        "The second is judged on a row that still holds the first.",
    ),
    "SpentSiblings": Note(
        "tree siblings",
        "Siblings without replacement use up the draft's support.",
        "The last is judged on a row that was not renormalised.",
    ),
    "DeepRow": Note(
        "wrong row",
        "The node at which the block ends has an index that is not its depth.",
        "The row of another node is used.",
    ),
    "Padded": Note(
        "vocabulary",
        "Ids of no mass are put before, among or after the others; the block is the "
        "same but for the new ids.",
        "Padding is drawn, or moves the scan.",
        ("sgl-project/sglang#37472",),
    ),
    "Relabelled": Note(
        "vocabulary",
        "The ids are permuted, and each drawing coin is moved with the interval it lay "
        "in; the block is the same but for the new ids.",
        "Ids are confused with ranks, or draft ids with target ids.",
    ),
    "OtherCoins": Note(
        "coin reused",
        "The coins that the rule does not ask for have other values; the block is the "
        "same.",
        "Coins are taken in order of use, or one serves twice.",
        ("sgl-project/sglang#7207", "flashinfer-ai/flashinfer#425"),
    ),
}
