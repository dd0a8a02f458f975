"""What every picture shares."""

from pathlib import Path

from matplotlib.figure import Figure

from specsim.errors import Bad


def save(figure: Figure, file: Path) -> None:
    """Write it, as whatever its suffix says; Bad if that cannot be."""
    try:
        figure.savefig(file, dpi=150)
    except OSError as error:
        raise Bad(f"--plot {file}: {error.strerror}") from None
    except ValueError as error:
        raise Bad(f"--plot {file}: {str(error).splitlines()[0]}") from None
