"""A run on disk: safetensors, written beside and then renamed, so always whole."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from specsim import weights
from specsim.errors import Bad
from specsim.roofline.fields import short, short_path

Settings = dict[str, Any]
"""All that settles how a run ends; whole in JSON."""
LOSSES = "losses"


def beside(output: Path) -> Path:
    """Where the run that makes `output` is kept while it lasts."""
    return output.with_name(f"{output.name}.checkpoint")


def save(path: Path, run: Any, losses: list[float], settings: Settings) -> None:
    """Write weights, moments, and the loss of every step so far."""
    arrays = {name: tensor.cpu().numpy() for name, tensor in run.state().items()}
    arrays[LOSSES] = np.array(losses)
    weights.save(path, arrays, {"settings": json.dumps(settings)})


def restore(path: Path, run: Any, settings: Settings) -> list[float]:
    """Bring the run to where the checkpoint was written; the losses up to there.

    Bad: the checkpoint is of other settings, or is none.
    """
    where = short_path(path)
    arrays, metadata = weights.read(path)
    try:
        written = dict(json.loads(metadata["settings"]))
        losses = arrays.pop(LOSSES)
    except (KeyError, ValueError, TypeError):
        raise Bad(f"{where}: no checkpoint of a run; start without --resume") from None
    for name, value in settings.items():
        if (found := written.get(name)) != value:
            raise Bad(
                f"{where}: {name} was {short(found)} and now is {short(value)}; "
                "start without --resume"
            )
    shapes = {name: tuple(tensor.shape) for name, tensor in run.state().items()}
    run.restore(weights.check(arrays, shapes, where), len(losses))
    return [*map(float, losses)]
