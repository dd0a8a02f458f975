"""Coins used twice, and uniforms read wrongly at the edge of an interval."""

from specsim.oracle.mutants.chains import BONUS, CORRECTION, LEFT, RATIO
from specsim.oracle.planted import COIN_REUSED, CoinFault, Mutant, into

chain, sampler_match = map(into, ("chain", "sampler_match"))

MUTANTS: list[Mutant | CoinFault] = [
    chain(
        "accept-coin-for-residual",
        CORRECTION,
        f'source.again("accept", i, {LEFT})',
        COIN_REUSED,
        "sgl-project/sglang#7207",
    ),
    chain(
        "one-coin-for-all",
        f"source.accept(i, {RATIO})",
        f"source.accept(0, {RATIO})",
        COIN_REUSED,
        "flashinfer-ai/flashinfer#425",
    ),
    chain(
        "accept-coin-for-bonus",
        f"source.sample(len(tokens), {BONUS})",
        f'source.again("accept", max(len(tokens) - 1, 0), {BONUS})',
        COIN_REUSED,
        "sgl-project/sglang#7207",
    ),
    sampler_match(
        "one-coin-for-all-rows",
        "source.sample(i, p[i])",
        'source.again("sample", 0, p[i])',
        COIN_REUSED,
        "PaddlePaddle/FastDeploy#5568",
    ),
    CoinFault(
        "accept-at-the-edge",
        "bool(u < prob)",
        "bool(u <= prob)",
        "edge of an interval",
        ("huggingface/transformers 5.24 _speculative_sampling",),
    ),
    CoinFault("draw-at-the-edge", 'side="right"', 'side="left"', "edge of an interval"),
    CoinFault(
        "draw-not-scaled",
        'np.searchsorted(cdf, u * cdf[-1], side="right")',
        'min(np.searchsorted(cdf, u, side="right"), len(cdf) - 1)',
        "edge of an interval",
        ("sgl-project/sglang#22643",),
    ),
]
