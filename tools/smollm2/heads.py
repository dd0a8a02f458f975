"""EAGLE's layer and Medusa's heads, taught on the model's own text and on others."""

import json
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from specsim import pretrained
from specsim.generation import words
from specsim.training import Options, Report
from specsim.training.fit import fit
from specsim.training.memory import Memory
from tools.embedded.corpus import corpus
from tools.smollm2.prompts import library, prompts
from tools.smollm2.writing import Own, kept, written

TEXT = "own.safetensors"
OWN, OTHERS, SEED, LENGTH = 250_000, 250_000, 0, 256
"""Tokens of the model's own text and of Python's library; tokens of a window."""
COMMON: dict[str, Any] = {
    "batch": 4,
    "vocabulary": 4096,
    "remember": True,
}
STAGES: dict[str, dict[str, Any]] = {
    "eagle": {"steps": 8000, "rate": 2e-3, "cross_entropy": 0.5},
    "medusa": {"steps": 1500, "rate": 1e-3, "heads": 3},
}


def heads(model: Path, output: Path) -> Iterator[Report]:
    """Write the model's own text and each kind of draft; what is there stays.

    In bfloat16 where that is faster: the target reads so, and matrices are multiplied.
    """
    whom = pretrained.load(model)
    own, others = texts(model, output / TEXT)
    tokens, memory = torch.cat([others, own.tokens]), Memory()
    remember(memory, own)
    for kind, options in STAGES.items():
        file = output / f"{kind}.safetensors"
        asked = Options(length=LENGTH, **COMMON, **options)
        with _bfloat16():
            report = fit(kind, whom, tokens.numpy(), file, asked, True, memory=memory)
        yield report


@contextmanager
def _bfloat16() -> Iterator[None]:
    """Products of matrices in it; norms, whose weights stay as they are, are slower.

    Weights in half precision are not kept from step to step: they change.
    """
    with (
        warnings.catch_warnings(),
        torch.autocast("cpu", torch.bfloat16, cache_enabled=False),
    ):
        warnings.filterwarnings("ignore", "Mismatch dtype between input and weight")
        yield


def texts(model: Path, file: Path) -> tuple[Own, Tensor]:
    """What the model writes after prompts out of Python's library, and whole windows of
    the library.
    """
    end = json.loads((model / "config.json").read_text())["eos_token_id"]
    encode = words.of(model).encode
    with tempfile.TemporaryDirectory() as scratch:
        files = corpus(Path(scratch)).training
        asked = prompts(files, encode, SEED)
        own = kept(file, written(pretrained.load(model), asked, end, OWN, SEED))
        others = library(files, encode, SEED, OTHERS)
    return own, torch.tensor(others[: len(others) // LENGTH * LENGTH]).int()


def remember(memory: Memory, text: Own) -> None:
    """The windows of a text, which were read when it was written."""
    windows = (each.unfold(0, LENGTH + 1, LENGTH) for each in text)
    for tokens, hidden in zip(*windows, strict=True):
        memory.hold(tokens.long(), hidden.T)
