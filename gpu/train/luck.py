"""Luck that is a pure function of its name, so that nothing is lost with a process."""

from random import Random

import torch


def luck(*name: str | int) -> torch.Generator:
    """The generator of that name, always the same. Names are mixed, not added up."""
    return torch.Generator().manual_seed(Random(repr(name)).getrandbits(32))
