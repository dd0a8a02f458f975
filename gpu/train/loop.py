"""The one training loop: AdamW, a cosine schedule, clipped gradients.

Loshchilov and Hutter 2019, Decoupled Weight Decay Regularization,
https://arxiv.org/abs/1711.05101. All luck is a function of the seed and the step, so a
run that goes on from its state ends bit for bit as one that was never broken off.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import cos, isfinite, pi
from typing import Any

import torch
from torch import Tensor
from torch.nn.utils import clip_grad_norm_

Weights = Mapping[str, Tensor]
Loss = Callable[[Weights, int], Tensor]
"""The loss of a step, from the weights and the number of the step."""
MOMENTS = "exp_avg", "exp_avg_sq"


@dataclass(frozen=True)
class Schedule:
    """Up in a straight line over `warmup` steps, down along a cosine to a tenth."""

    steps: int
    peak: float
    warmup: int

    def rate(self, step: int) -> float:
        """The learning rate of that step."""
        if step < self.warmup:
            return self.peak * (step + 1) / self.warmup
        done = (step - self.warmup) / max(self.steps - self.warmup, 1)
        return self.peak * (0.55 + 0.45 * cos(pi * done))


class Run:
    """Weights in training, and the step they are at.

    slow: by what the learning rate of some weights is multiplied. decay: of matrices;
    vectors have none. clip: the longest gradient.
    """

    def __init__(
        self,
        weights: Weights,
        loss: Loss,
        schedule: Schedule,
        slow: Mapping[str, float] | None = None,
        decay: float = 0.1,
        clip: float = 1.0,
    ):
        self.weights = {k: w.clone().requires_grad_() for k, w in weights.items()}
        self.loss, self.schedule, self.clip, self.step = loss, schedule, clip, 0
        groups: defaultdict[tuple[float, float], list[Tensor]] = defaultdict(list)
        for name, w in self.weights.items():
            pace = (slow or {}).get(name, 1.0)
            groups[pace, decay if w.ndim > 1 else 0.0].append(w)
        self._adamw = torch.optim.AdamW(
            [
                {"params": leaves, "pace": pace, "weight_decay": decays}
                for (pace, decays), leaves in groups.items()
            ],
            betas=(0.9, 0.98),
            fused=True,
        )
        for w in self.weights.values():
            moments = {moment: torch.zeros_like(w) for moment in MOMENTS}
            self._adamw.state[w] = {"step": torch.zeros((), device=w.device), **moments}

    def go(self) -> float:
        """One step; its loss. ValueError: it is not finite, and nothing was changed."""
        value = self.loss(self.weights, self.step)
        if not isfinite(found := float(value.item())):
            raise ValueError(f"the loss of step {self.step} is {found}; lower the rate")
        for group in self._adamw.param_groups:
            group["lr"] = group["pace"] * self.schedule.rate(self.step)
        self._adamw.zero_grad()
        torch.autograd.backward(value)
        clip_grad_norm_(self.weights.values(), self.clip)
        self._adamw.step()
        self.step += 1
        return found

    def state(self) -> dict[str, Tensor]:
        """All there is to go on from, but for the step."""
        saved = {f"weight.{name}": w.detach() for name, w in self.weights.items()}
        for name, w in self.weights.items():
            saved |= {f"{m}.{name}": self._adamw.state[w][m] for m in MOMENTS}
        return saved

    def restore(self, saved: Mapping[str, Any], step: int) -> None:
        """Go on from a state, of arrays or tensors, at that step."""
        self.step = step
        for name, tensor in self.state().items():
            tensor.copy_(torch.as_tensor(saved[name]))
        for held in self._adamw.state.values():
            held["step"].fill_(step)
