"""A calibration from its file: every wrong field is one clear line."""

from pathlib import Path
from typing import Any

from specsim.errors import Bad
from specsim.roofline.calibration import files, schema
from specsim.roofline.calibration.kernels import Kernels
from specsim.roofline.calibration.probes import Point
from specsim.roofline.calibration.result import VERSION, Calibration
from specsim.roofline.calibration.schema import Place
from specsim.roofline.catalog import Gpu
from specsim.roofline.formats import FORMATS
from specsim.roofline.step import HALVES

KEYS = (
    "specsim_calibration", "gpu", "kernels", "device", "threads", "software", "rounds",
    "seconds", "notes", "points",
)  # fmt: skip


def load(path: Path | str) -> Calibration:
    """Read what `Calibration.save` wrote; Bad on anything else."""
    file = Path(path).expanduser()
    place, data = Place(str(path)), files.read(file)
    version = data.get(KEYS[0])
    if type(version) is not int or version != VERSION:
        raise (place / KEYS[0]).bad(version, f"{VERSION}: calibrate again")
    given = schema.keys(place, data, KEYS)
    return Calibration(
        card=_card(place / "gpu", given["gpu"]),
        kernels=_kernels(place / "kernels", given["kernels"]),
        device=schema.text(place / "device", given["device"]),
        threads=schema.whole(place / "threads", given["threads"]),
        software=schema.text(place / "software", given["software"]),
        rounds=schema.whole(place / "rounds", given["rounds"]),
        seconds=schema.number(place / "seconds", given["seconds"]),
        notes=schema.texts(place / "notes", given["notes"]),
        points=_points(place / "points", given["points"]),
    )


def _card(place: Place, value: Any) -> Gpu:
    """With a rate that products can be counted at."""
    row = schema.row(Gpu, place, value)
    columns = *HALVES, "fp32_tflops"
    if not any(getattr(row, column) for column in columns):
        raise Bad(f"{place.file}: {place.path} has none of {', '.join(columns)}")
    return row


def _kernels(place: Place, value: Any) -> dict[str, Kernels]:
    """Of some formats, one at least."""
    known = ", ".join(FORMATS)
    if not isinstance(value, dict) or not value or not value.keys() <= FORMATS.keys():
        raise place.bad(value, f"an object of some of {known}")
    return {name: schema.row(Kernels, place / name, of) for name, of in value.items()}


def _points(place: Place, value: Any) -> tuple[Point, ...]:
    given = enumerate(schema.items(place, value))
    return tuple(schema.row(Point, place / at, each) for at, each in given)
