"""Text that the target writes itself, for a draft to learn on.

Kim and Rush 2016, Sequence-Level Knowledge Distillation,
https://arxiv.org/abs/1606.07947; text at the temperature of use, as in DistillSpec,
Zhou et al. 2023, https://arxiv.org/abs/2310.08461.
"""

import torch
from torch import Tensor

from ..model.transformer import Transformer


def written(
    model: Transformer,
    prompts: Tensor,
    tokens: int,
    chance: torch.Generator,
    temperature: float = 1.0,
) -> Tensor:
    """The prompts (B, m), each with so many tokens drawn after it: (B, m + tokens).

    The model has kept nothing, and has room for as much.
    """
    text = prompts
    below = torch.arange(-1, prompts.shape[1] - 1, device=prompts.device)
    new, parents = prompts, below.expand_as(prompts)
    for _ in range(tokens):
        logits = model.extend(new, parents)[0][:, -1]
        model.keep(parents + 1)
        rows = (logits / temperature).softmax(-1).cpu()
        new = torch.multinomial(rows, 1, generator=chance).to(prompts.device)
        text, parents = torch.cat([text, new], 1), torch.full_like(new, -1)
    return text
