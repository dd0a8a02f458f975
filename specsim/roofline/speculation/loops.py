"""What speculation takes on the host, engine by engine."""

from dataclasses import dataclass

from specsim.roofline.engines import Engine


@dataclass(frozen=True)
class Loop:
    """Host time that a plain step does not have (us).

    pass_us:   of every pass of the draft, beside launching its layers.
    step_us:   of every step: comparing, forgetting what was rejected, looking up.
    tree_us:   of every step that verifies a tree, on top: masks, picking the path.
    layer_us:  of every layer that verifies a tree: masks, moving the cache of the path.
    launch_us: of a layer that verifies a tree, where that takes model code of its own,
        which keeps its cache in place; None: the engine's code does.
    """

    pass_us: float
    step_us: float
    tree_us: float
    source: str
    layer_us: float = 0.0
    launch_us: float | None = None


EAGER = Loop(
    pass_us=650, step_us=1000, tree_us=1900, layer_us=70, launch_us=690,
    source="tools/fit_speculation.py on 87 published speed-ups of PyTorch loops",
)  # fmt: skip
TYPICAL = Loop(
    pass_us=50, step_us=100, tree_us=200,
    source="an assumption: passes recorded once, acceptance decided on the GPU",
)  # fmt: skip
LOOPS = {
    "vllm": Loop(
        pass_us=250, step_us=300, tree_us=300,
        source="an assumption; within 2 % of vLLM pull request 24243 (EAGLE-3, k 6)",
    ),
    "sglang": Loop(
        pass_us=60, step_us=200, tree_us=300,
        source="an assumption between trtllm and vllm: the draft's passes are recorded",
    ),
    "trtllm": Loop(
        pass_us=30, step_us=100, tree_us=200,
        source="an assumption; within 10 % of TensorRT-LLM's tech_blog1 (MTP 1 to 5)",
    ),
}  # fmt: skip


def loop(engine: Engine) -> Loop:
    """The loop of an engine, whichever version of it.

    One that launches kernels one by one does so from Python. Of others the typical one.
    """
    family = engine.name.partition("-")[0]
    return LOOPS.get(family, EAGER if engine.launch_us else TYPICAL)
