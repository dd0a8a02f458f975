"""How fast will it be? One decode step from bytes and FLOPs, kernel by kernel.

catalog, names, fields           which model, which GPU
config, checkpoint               the same from a config.json
shapes, costs                    bytes and FLOPs of each operation
hardware, formats, links, engines, constants, communication, step
                                 what they take in seconds
work, plan, deployment           a pass over tokens, on how many GPUs
question, fit, doubts, prediction   the question, whether it fits, the answer
rendering, tables                the answer in words
"""

import sys
from types import ModuleType
from typing import Any

from specsim.roofline.prediction import Prediction, predict
from specsim.roofline.question import deploy
from specsim.roofline.rendering import text
from specsim.roofline.tables import gpus_rows, gpus_table, models_rows, models_table

__all__ = [
    "Prediction",
    "deploy",
    "gpus_rows",
    "gpus_table",
    "models_rows",
    "models_table",
    "predict",
    "text",
]


class _Question(ModuleType):
    """So that `specsim.roofline("70b", "a100")` asks `predict`, as the command does."""

    def __call__(self, *args: Any, **asked: Any) -> Prediction:
        return predict(*args, **asked)


sys.modules[__name__].__class__ = _Question
