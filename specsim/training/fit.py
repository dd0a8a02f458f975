"""One training run, from tokens to weights in half precision."""

import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from specsim import seam, weights
from specsim.errors import Bad
from specsim.pretrained import Pretrained
from specsim.progress import Progress
from specsim.training import checkpoint
from specsim.training.checkpoint import Settings
from specsim.training.data import digest
from specsim.training.kinds import KINDS, Made, Task
from specsim.training.memory import Memory
from specsim.training.options import Options
from specsim.training.report import Report
from specsim.weights import Array

KEEP_S = 30.0
"""A checkpoint is written this often."""
SHOWN = 20


def fit(
    kind: str,
    target: Pretrained,
    tokens: Array,
    output: Path,
    options: Options,
    resume: bool = False,
    device: str = "cpu",
    memory: Memory | None = None,
) -> Report:
    """Train and write; Bad, in one line, where that cannot be.

    target: whom to draft for, or a shape without arrays for kind "target". resume: go
    on from the checkpoint beside `output`, if there is one; a run that was finished is
    not repeated. On one thread of the CPU the end is bit for bit that of a whole run.
    device: of torch. memory: of what this very target has read before, for options
    that remember.
    """
    started = time.monotonic()
    settings = _settings(kind, target, tokens, options)
    found = _finished(output, settings) if resume else None
    if found is None:
        try:
            kept = (memory or Memory()) if options.remember else None
            whom = target, kept
            work = _Fit(kind, whom, tokens, output, options, settings, device)
            found = work.whole(resume)
        except Bad:
            raise
        except ValueError as error:
            raise Bad(f"train {kind}: {error}") from None
    return Report(output=str(output), seconds=time.monotonic() - started, **found)


class _Fit:
    """The loop on what a kind made, and its files."""

    def __init__(
        self,
        kind: str,
        whom: tuple[Pretrained, Memory | None],
        tokens: Array,
        output: Path,
        options: Options,
        settings: Settings,
        device: str,
    ):
        target, memory = whom
        text, held = _split(torch.as_tensor(tokens), options)
        self.held = held.to(device)
        self.made = KINDS[kind].make(Task(target, text, options, device, memory))
        self.run = _run(self.made, options, device)
        self.output, self.options, self.settings = output, options, settings
        self.beside = checkpoint.beside(output)
        self.losses: list[float] = []

    def whole(self, resume: bool) -> dict[str, Any]:
        """Train, write, and say what the header says as well."""
        before = self._value()
        if resume and self.beside.exists():
            self.losses = checkpoint.restore(self.beside, self.run, self.settings)
        self._train()
        options, parts = self.options, np.array_split(self.losses, SHOWN)
        report = {
            "kind": self.settings["kind"],
            "parameters": sum(w.numel() for w in self.run.weights.values()),
            "steps": options.steps,
            "tokens": options.steps * options.batch * options.length,
            "loss_before": before,
            "loss_after": self._value(),
            "losses": [float(part.mean()) for part in parts if len(part)],
        }
        self._write(report)
        self.beside.unlink(missing_ok=True)
        return report

    def _train(self) -> None:
        """To the last step, with a checkpoint now and then, and when interrupted."""
        run, most, kept = self.run, self.options.steps, time.monotonic()
        with Progress() as said:
            try:
                while run.step < most:
                    self.losses.append(run.go())
                    recent = np.mean(self.losses[-50:])
                    said(f"step {run.step:,} of {most:,}, loss {recent:.3f}")
                    if time.monotonic() - kept >= KEEP_S:
                        self._keep()
                        kept = time.monotonic()
            except KeyboardInterrupt:
                self._keep()
                raise

    def _keep(self) -> None:
        checkpoint.save(self.beside, self.run, self.losses, self.settings)

    @torch.no_grad()
    def _value(self) -> float:
        """The loss on what is held out."""
        steps = self.options.steps
        return float(self.made.loss(self.run.weights, self.held, steps))

    @torch.no_grad()
    def _write(self, report: dict[str, Any]) -> None:
        """Every part; the one called `output` last."""
        said = {"settings": json.dumps(self.settings), "report": json.dumps(report)}
        said |= self.made.learnt(self.run.weights)
        for part in self.made.parts:
            arrays = {name: self.run.weights[name].cpu().numpy() for name in part.names}
            name = f"{self.output.stem}{part.ending}{self.output.suffix}"
            path, whole = self.output.with_name(name), _halved(arrays)
            weights.save(path, whole | {**part.settled}, part.metadata | said)


def _run(made: Made, options: Options, device: str) -> Any:
    """The loop, on texts in turn."""
    loop, window = seam.gpu("train.loop"), seam.gpu("train.windows").Windows
    how = options.length, options.batch, options.seed, options.remember
    windows = [window(text, *how) for text in made.texts]

    def loss(trained: Any, step: int) -> Any:
        turn, which = divmod(step, len(windows))
        return made.loss(trained, windows[which].at(turn).to(device), step)

    warmup = max(options.steps // 30, 1)
    schedule = loop.Schedule(options.steps, options.rate, warmup)
    begun = {name: w.to(device) for name, w in made.weights.items()}
    return loop.Run(begun, loss, schedule, made.slow)


def _split(tokens: Tensor, options: Options) -> tuple[Tensor, Tensor]:
    """The text, and the batch at its end that is held out."""
    length, batch = options.length, options.batch
    if len(tokens) < (need := (2 * batch + 1) * length + 1):
        raise Bad(
            f"{len(tokens):,} tokens of text are too few: windows of {length}, {batch} "
            f"at a time, need {need:,}"
        )
    cut = len(tokens) - batch * length - 1
    return tokens[:cut], tokens[cut:].long().unfold(0, length + 1, length)


def _halved(arrays: dict[str, Array]) -> dict[str, Array]:
    """In half precision; what is too large for it becomes infinite."""
    with np.errstate(over="ignore"):
        return {name: array.astype(np.float16) for name, array in arrays.items()}


def _settings(
    kind: str, target: Pretrained, tokens: Array, options: Options
) -> Settings:
    """The options, and digests of what is read."""
    start = None
    if options.start is not None:
        start = digest(*weights.read(options.start).arrays.values())
    return asdict(options) | {
        "kind": kind,
        "start": start,
        "text": digest(tokens),
        "target": digest(*target.arrays.values()),
    }


def _finished(output: Path, settings: Settings) -> dict[str, Any] | None:
    """What was said of a run of these settings that wrote `output`, if one did."""
    if not output.exists():
        return None
    metadata = weights.read(output).metadata
    if metadata.get("settings") != json.dumps(settings):
        return None
    report: dict[str, Any] = json.loads(metadata["report"])
    return report
