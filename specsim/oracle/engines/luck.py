"""The luck of somebody else's code: what torch, random and NumPy draw, from one rng.

`with given(rng): theirs(...)` runs a function as it is, wherever it draws: the global
functions of those libraries are exchanged for the time of the call. An rng of undrawn
uniforms (readings/standin.py) makes tensors of undrawn uniforms, so that the law of
code written in torch is read exactly; any other rng makes ordinary tensors.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
from torch.overrides import TorchFunctionMode

from specsim.oracle.engines.undrawn import Array, Undrawn, plain
from specsim.oracle.readings.cells import Unfollowable

SINGLE = 2**24
"""torch's 32-bit uniforms are multiples of 1 / SINGLE."""
SOON = 2.0**-100
"""A waiting time that wins every race."""
torch.set_num_threads(1)  # rows of a few tokens: threads only wait for each other


class Luck:
    """What the exchanged functions do: every one of them asks the one `rng`.

    drafted: tokens that the first draws are to give, where a function that verifies
    also drafts.
    """

    def __init__(self, rng: Any, drafted: Sequence[int]):
        self.rng, self.drafted = rng, list(drafted)
        self.unfilled: list[torch.Tensor] = []

    def uniforms(self, shape: Sequence[int], double: bool = False) -> Any:
        drawn = np.asarray(self.rng.random(tuple(shape)))
        if drawn.dtype == object:
            return Undrawn(drawn)
        if double:
            return torch.from_numpy(drawn)
        rounded = np.asarray(np.floor(drawn * SINGLE) / SINGLE, dtype=np.float32)
        return torch.from_numpy(rounded)

    def rand(self, *size: Any, **options: Any) -> Any:
        size = options.get("size", size)
        if len(size) == 1 and not isinstance(size[0], int):
            (size,) = size
        return self.uniforms(size, options.get("dtype") is torch.float64)

    def rand_like(self, like: torch.Tensor, **_: Any) -> Any:
        return self.uniforms(like.shape, like.dtype is torch.float64)

    def uniform_(
        self, like: torch.Tensor, low: float = 0.0, high: float = 1.0, **_: Any
    ) -> Any:
        drawn = self.rand_like(like)
        return self.filled(
            like, drawn if (low, high) == (0, 1) else low + (high - low) * drawn
        )

    def exponential_(self, like: torch.Tensor, lambd: float = 1.0, **_: Any) -> Any:
        if self.drafted:
            like.fill_(1.0)[..., self.drafted.pop(0)] = SOON
            return like
        times = -np.log(1 - plain(self.uniforms(like.shape))) / lambd
        if times.dtype == object:
            return self.filled(like, Undrawn(times))
        return like.copy_(torch.from_numpy(np.maximum(times, SOON)))  # never 0

    def filled(self, like: torch.Tensor, drawn: Any) -> Any:
        """What a method returns that fills its own tensor.

        A tensor cannot be filled with what is not drawn: whoever looks at it again,
        and not at what was returned, cannot be followed.
        """
        if not isinstance(drawn, Undrawn):
            return like.copy_(drawn)
        self.unfilled.append(like)
        return drawn

    def multinomial(
        self,
        weights: torch.Tensor,
        num_samples: int,
        replacement: bool = False,
        **_: Any,
    ) -> torch.Tensor:
        """By inverse CDF; after torch itself has refused what it would refuse."""
        refused = REAL_MULTINOMIAL(weights, num_samples, replacement)
        rows = weights.detach().double().numpy().reshape(-1, weights.shape[-1])
        picked = [self._pick(row.copy(), num_samples, replacement) for row in rows]
        return torch.tensor(picked).reshape(refused.shape)

    def _pick(self, row: Array, count: int, replacement: bool) -> list[int]:
        picked = []
        for _ in range(count):
            if self.drafted:
                return [self.drafted.pop(0)]
            picked.append(int(self.rng.choice(len(row), p=row / row.sum())))
            if not replacement:
                row[picked[-1]] = 0
        return picked


REAL_MULTINOMIAL = torch.multinomial


class Watch(TorchFunctionMode):
    """Nobody uses a tensor that could not be filled."""

    def __init__(self, luck: Luck):
        super().__init__()
        self.luck = luck

    def __torch_function__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        for used in args if self.luck.unfilled else ():
            for one in used if isinstance(used, list | tuple) else (used,):
                if any(one is tensor for tensor in self.luck.unfilled):
                    raise Unfollowable("a tensor filled in place by undrawn uniforms")
        return function(*args, **(kwargs or {}))


@contextmanager
def given(rng: Any, drafted: Sequence[int] = ()) -> Iterator[None]:
    """For the time of the block, torch, random and numpy.random draw from rng."""
    luck = Luck(rng, drafted)
    exchanged: list[tuple[Any, str, Callable[..., Any]]] = [
        (torch, "rand", luck.rand),
        (torch, "rand_like", luck.rand_like),
        (torch, "multinomial", luck.multinomial),
        (torch.Tensor, "multinomial", _method(luck.multinomial)),
        (torch.Tensor, "uniform_", _method(luck.uniform_)),
        (torch.Tensor, "exponential_", _method(luck.exponential_)),
        (random, "random", rng.random),
        (np.random, "rand", lambda *size: rng.random(size or None)),
        (np.random, "random", rng.random),
        (np.random, "uniform", rng.uniform),
        (np.random, "choice", rng.choice),
    ]
    with ExitStack() as stack, torch.no_grad():
        for owner, name, drawing in exchanged:
            stack.enter_context(patch.object(owner, name, drawing))
        stack.enter_context(Watch(luck))
        yield


def _method(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that Python binds to the tensor it is looked up on."""

    def method(tensor: torch.Tensor, *args: Any, **options: Any) -> Any:
        return function(tensor, *args, **options)

    return method
