"""What was measured is what is predicted."""

from dataclasses import replace

import numpy as np
import pytest

from specsim.roofline import catalog, step
from specsim.roofline.calibration import rows
from specsim.roofline.calibration.kernels import measured
from specsim.roofline.constants import Spread
from specsim.roofline.formats import FORMATS
from specsim.roofline.measured import Measured
from specsim.roofline.prediction import predict
from specsim.roofline.work import Work
from tests.roofline.calibration import machines
from tests.roofline.calibration.machines import Machine

SLOW = Machine(off=lambda tokens: 2.5 if 2 <= tokens <= 8 else 1.0)


def machine(of: Machine, forms: tuple[str, ...] = ("bf16", "fp32")) -> Measured:
    found = machines.found(of, forms)
    card = rows.card(found, machines.blank())
    return measured(card, rows.kernels(found, card))


@pytest.mark.parametrize("form", ["bf16", "fp32"])
@pytest.mark.parametrize("tokens", [1, 2, 5, 8, 32, 64])
@pytest.mark.parametrize("of", [Machine(), SLOW])
def test_products_of_a_pass_take_what_the_machine_takes(
    form: str, tokens: int, of: Machine
) -> None:
    made = predict("8b", machine(of), weights=form, gpus=1).deployment
    timed = {each.op.name: each for each in made.run(Work(1, tokens, 0)).timed}
    for name, (rows_, columns) in {"o": (4096, 4096), "down": (14336, 4096)}.items():
        flops, width = 2.0 * tokens * rows_ * columns, machines.WIDTHS[form]
        size = width * rows_ * columns + 2 * tokens * (rows_ + columns)
        bare = np.hypot(size / of.rate, flops / of.speed)
        expected = of.fixed + of.off(tokens) * bare
        one = float(timed[name].seconds) / timed[name].op.count
        assert one == pytest.approx(expected, rel=0.01)


def test_attention_and_small_operations_take_what_the_machine_takes() -> None:
    of = Machine()
    made = predict("8b", machine(of), gpus=1, context=8192).step
    timed = {each.op.name: each for each in made.timed}
    attention = timed["attention"]
    cache = float(attention.memory) * of.attention_rate
    assert cache == pytest.approx(float(attention.op.bytes), rel=1e-6)
    assert float(attention.fixed) == pytest.approx(of.fixed, rel=1e-6)
    assert 4 * float(timed["small"].fixed) == pytest.approx(of.small)


def test_rates_of_the_row_are_the_measured_ones() -> None:
    of = Machine()
    card = machine(of)
    assert card.mem_bw_gbs == pytest.approx(of.bandwidth / 1e9)
    assert card.bf16_tflops == pytest.approx(of.speed / 1e12, rel=0.02)
    assert card.fp32_tflops == pytest.approx(of.speed / 1e12, rel=0.03)
    assert card.fp8_tflops is None
    assert card.kernels["bf16"].bandwidth == pytest.approx(
        of.rate / of.bandwidth, rel=0.01
    )


def test_a_row_of_the_table_keeps_its_datasheet() -> None:
    known = next(row for row in catalog.gpus() if row.name == "A100-SXM4-80GB")
    of = Machine(rate=1.6e12, speed=250e12, bandwidth=1.8e12, attention_rate=1e12)
    found = machines.found(of)
    assert rows.card(found, known) is known
    kernels = rows.kernels(found, known)
    assert kernels["bf16"].product_bandwidth == pytest.approx(1.6 / 2.039, rel=0.01)
    assert kernels["bf16"].product_compute == pytest.approx(250 / 312, rel=0.01)


def test_a_format_that_was_not_measured_is_said_and_borrows_the_first() -> None:
    card = machine(Machine())
    made = predict("8b", card, weights="int4", gpus=1)
    assert "no products in int4 were measured on Synthetic, 1 thread" in made.notes
    form, first = FORMATS["int4"], card.kernels["bf16"]
    own = step.kernels(card, form)
    assert own.kernel_us == pytest.approx(first.kernel_us + form.kernel_us)
    assert not predict("8b", card, weights="fp32", gpus=1).notes


def test_without_bf16_the_widest_format_stands_for_the_machine() -> None:
    card = machine(Machine(), ("fp32",))
    assert list(card.kernels) == ["fp32"]
    assert card.bf16_tflops is None
    assert step.family(card) is card.kernels["fp32"]


def test_the_interval_is_the_measured_scatter() -> None:
    found = replace(machines.found(Machine()), drift=Spread(0.8, 1.6))
    card = rows.card(found, machines.blank())
    made = predict("8b", measured(card, rows.kernels(found, card)), gpus=1)
    spread = made.deployment.spread
    assert spread.low == pytest.approx(0.8 * rows.SHAPES.low, rel=0.01)
    assert spread.high == pytest.approx(1.6 * rows.SHAPES.high, rel=0.01)


def test_no_tiles_where_kernels_were_measured() -> None:
    """Tensor cores compute 16 tokens for one; this machine does not."""
    made = predict("8b", machine(Machine()), gpus=1)
    head = next(each for each in made.step.timed if each.op.name == "head")
    assert float(head.compute) == pytest.approx(float(head.op.flops) / 150e9, rel=0.02)
