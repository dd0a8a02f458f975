"""What a person typed, as the command of a program."""

import os
import shlex

from specsim.errors import Bad
from specsim.oracle.engines.contract import short


def is_path(engine: str) -> bool:
    """Whether it is a program's path, perhaps with arguments. Bad: quotes left open.

    >>> is_path("./engine --fast"), is_path("node engine.js"), is_path("module:verify")
    (True, True, False)
    """
    try:
        first, *arguments = shlex.split(engine) or [""]
    except ValueError as error:
        raise Bad(f"engine {engine!r}: {str(error).lower()}") from None
    if "/" in first or arguments:
        return True
    return os.path.isfile(first) and os.access(first, os.X_OK)


def words(engine: str) -> list[str]:
    """The words of a command; a lone file name is one of this folder."""
    first, *arguments = shlex.split(engine)
    if "/" not in first and not arguments:
        first = f"./{first}"
    if "/" in first and not os.path.isfile(first):
        raise Bad(
            f"engine {engine!r}: there is no program {short(first)}; an engine in "
            "Python is written module:attribute"
        )
    return [first, *arguments]
