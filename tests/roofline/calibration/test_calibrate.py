"""The real measurement, small."""

import importlib.util
import os
import time
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

from specsim.errors import Bad
from specsim.roofline.calibration import (
    Calibration,
    bench,
    calibrate,
    machine,
    numpy_probes,
)
from specsim.roofline.calibration.bench import Bench
from specsim.roofline.calibration.calibrate import _busy, _measured
from specsim.roofline.calibration.clock import HostClock
from specsim.roofline.calibration.probes import Probe
from specsim.roofline.constants import Spread
from specsim.roofline.prediction import predict
from tests.roofline.calibration import machines

MEGABYTE = 2**20


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Matrices that any cache holds: quick, and good for nothing else."""
    monkeypatch.setattr(machine, "pool_bytes", lambda cache, memory: 32 * MEGABYTE)
    monkeypatch.setattr(numpy_probes, "INNER", 256)
    monkeypatch.setattr(numpy_probes, "SMALL", 64)
    monkeypatch.setattr(numpy_probes, "MEDIUM", 128)
    monkeypatch.setattr(numpy_probes, "LARGE", 512)
    monkeypatch.setattr(numpy_probes, "SQUARE", 128)
    monkeypatch.setattr(numpy_probes, "CONTEXTS", (16, 64))
    monkeypatch.setattr(numpy_probes, "PROMPT", 16)
    monkeypatch.setattr(bench, "LAYERS", 1)


@pytest.fixture
def no_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name: None if name == "torch" else found(name),
    )


@pytest.fixture
def small_torch(monkeypatch: pytest.MonkeyPatch, small: None) -> None:
    pytest.importorskip("torch")
    from specsim.roofline.calibration import torch_probes

    sizes = torch_probes.Sizes(256, 64, 128, 512, 128)
    monkeypatch.setattr(torch_probes, "HOST", sizes)
    monkeypatch.setattr(torch_probes, "CONTEXTS", (16, 64))
    monkeypatch.setattr(torch_probes, "PROMPT", 16)


@pytest.mark.torch
def test_torch_is_measured_in_three_formats(small_torch: None) -> None:
    import torch

    before = torch.get_num_threads()
    said: list[str] = []
    made = calibrate(threads=1, seconds=0.01, say=said.append)
    assert torch.get_num_threads() == before
    assert not torch.is_inference_mode_enabled()
    assert list(made.kernels) == ["bf16", "fp32", "int8"]
    assert made.threads == 1
    assert made.software.startswith("torch ")
    assert made.rounds >= 3
    assert {point.work.kind for point in made.points} == {
        "read", "copy", "product", "attention", "prefill", "small",
    }  # fmt: skip
    assert said[-1].startswith(f"round {made.rounds}, ")
    assert predict("8b", made.gpu, gpus=1).step_ms > 0
    assert "8 tokens cost" in made.text()


def test_numpy_is_measured_where_torch_is_absent(small: None, no_torch: None) -> None:
    numpy_was_measured(calibrate(seconds=0.01))


def test_numpy_is_measured_where_it_is_asked_for(small: None) -> None:
    numpy_was_measured(calibrate(seconds=0.01, backend="numpy"))


def numpy_was_measured(made: Calibration) -> None:
    assert list(made.kernels) == ["fp32"]
    assert made.software == f"numpy {np.__version__}"
    assert {point.work.kind for point in made.points} == {
        "read", "copy", "product", "attention", "prefill", "small",
    }  # fmt: skip
    assert any("NumPy was measured" in note for note in made.notes)
    assert made.card.bf16_tflops is None
    for weights in ("fp32", "bf16"):
        assert predict("8b", made.gpu, weights=weights, gpus=1).step_ms > 0


def test_threads_of_numpy_are_the_environment_s(
    small: None, no_torch: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in bench.VARIABLES:
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(Bad, match="set OPENBLAS_NUM_THREADS=1"):
        calibrate(threads=1, seconds=0.01)
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")
    assert calibrate(threads=1, seconds=0.01).threads == 1


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"device": "tpu"}, "choose cpu or cuda"),
        ({"threads": 0}, "--threads 0"),
        ({"threads": -1}, "--threads -1"),
        ({"threads": 10**6}, f"give 1 to {os.cpu_count()}"),
        ({"backend": "jax"}, "choose numpy or torch"),
        ({"backend": "numpy", "device": "cuda"}, "leave --backend out"),
        ({"seconds": 0.0}, "--seconds 0.0"),
        ({"seconds": float("nan")}, "--seconds nan"),
        ({"seconds": 1e9}, "--seconds 1000000000.0"),
    ],
)
def test_bad_questions(asked: dict[str, object], said: str) -> None:
    with pytest.raises(Bad, match=said):
        calibrate(**asked)  # type: ignore[arg-type]


def test_cuda_without_torch(no_torch: None) -> None:
    with pytest.raises(Bad, match="--device cuda needs torch"):
        calibrate("cuda")
    with pytest.raises(Bad, match="--backend torch needs torch"):
        calibrate(backend="torch")


def test_probes_do_what_they_say(small: None) -> None:
    """Products and attention of ones: as much as there is work."""
    for probe in numpy_probes.probes(2 * MEGABYTE):
        work = probe.work
        if work.kind == "product":
            made: Any = probe.run(probe.piece)
            inner = made[0, 0]
            assert (made == inner).all()
            assert 2 * made.size * inner == work.flops
            assert work.weights == 4 * inner * made.shape[1]
        if work.kind in ("attention", "prefill"):
            mixed: Any = probe.run(probe.piece)
            assert np.allclose(mixed, 1)
            width = numpy_probes.HEADS * numpy_probes.WIDTH
            assert mixed.shape == (work.tokens, width)
            if work.kind == "prefill":  # each token, all before it, and itself
                seen = sum(range(1, work.tokens + 1))
                assert work.flops == 4 * width * seen


def test_products_go_through_all_matrices() -> None:
    each = [lambda rows, n=n: n for n in range(3)]
    probe = numpy_probes._product(each, 1, 8, 8)
    assert [probe.run(n * probe.piece) for n in range(4)] == [0, 1, 2, 0]


@pytest.mark.torch
def test_cuda_without_a_device(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(Bad, match="no CUDA device"):
        calibrate("cuda")


@pytest.mark.cuda
@pytest.mark.torch
def test_cuda() -> None:
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    made = calibrate("cuda", seconds=5.0)
    for kernels in made.kernels.values():
        assert 0.2 < kernels.product_bandwidth < 1.2
        assert 0.1 < kernels.product_compute < 1.2
    assert predict("1b", made.gpu, gpus=1).step_ms > 0


def refusing(work: str) -> Bench:
    """A bench whose probes of one number format fail."""

    def failing(_: int) -> object:
        raise NotImplementedError("no such kernel\nand a long story")

    def probes() -> list[Probe]:
        made = machines.probes(*machines.works(["bf16", "int8"]))
        return [Probe(p.work, failing) if p.work.format == work else p for p in made]

    row = machines.blank()
    return Bench("cpu", 1, "nothing", row, HostClock(1), probes, nullcontext)


def test_what_a_device_cannot_do_is_left_out_and_said() -> None:
    made = _measured(refusing("int8"), 0.01, lambda text: None)
    assert list(made.kernels) == ["bf16"]
    assert "no product in int8 here: no such kernel" in made.notes


def bench_of(run: Callable[[int], object]) -> Bench:
    """All whose probes do that."""
    given = machines.works(["bf16"])
    row, clock = machines.blank(), HostClock(2)
    return Bench("cpu", 2, "nothing", row, clock,
                 lambda: [Probe(work, run) for work in given], nullcontext)  # fmt: skip


def test_a_processor_that_others_hold_is_said() -> None:
    made = _measured(bench_of(lambda _: time.sleep(1e-3)), 0.01, lambda text: None)
    assert any(note.startswith("this program had its processor") for note in made.notes)


def test_rounds_of_uneven_length_are_said() -> None:
    (said,) = _busy("cpu", 1.0, Spread(1.0, 1.5))
    assert said.startswith("one round in ten took 1.5 times")
    assert not [*_busy("cpu", 0.95, Spread(0.9, 1.2))]
    assert not [*_busy("cuda", 0.01, Spread(0.9, 1.2))]
