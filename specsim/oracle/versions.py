"""What ran, for reports."""

import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version


def own() -> str:
    """Of specsim itself."""
    try:
        return version("specsim-llm")
    except PackageNotFoundError:
        return "a checkout"


@cache
def versions() -> dict[str, str]:
    """What ran: nothing here names a machine or its user."""
    return {
        "specsim": own(),
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "platform": f"{platform.system()} {platform.machine()}",
    }
