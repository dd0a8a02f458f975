"""What ran, for reports."""

import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version


@cache
def versions() -> dict[str, str]:
    """What ran: nothing here names a machine or its user."""
    try:
        own = version("specsim-llm")
    except PackageNotFoundError:
        own = "a checkout"
    return {
        "specsim": own,
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "platform": f"{platform.system()} {platform.machine()}",
    }
