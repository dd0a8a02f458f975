"""What each drafter is made of, in a world of a few words and rational rows."""

from collections.abc import Callable
from typing import Any

from reference.model.table import Table, table
from reference.proposal import Rows

WORDS = 2
DRAFT = table(30, WORDS)

Parts = Callable[[], tuple[Any, ...]]

PARTS: dict[str, Parts] = {
    "nothing": lambda: (),
    "a model": lambda: (Table(DRAFT),),
}
"""What a drafter needs to the arguments of its constructor."""


def target(seed: int = 3) -> Rows:
    """A model of the same words."""
    return table(seed, WORDS)
