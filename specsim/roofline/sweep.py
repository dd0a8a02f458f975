"""A prediction over a range of one of its numbers."""

from dataclasses import dataclass
from typing import Any

from specsim.errors import Bad
from specsim.roofline.lettering import columns, figure
from specsim.roofline.prediction import Prediction, predict

MOST = 1000
NAMES = "batch", "context", "gpus"


@dataclass(frozen=True)
class Sweep:
    """Predictions that differ in `name`; those that cannot be made are left out.

    refused: value to the reason why there is none.
    """

    name: str
    points: tuple[tuple[int, Prediction], ...]
    refused: dict[int, str]

    def as_dict(self) -> dict[str, Any]:
        """What `specsim roofline --over --json` prints."""
        rows = [{self.name: value} | _row(made) for value, made in self.points]
        return {"over": self.name, "rows": rows, "refused": self.refused}

    def text(self) -> str:
        """A table for people."""
        first = self.points[0][1]
        lines = [f"{first.deployment.model.hf_id} on {first.deployment.gpu.name}", ""]
        head = self.name, "ms", "low", "high", "tokens/s", "spare GB", "bound"
        rows = [_cells(value, made) for value, made in self.points]
        lines += columns([head, *rows])
        return "\n".join([*lines, *(f"{self.refused[n]}" for n in self.refused)])


def _row(made: Prediction) -> dict[str, Any]:
    keys = "step_ms", "low_ms", "high_ms", "tokens_per_s", "bound", "fits", "gpus"
    return {key: getattr(made, key) for key in keys}


def _cells(value: int, made: Prediction) -> tuple[str, ...]:
    times = made.step_ms, made.low_ms, made.high_ms
    return (
        f"{value:,}",
        *(f"{ms:,.2f}" for ms in times),
        figure(made.tokens_per_s, 5),
        f"{made.spare_bytes / 1e9:,.1f}",
        made.bound + ("" if made.fits else "  DOES NOT FIT"),
    )


def over(said: str, model: str, gpu: str, **asked: Any) -> Sweep:
    """Predict for each value of `said`: "batch=1:256" (doubling) or "gpus=1,2,8".

    GPUs default to the least for the smallest value, and stay. Bad on anything else.
    """
    name, values = _parsed(said)
    if name != "gpus" and asked.get("gpus") is None and asked.get("plan") is None:
        asked |= {"gpus": predict(model, gpu, **asked | {name: values[0]}).gpus}
    points, refused = [], {}
    for value in values:
        try:
            points.append((value, predict(model, gpu, **asked | {name: value})))
        except Bad as reason:
            refused[value] = str(reason)
    if not points:
        raise Bad(next(iter(refused.values())))
    return Sweep(name, tuple(points), refused)


def _parsed(said: str) -> tuple[str, list[int]]:
    name, _, values = said.partition("=")
    if name not in NAMES or not values:
        raise Bad(f"--over {said!r}: say batch=1:256, context=1024,4096 or gpus=1:8")
    try:
        if ":" in values:
            low, high = map(int, values.split(":"))
            return name, _doubled(low, high)
        found = sorted({int(each) for each in values.split(",")})
    except ValueError:
        raise Bad(f"--over {said!r}: give whole numbers, LOW:HIGH or A,B,C") from None
    if len(found) > MOST:
        raise Bad(f"--over {said[:40]!r}: at most {MOST} values")
    return name, found


def _doubled(low: int, high: int) -> list[int]:
    """From low to high by factors of two, high included."""
    if not 1 <= low <= high:
        raise Bad(f"--over: {low}:{high} is no range; give 1 <= LOW <= HIGH")
    values = []
    while low < high:
        values.append(low)
        low *= 2
    return [*values, high]
