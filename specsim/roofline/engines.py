"""What engines add to their kernels: the host's time."""

from dataclasses import dataclass

Range = tuple[float, float, float]


@dataclass(frozen=True)
class Engine:
    """Time on top of the kernels (us): each low, expected, high.

    step_us:     of every pass: scheduling, sampling, copies.
    sequence_us: of every sequence of the batch; in the typical engine it only raises
        the high end.
    layer_us:    of every layer, beyond the fixed time of its kernels.
    launch_us:   a layer's kernels are launched one by one, and this is what the host
        takes: a pass lasts no less. 0: recorded once, replayed as a whole.
    """

    name: str
    step_us: Range
    sequence_us: Range
    source: str
    layer_us: Range = (0, 0, 0)
    launch_us: float = 0.0


SLOPE = (25, 35, 45)
ENGINES = {
    row.name: row
    for row in [
        Engine("typical", (0, 100, 1500), (0, 0, 35),
               "from a compiled loop on an idle GPU (gpt-fast) to a server (vLLM)"),
        Engine("vllm", (600, 1200, 2000), SLOPE,
               "regression on served batches, vLLM 0.12-0.19"),
        Engine("sglang", (400, 800, 1200), (0, 0, 35), "regression on served batches"),
        Engine("trtllm", (400, 600, 900), (0, 0, 35), "regression on served batches"),
    ]
}  # fmt: skip
