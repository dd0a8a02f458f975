"""How a model is divided over GPUs."""

from dataclasses import dataclass

from specsim.errors import Bad


@dataclass(frozen=True)
class Plan:
    """Degrees of parallelism; their product is the number of GPUs.

    tp: every matrix and the heads are cut over so many GPUs.
    dp: replicas of attention (and of all else but experts) that share the batch; the
        experts are spread over all tp * dp.
    pp: stages of layers; a pass takes as long as all of them, and holds a pp-th of the
        batch, the others being elsewhere in the pipe.
    ep: groups of GPUs that experts are dealt to whole; of the tp * dp GPUs each group
        has tp * dp / ep, which cut every expert of the group.
    """

    tp: int = 1
    pp: int = 1
    ep: int = 1
    dp: int = 1

    def __post_init__(self) -> None:
        if self.spread % self.ep:
            raise Bad(
                f"ep {self.ep}: {self.spread} GPUs share the experts (tp x dp); make "
                "ep a divisor of that"
            )

    @property
    def gpus(self) -> int:
        """All of them."""
        return self.tp * self.pp * self.dp

    @property
    def spread(self) -> int:
        """The GPUs that share the experts of a layer."""
        return self.tp * self.dp

    @property
    def cut(self) -> int:
        """Into how many parts one expert is cut."""
        return self.spread // self.ep

    def __str__(self) -> str:
        parts = {"tensor": self.tp, "pipeline": self.pp, "data": self.dp}
        said = [f"{name} parallel {n}" for name, n in parts.items() if n > 1]
        if self.ep > 1:
            said.append(f"experts in {self.ep} groups")
        return ", ".join(said) or "one GPU"
