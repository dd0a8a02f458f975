"""A draft model that is taught the target's rows.

Hinton, Vinyals and Dean 2015, https://arxiv.org/abs/1503.02531 (temperature); Zhou et
al. 2023, DistillSpec, https://arxiv.org/abs/2310.08461 (divergences, whose text).
"""

from torch import Tensor

from ..model.config import Config
from .causal import Weights, read
from .losses import DIVERGENCES


def loss(
    config: Config,
    weights: Weights,
    tokens: Tensor,
    target: Tensor,
    divergence: str = "forward-kl",
    temperature: float = 1.0,
) -> Tensor:
    """T^2 times the mean divergence of the rows at temperature T.

    tokens (B, n), target (B, n, V) the target's logits after each. divergence: a name
    in DIVERGENCES.
    """
    z = read(config, weights, tokens).logits / temperature
    log_p = (target / temperature).log_softmax(-1)
    return temperature**2 * DIVERGENCES[divergence](log_p, z).mean()
