"""Engines for campaigns, and what their tasks do."""

import os
import signal
from pathlib import Path
from typing import Any

from tests.oracle import engines

right = engines.own_luck
wrong = engines.residual_is_target


def __getattr__(name: str) -> Any:
    """kills_<n>: a right engine whose task is killed while there are fewer than n lines
    in the file that COUNTED names.
    """
    kills, _, times = name.partition("_")
    if kills != "kills":
        raise AttributeError(name)
    counted = Path(os.environ["COUNTED"])
    with counted.open("a") as file:
        file.write("begun\n")
    if len(counted.read_text().split()) <= int(times):
        os.kill(os.getppid(), signal.SIGKILL)
    return engines.chain
