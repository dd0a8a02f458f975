"""Whatever a row says it ran on is a row of gpus.csv, a stand-in, or refused."""

import pytest

from specsim.roofline.validation.cells import Skip
from specsim.roofline.validation.devices import device

FOUND = {
    "A100 SXM 80GB": ("A100-SXM4-80GB", None),
    "NVIDIA A100-SXM4-80GB": ("A100-SXM4-80GB", None),
    "h100_sxm": ("H100-SXM5-80GB", None),
    "b300_sxm": ("B300-SXM-288GB", None),
    "gb200": ("GB200-186GB", None),
    "RTX 4090": ("RTX-4090", None),
    "M2 Ultra 76-core": ("M2-Ultra", None),
    "M3 Max 40-core": ("M3-Max-40c", None),
    "8xB200 TP8": ("B200-SXM-180GB", 8),
    "8xB200 TP8 EP4/EP2": ("B200-SXM-180GB", 8),
    "4 x H100": ("H100-SXM5-80GB", 4),
    "2\u00d7RTX 3090": ("RTX-3090", 2),
    "A100 80GB x2 PP": ("A100-SXM4-80GB", 2),
    "A100-80GB 330W (1)": ("A100-SXM4-80GB", 1),
    "4xA100-40GB class": ("A100-SXM4-40GB", 4),
    "RTX A6000 (README)": ("RTX-A6000", None),
    "not stated (H20 likely)": ("H20-96GB", None),
    "TPU v4 (1)": ("TPU-v4", 1),
    "Jetson AGX Orin CPU": ("Jetson-AGX-Orin-CPU", None),
}


@pytest.mark.parametrize("name", FOUND)
def test_names_and_counts(name: str) -> None:
    found = device(name)
    assert (found.gpu.name, found.count) == FOUND[name]


def test_an_unknown_device_is_stood_in_for_at_its_bandwidth() -> None:
    found = device("Acme X1", 500.0)
    assert found.gpu.mem_bw_gbs == 500
    assert found.gpu.arch == "unknown"
    assert found.flags == ("device stand-in",)


def test_a_rounded_bandwidth_is_the_same_device() -> None:
    assert device("H20 96GB", 4096.0) == device("H20 96GB")


def test_a_part_of_a_board_has_its_share_of_the_rates() -> None:
    whole, part = device("MI250").gpu, device("MI250 GCD", 1638.0).gpu
    assert part.mem_bw_gbs == 1638
    assert part.bf16_tflops is not None
    assert part.bf16_tflops == pytest.approx((whole.bf16_tflops or 0) / 2, rel=0.01)
    assert device("MI250X GCD", 1638.0).gpu.name == "MI250X-GCD"


def test_the_cpu_of_a_chip_is_not_its_gpu() -> None:
    assert device("M2 Ultra CPU", 800.0).gpu.name == "M2-Ultra-CPU"
    found = device("M4 Max CPU", 410.0)
    assert found.gpu.arch == "CPU"
    assert found.flags


@pytest.mark.parametrize(
    "name",
    ["", "-", "not stated", "cloud", "Acme X1", "8 GPUs", "M1 CPU"],
)
def test_without_a_bandwidth_an_unknown_device_is_refused(name: str) -> None:
    with pytest.raises(Skip):
        device(name)
