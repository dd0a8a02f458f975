"""What `specsim train` does: from files to a file."""

import shutil
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from specsim import embedded, pretrained, tokens
from specsim.errors import Bad
from specsim.roofline.fields import short, short_path
from specsim.training import data as texts
from specsim.training.options import KINDS, Options
from specsim.training.report import Report

FEW_WORDS = "eagle", "medusa"
"""Kinds that may draft some words only."""


def train(
    kind: str,
    *,
    data: Iterable[str | Path],
    output: str | Path,
    target: str | Path | None = None,
    resume: bool = False,
    device: str = "cpu",
    **options: Any,
) -> Report:
    """Train one of KINDS on texts, and write its weights as safetensors.

    target:  whom to draft for, a folder or a file; None: the embedded one. For kind
             "target" it lends its shape and its tokenizer to a new one.
    data:    files, or folders of text.
    options: fields of Options; steps and rate are the kind's where they are not given.
    resume:  go on from the checkpoint that a broken run left beside `output`.
    device:  "cpu" or "cuda".

    Bad, in one line, for whatever is not as it should be.
    """
    if kind not in KINDS:
        raise Bad(f"no kind {short(kind)} to train: choose from {', '.join(KINDS)}")
    if kind not in FEW_WORDS and options.get("vocabulary"):
        raise Bad(
            f"{kind} drafts all words: vocabulary is for {' and '.join(FEW_WORDS)}"
        )
    if kind == "target" and options.get("remember"):
        raise Bad("target: it learns, so what it read is not to be remembered")
    output = _writable(output)
    _require_torch(device)
    from specsim.generation import words
    from specsim.training import fit, kinds

    row = kinds.KINDS[kind]
    asked = Options(**{"steps": row.steps, "rate": row.rate} | options)
    where = Path(target or embedded.FOLDER / embedded.TARGET).expanduser()
    whom, file = pretrained.load(where), _tokenizer(where)
    ids = texts.tokens(texts.read(data), words.of(where))
    report = fit.fit(kind, whom, ids, output, asked, resume, device)
    if kind == "target" and not (copy := output.parent / tokens.FILE).exists():
        shutil.copyfile(file, copy)
    return report


def _writable(output: str | Path) -> Path:
    """Known before hours are spent."""
    path = Path(output).expanduser()
    if path.suffix != ".safetensors":
        raise Bad(f"output {short_path(path)}: must end in .safetensors")
    if not path.parent.is_dir():
        raise Bad(f"output {short_path(path)}: there is no such folder; make it first")
    return path


def _require_torch(device: str) -> None:
    if find_spec("torch") is None:
        raise Bad("training needs torch: pip install 'specsim-llm[torch]'")
    import torch

    if device != "cpu" and not (device == "cuda" and torch.cuda.is_available()):
        raise Bad(f"device {short(device)}: there is cpu, and cuda if torch sees one")


def _tokenizer(model: Path) -> Path:
    folder = model if model.is_dir() else model.parent
    if not (file := folder / tokens.FILE).is_file():
        raise Bad(f"{short_path(model)}: there is no {tokens.FILE} with it")
    return file
