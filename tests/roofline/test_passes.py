"""Passes over many tokens, mixtures of works, and plans beyond tensor parallelism."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specsim.errors import Bad
from specsim.roofline import costs, deploy
from specsim.roofline.costs import distinct_experts
from specsim.roofline.deployment import Deployment, Pass
from specsim.roofline.fit import needed_bytes
from specsim.roofline.plan import Plan
from specsim.roofline.work import Work

DENSE = deploy("8b", "h100")
MIXTURE = deploy("deepseek-v3", "h200", plan=Plan(tp=8))


def flops(made: Pass, *names: str) -> Any:
    ops = [each.op for each in made.timed]
    return sum(op.count * op.flops for op in ops if not names or op.name in names)


def test_a_prompt_costs_two_flops_a_parameter_and_token() -> None:
    made = DENSE.run(Work(1, 1024, 0, logits=1))
    model = DENSE.model
    layers = model.params_total - 2 * model.vocab * model.hidden
    norms = (2 * model.layers + 1) * model.hidden
    products = flops(made) - flops(made, "attention", "head")
    assert products == 2 * 1024 * (layers - norms)
    assert flops(made, "head") == 2 * model.vocab * model.hidden
    pairs = 1024 * 1025 / 2
    assert flops(made, "attention") == 4 * pairs * model.heads * 128 * model.layers


def test_long_prompts_approach_the_compute_roof() -> None:
    made = DENSE.run(Work(1, 8192, 0, logits=1))
    assert made.seconds == pytest.approx(flops(made) / (0.75 * 989.4e12), rel=0.2)


def test_verification_reads_the_weights_and_the_cache_once() -> None:
    one, five = (DENSE.run(Work(4, n, 2048)) for n in (1, 5))
    for what in ("weights", "cache"):
        assert one.totals(what) == five.totals(what)
    assert 1 < five.seconds / one.seconds < 1.05


def test_verification_on_experts_costs_more_at_batch_1_than_at_64() -> None:
    """Qwen3-30B-A3B on H100: five tokens for one cost about 1.9 times as much."""
    made = deploy("qwen3-30b-a3b", "h100")
    one, five = (made.run(Work(np.array([1, 64]), n, 2048)) for n in (1, 5))
    growth = five.seconds / one.seconds
    assert growth[0] == pytest.approx(1.9, abs=0.2)
    assert growth[1] < 1.3


def test_a_mixed_pass_costs_less_than_its_parts_and_more_than_each() -> None:
    decode, prompt = Work(32, 1, 2048), Work(1, 512, 0, logits=1)
    parts = [float(DENSE.run(work).seconds) for work in (decode, prompt)]
    assert max(parts) < DENSE.run(decode, prompt).seconds < sum(parts)


def test_windows_bound_what_a_prompt_looks_at() -> None:
    made = deploy("gpt-oss-120b", "h100", gpus=2)
    for tokens, context in [(3, 0), (200, 0), (5, 1000), (300, 100)]:
        seen = [min(context + i, 128) for i in range(1, tokens + 1)]
        ops = costs.ops(made.model, [Work(1, tokens, context)], made.plan, made.numbers)
        window = next(op for op in ops if op.name == "window attention")
        assert window.flops == 4 * sum(seen) * made.model.heads / 2 * 64


def test_latent_attention_takes_the_cheaper_form() -> None:
    one, many = (MIXTURE.run(Work(1, n, 4096)) for n in (1, 4096))
    absorbed, widened = 2 * 512 + 64, 128 + 64 + 128
    heads, layers = 128 / 8, 61
    assert flops(one, "attention") == 2 * 4097 * absorbed * heads * layers
    pairs = 4096 * (4096 + 4097 / 2)
    more = 4096 * 512 * 256 + pairs * widened
    assert flops(many, "attention") == 2 * more * heads * layers


def test_replicas_of_attention_share_the_batch_and_all_experts() -> None:
    plan = Plan(tp=1, dp=8, ep=8)
    spread = deploy("deepseek-v3", "h200", plan=plan)
    ops = {each.op.name: each.op for each in spread.run(Work(64, 1, 2048)).timed}
    cut = {each.op.name: each.op for each in MIXTURE.run(Work(64, 1, 2048)).timed}
    assert ops["experts"].weights == pytest.approx(cut["experts"].weights)
    assert ops["attention"].cache == cut["attention"].cache / 8
    assert ops["all-to-all"].count == 2 * 58
    assert "all-reduce" not in ops


def test_stages_take_turns() -> None:
    """At batch 1 a pipeline is no faster; its sequences are elsewhere meanwhile."""
    one, two = (deploy("70b", "h100", plan=Plan(pp=n)) for n in (1, 2))
    alone = [float(made.run(Work(1, 1, 2048)).seconds) for made in (one, two)]
    assert alone[0] < alone[1] < 1.01 * alone[0]
    many = two.run(Work(64, 1, 2048))
    assert many.kernels_s < one.run(Work(64, 1, 2048)).kernels_s
    assert needed_bytes(two, 64, 2048) == needed_bytes(one, 64, 2048) / 2


@pytest.mark.parametrize(
    ("plan", "told"),
    [
        ({"tp": 3}, "gpus 3"),
        ({"pp": 200}, "80 layers"),
        ({"ep": 2}, "ep 2"),
        ({"tp": 2, "ep": 2}, "no experts"),
    ],
)
def test_impossible_plans_are_refused(plan: dict[str, int], told: str) -> None:
    with pytest.raises(Bad, match=told):
        deploy("70b", "a100", plan=Plan(**plan))


def test_skew_touches_fewer_experts_but_never_fewer_than_chosen() -> None:
    for tokens in (0, 1, 2, 16, 10_000):
        even, skewed = (distinct_experts(128, 8, tokens, s) for s in (0, 0.2))
        assert skewed <= even
        assert skewed >= min(8 * tokens, 8) - 1e-9
    assert (
        0.85 < distinct_experts(128, 8, 16, 0.2) / distinct_experts(128, 8, 16) < 0.95
    )


@given(
    st.sampled_from([DENSE, MIXTURE, deploy("qwen3-next-80b", "b200", gpus=2)]),
    st.integers(1, 64),
    st.integers(1, 600),
    st.integers(0, 9000),
)
def test_more_of_anything_takes_no_less(
    made: Deployment, batch: int, tokens: int, context: int
) -> None:
    base = made.run(Work(batch, tokens, context))
    assert base.ideal_s <= base.low_s <= base.seconds <= base.high_s
    for more in ((1, 0, 0), (0, 1, 0), (0, 0, 1)):
        b, t, c = np.add((batch, tokens, context), more)
        assert made.run(Work(b, t, c)).seconds >= base.seconds * (1 - 1e-12)


def test_arrays_give_what_numbers_give() -> None:
    batch, tokens = np.array([1, 7, 64])[:, None], np.array([1, 5, 512])
    grid = MIXTURE.run(Work(batch, tokens, 4096)).high_s
    for i, b in enumerate([1, 7, 64]):
        for j, n in enumerate([1, 5, 512]):
            assert grid[i, j] == pytest.approx(MIXTURE.run(Work(b, n, 4096)).high_s)


def test_a_pipeline_counts_what_all_its_passes_read_and_compute() -> None:
    """All sequences of a step, whichever part of the batch they are in."""
    cut, staged = deploy("70b", "h100", gpus=4), deploy("70b", "h100", plan=Plan(pp=4))
    one, four = (made.run(Work(64, 1, 2048)) for made in (cut, staged))
    assert four.totals("cache") == one.totals("cache")
    assert four.totals("flops") == pytest.approx(one.totals("flops"))
    assert four.totals("weights") == pytest.approx(4 * one.totals("weights"), rel=0.01)
    alone = staged.run(Work(1, 1, 2048))
    assert alone.totals("weights") == pytest.approx(one.totals("weights"), rel=0.01)


@pytest.mark.parametrize("model", ["mimo-v2-flash", "qwen3-next-80b", "mixtral-8x7b"])
def test_wide_tiles_leave_no_cliff_and_no_nan(model: str) -> None:
    made = deploy(model, "h20", plan=Plan(tp=4))
    batch = np.arange(100, 600)
    taken = made.run(Work(batch, 1, 2048)).seconds
    assert np.isfinite(taken).all()
    assert (taken[1:] < 1.15 * taken[:-1]).all()
