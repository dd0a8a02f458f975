"""What came of a training run."""

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Report:
    """loss_before, loss_after: on text held out. tokens: read, with repetition.

    losses:  of the steps, means over twentieths of the run.
    seconds: of this process; a run that was resumed took more.
    """

    kind: str
    output: str
    parameters: int
    steps: int
    tokens: int
    loss_before: float
    loss_after: float
    losses: list[float]
    seconds: float

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    def text(self) -> str:
        """For people."""
        return (
            f"{self.kind}: {self.parameters:,} parameters, {self.steps:,} steps on "
            f"{self.tokens:,} tokens, {self.seconds:.0f} s\n"
            f"loss on text held out: {self.loss_before:.3f} -> {self.loss_after:.3f}\n"
            f"written: {self.output}"
        )
