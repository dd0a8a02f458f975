import numpy as np
import pytest

from specsim import seam
from specsim.seam import proposal
from tests.gpu.cases import torch

pytestmark = pytest.mark.torch
layout = seam.gpu("layout")

HALVES = np.full((3, 2), 0.5)
CHAIN = proposal.Proposal([1, 0], [-1, 0], np.array([[0.25, 0.75], [1, 0]]))
NOTHING = proposal.Proposal([], [], np.array([]))


def test_the_shorter_request_is_padded() -> None:
    p, q, tokens, parents, lengths = layout.pack(
        [HALVES, HALVES[:1]], [CHAIN, NOTHING], torch.bfloat16
    )
    assert p.tolist() == [HALVES.tolist(), [[0.5, 0.5], [0, 0], [0, 0]]]
    assert q.tolist() == [[[0.25, 0.75], [1, 0]], [[0, 0], [0, 0]]]
    assert p.dtype == q.dtype == torch.bfloat16
    assert tokens.tolist() == [[1, 0], [-1, -1]]
    assert parents.tolist() == [[-1, 0], [-1, -1]]
    assert lengths.tolist() == [2, 0]
    assert tokens.dtype == parents.dtype == lengths.dtype == torch.int64


def test_without_q_there_is_none() -> None:
    fixed = proposal.Proposal([1, 0], [-1, -1], None, "fixed")
    assert layout.pack([HALVES, HALVES], [CHAIN, fixed]).q is None


def test_rows_that_do_not_match_are_named() -> None:
    with pytest.raises(ValueError, match=r"p of request 1 has shape \(3, 2\)"):
        layout.pack([HALVES[:1], HALVES], [NOTHING, NOTHING])


def test_unpacked_is_without_padding() -> None:
    tokens = torch.tensor([[3, 1, -1], [2, -1, -1]])
    assert layout.unpack(tokens, torch.tensor([2, 1])) == [[3, 1], [2]]
