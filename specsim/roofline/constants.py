"""Sources, and the constants that belong to no one architecture, format or engine."""

from dataclasses import dataclass

TABLES = "kernel tables of aiconfigurator-core 0.12 (NVIDIA, Apache-2.0)"
PROFILES = "LLMServingSim 2.0 vLLM profiles (KAIST, MIT)"
SERVED = "tools/fit_serving.py, from served requests"
DECODED = "tools/fit_decode.py, from published decode rates"


@dataclass(frozen=True)
class Spread:
    """A measured step lies between `low` and `high` times the predicted kernels."""

    low: float
    high: float

    def __mul__(self, other: "Spread") -> "Spread":
        """Both doubts at once."""
        return Spread(self.low * other.low, self.high * other.high)


PLAIN = Spread(1, 1)
"""No doubt."""

SKEW = 0.2
"""By how much less every token of a pass after the first adds to the experts touched:
5-12 % fewer of them than independent, uniform choices touch (power laws of exponent
1.0-1.2 in routing traces)."""

MIXTURE = Spread(0.85, 1.1)
"""Skewed routing touches 5-15 % fewer experts than independent choices do."""

LACKING = Spread(0.9, 1.3)
"""Weights in a format the hardware lacks: a guess, engines widen them differently."""

UNSEEN = Spread(0.9, 1.3)
"""An engine on an architecture where it was not measured: hosts and kernels differ."""

UNUSUAL = Spread(0.7, 1.4)
"""Attention that is only approximated: its cache as the table has it, no more."""


MOE_US = 15.0
"""Routing, permutation and reduction of one mixture layer. `TABLES`: Qwen3-30B on H100
takes 22 us, on A100 18-25 us, over what its bytes explain, two products included."""

EXPERT_COMPUTE = 0.4
"""Share of a large product's FLOP/s that grouped products of experts reach: blocks of
few tokens each, padded (`SERVED`)."""

TILE = 16
"""Tensor cores compute whole tiles of 16 tokens, however few there are."""


BOARD_SHARE = 0.92
UNIFIED_SHARE = 0.75
RUNTIME_GB = 1.6
COLLECTIVE_GB = 0.4
"""Of a card's memory engines take 0.92 (0.90-0.92 by default); context, graphs and
workspace need 1.6 GB and the buffers of collectives 0.4 GB more (aiconfigurator)."""

ROOM_SHARE = 0.25
"""A machine is roomy when a quarter of its memory is left for KV cache."""
