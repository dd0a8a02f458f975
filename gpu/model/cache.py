"""Static key and value tensors of a batch: what is kept, and a tree on top of it."""

from copy import copy

import torch
from torch import Tensor
from torch.nn.functional import pad

from .config import Config


def ancestry(parents: Tensor) -> Tensor:
    """Which nodes each node of B trees descends from, itself included: (B, N, N).

    parents: (B, N), -1 for the root. In as many steps as the depth has binary digits,
    each of which doubles how far up is seen.
    """
    nodes = parents.shape[1]
    seen = torch.eye(nodes, dtype=torch.bool, device=parents.device)
    seen = seen.expand(len(parents), -1, -1)
    for _ in range(nodes.bit_length()):
        below, up = parents >= 0, parents.clamp(min=0)
        above = seen.gather(1, up[..., None].expand_as(seen))
        seen = seen | (above & below[..., None])
        parents = parents.gather(1, up).where(below, -1)
    return seen


class Cache:
    """Keys and values of B requests, each with its own length.

    kept:    (B,) how many tokens are context; the nodes of the tree follow
    parents: (B, M) of the nodes, -1 for the context
    """

    def __init__(
        self,
        config: Config,
        layers: int,
        batch: int,
        slots: int,
        dtype: torch.dtype,
        device: torch.device,
    ):
        shape = layers, 2, batch, config.kv_heads, slots, config.head_dim
        self._store = torch.zeros(shape, dtype=dtype, device=device)
        self._request = torch.arange(batch, device=device)[:, None]
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self.kept = torch.zeros_like(self._request[:, 0])
        self.parents = self._request[:, :0]

    def fresh(self) -> "Cache":
        """One of the same size with nothing in it."""
        other = copy(self)
        other._store = torch.zeros_like(self._store)
        other.clear()
        return other

    def widen(self, slots: int) -> None:
        """Make it one of so many slots; what is kept stays."""
        more = slots - self._store.shape[4]
        self._store = pad(self._store, (0, 0, 0, more))

    @property
    def slots(self) -> int:
        """The most tokens that each request may hold."""
        return int(self._store.shape[4])

    def grow(self, parents: Tensor) -> tuple[Tensor, Tensor]:
        """Make room for n nodes more: their positions (B, n), and what they see.

        The latter (B, 1, n, S) is a mask over the slots in use. ValueError: no room.
        """
        first = self.parents.shape[1]
        nodes = first + parents.shape[1]
        end = int(self.kept.max()) + nodes
        if end > self.slots:
            raise ValueError(f"{end} tokens do not fit in {self.slots} slots")
        self._end, self.parents = end, torch.cat([self.parents, parents], 1)
        new = torch.arange(first, nodes, device=parents.device)
        self._new = self.kept[:, None] + new
        seen = ancestry(self.parents)[:, first:]
        positions = self.kept[:, None] + seen.sum(-1) - 1
        return positions, self._over_slots(seen)[:, None]

    def _over_slots(self, seen: Tensor) -> Tensor:
        """Which slots n nodes attend to (B, n, S), from which nodes (B, n, M)."""
        slots = torch.arange(self._end, device=seen.device)
        node = (slots - self.kept[:, None])[:, None]
        known = pad(seen, (0, 1))
        beyond = seen.shape[2]
        at = torch.where(node < beyond, node, beyond).clamp(min=0)
        return (node < 0) | known.gather(2, at.expand(-1, seen.shape[1], -1))

    def put(self, layer: int, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """Store those of the last n nodes (B, n, kv_heads, head_dim).

        Gives all there are, (B, kv_heads, S, head_dim) each.
        """
        both = self._store[layer]
        both[0, self._request, :, self._new] = keys
        both[1, self._request, :, self._new] = values
        return both[0, :, :, : self._end], both[1, :, :, : self._end]

    def keep(self, path: Tensor) -> None:
        """The nodes of `path` (B, d), padded with -1, become context; no others do."""
        source = self.kept[:, None] + path.clamp(min=0)
        to = self.kept[:, None] + torch.arange(path.shape[1], device=path.device)
        moved = self._store[:, :, self._request, :, source]
        self._store[:, :, self._request, :, to] = moved
        self.kept = self.kept + (path >= 0).sum(1)
        self.parents = self._request[:, :0]
