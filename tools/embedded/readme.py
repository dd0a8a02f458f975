"""The README.md of specsim/data/weights."""

import platform
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import torch

from specsim import weights
from specsim.training import Report
from specsim.training.data import digest
from tools.embedded.measure import NEW, PROMPT, K, Measured

TEXT = """\
# Weights in the wheel

Made by `python -m tools.embedded --output FOLDER` with CPython {python}, torch {torch}
and NumPy {numpy}, on one thread; the same versions on the same kind of processor give
the same tensors. They are in fp16 under the names Hugging Face, Medusa, EAGLE and
DeepSeek give them; the header of each file says with which settings it was trained, and
on which text. `tokenizer.json` holds the merges of a byte-level tokenizer
(specsim/tokens.py).

Trained on the standard library of that Python: its `*.py` files but for tests,
installed packages and tables (tools/embedded/corpus.py says which), and the texts of
`help`. They are Copyright (c) 2001 onwards Python Software Foundation, under the PSF
License Version 2. Every twentieth file was held out.

| file | parameters | bytes | steps | loss on text held out | digest of the tensors |
|---|---|---|---|---|---|
{files}

Measured by the same command on {prompts} prompts of {prompt} tokens out of files that
were held out, {new} tokens each, drafts of at most {k} levels, with the NumPy models:

| drafter | temperature | rule | tokens a step | accepted at depth 1, 2, ... |
|---|---|---|---|---|
{measured}
"""


def readme(
    output: Path, reports: list[Report], measured: Iterable[Measured], prompts: int
) -> str:
    """All of it, as Markdown."""
    return TEXT.format(
        python=platform.python_version(),
        torch=torch.__version__.partition("+")[0],
        numpy=np.__version__,
        files="\n".join(
            _file(report) for report in reports if Path(report.output).parent == output
        ),
        measured="\n".join(map(_measured, measured)),
        prompts=prompts,
        prompt=PROMPT,
        new=NEW,
        k=K,
    )


def _file(report: Report) -> str:
    path = Path(report.output)
    return (
        f"| {path.name} | {report.parameters:,} | {path.stat().st_size:,} | "
        f"{report.steps:,} | {report.loss_before:.2f} to {report.loss_after:.2f} | "
        f"{digest(*weights.read(path).arrays.values())} |"
    )


def _measured(one: Measured) -> str:
    rates = ", ".join(f"{rate:.2f}" for rate in one.acceptance)
    return (
        f"| {one.drafter} | {one.temperature:g} | {one.rule} | "
        f"{one.tokens_per_step:.2f} | {rates} |"
    )
