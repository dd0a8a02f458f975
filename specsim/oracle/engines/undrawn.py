"""A tensor of uniforms that are not drawn yet, as torch's own code may handle it."""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from specsim.oracle.readings.cells import Unfollowable

Array = np.ndarray[Any, Any]


class Undrawn:
    """A tensor of uniforms that are not drawn yet, or of functions of one each.

    It follows comparisons, arithmetic, logarithms, argmax and changes of shape; a
    comparison gives an ordinary tensor of bools. All else raises `Unfollowable`.
    """

    def __init__(self, values: Any):
        self.values: Array = np.asarray(values, dtype=object)

    @classmethod
    def __torch_function__(
        cls, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        name = function.__name__.strip("_")
        if name not in FOLLOWED:
            raise Unfollowable(f"torch.{name} of undrawn uniforms")
        return _tensor(FOLLOWED[name](*map(plain, args), **(kwargs or {})))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise Unfollowable(f"{name} of a tensor of undrawn uniforms")

    def __getitem__(self, at: Any) -> "Undrawn":
        return Undrawn(self.values[plain(at)])

    def __len__(self) -> int:
        return len(self.values)

    def __float__(self) -> float:
        return float(self.item())

    def __neg__(self) -> "Undrawn":
        return Undrawn(-self.values)

    @property
    def shape(self) -> torch.Size:
        return torch.Size(self.values.shape)

    def item(self) -> Any:
        return self.values.item()

    def tolist(self) -> Any:
        return self.values.tolist()

    def to(self, *_: Any, **__: Any) -> "Undrawn":
        return self

    float = double = cpu = clone = contiguous = to

    def reshape(self, *shape: Any) -> "Undrawn":
        return Undrawn(self.values.reshape(*shape))

    view = reshape

    def squeeze(self, dim: int | None = None) -> "Undrawn":
        return Undrawn(self.values.squeeze(dim))

    def unsqueeze(self, dim: int) -> "Undrawn":
        return Undrawn(np.expand_dims(self.values, dim))

    def log(self) -> "Undrawn":
        return Undrawn(np.log(self.values))


def plain(x: Any) -> Any:
    """Tensors as arrays: of 64-bit floats, integers or bools."""
    if isinstance(x, Undrawn):
        return x.values
    if isinstance(x, torch.Tensor):
        return x.detach().double().numpy() if x.is_floating_point() else x.numpy()
    return x


def _tensor(x: Any) -> Any:
    """Undrawn where anything in it is, an ordinary tensor where all is known."""
    x = np.asarray(x)
    return Undrawn(x) if x.dtype == object else torch.from_numpy(x)


def _argmax(x: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    return np.argmax(x, axis=dim, keepdims=keepdim)


FOLLOWED: dict[str, Callable[..., Any]] = {
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "less": np.less,
    "add": operator.add,
    "sub": operator.sub,
    "rsub": lambda a, b: b - a,
    "mul": operator.mul,
    "div": operator.truediv,
    "truediv": operator.truediv,
    "log": np.log,
    "neg": operator.neg,
    "argmax": _argmax,
}


def _forward(name: str) -> Callable[..., Any]:
    def method(self: Undrawn, other: Any) -> Any:
        return _tensor(FOLLOWED[name](self.values, plain(other)))

    return method


def _backward(name: str) -> Callable[..., Any]:
    def method(self: Undrawn, other: Any) -> Any:
        return _tensor(FOLLOWED[name](plain(other), self.values))

    return method


for _name in ("lt", "le", "gt", "ge", "add", "sub", "mul", "truediv"):
    setattr(Undrawn, f"__{_name}__", _forward(_name))
for _name in ("add", "sub", "mul", "truediv"):
    setattr(Undrawn, f"__r{_name}__", _backward(_name))
