"""Time to first token and per token of a server that holds many requests."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specsim.errors import Bad
from specsim.roofline.deployment import Deployment
from specsim.roofline.plan import Plan
from specsim.roofline.question import deploy
from specsim.roofline.served import (
    Load,
    Served,
    as_engines_store,
    assembled,
    passes,
    seats,
    served,
)
from specsim.roofline.work import Work
from tools import serving_rows
from tools.fit_serving import grouped, now, ratios

NAMES = "vllm", "sglang", "trtllm", "typical"
BATCHES = st.integers(1, 512)
LENGTHS = st.integers(1, 20_000)
PROMPTS, ANSWERS = st.integers(256, 20_000), st.integers(64, 20_000)
TILES = 0.97
"""A batch that fills its tiles of 16 is dearer to prolong than one that does not."""


def server(model: str = "70b", gpu: str = "b200", **given_: object) -> Deployment:
    options: dict[str, object] = {"gpus": 4, "engine": "vllm", "weights": "fp8"}
    return deploy(model, gpu, **(options | given_))  # type: ignore[arg-type]


def times(one: Served) -> tuple[float, float]:
    return float(one.ttft_s), float(one.tpot_s)


@given(BATCHES, PROMPTS, ANSWERS)
def test_more_requests_or_longer_prompts_take_longer(
    batch: int, isl: int, osl: int
) -> None:
    made = server()
    first, each = times(served(made, batch, isl, osl))
    for other in ((batch + 1, isl, osl), (batch, isl + 100, osl)):
        slower, longer = times(served(made, *other))
        assert slower >= first * TILES
        if float(seats(made, isl + 100, osl)) > batch + 1:
            assert longer >= each * TILES


@given(BATCHES, LENGTHS, LENGTHS, st.sampled_from(NAMES))
def test_intervals_hold_what_is_expected(
    batch: int, isl: int, osl: int, engine: str
) -> None:
    one = served(server(engine=engine), batch, isl, osl)
    assert one.ttft_low_s < one.ttft_s < one.ttft_high_s
    assert one.tpot_low_s <= one.tpot_s <= one.tpot_high_s
    assert 0 < one.decode_s <= one.tpot_s * (1 + 1e-9)
    assert np.isclose(one.prefill_s, one.tpot_s - one.decode_s)
    assert 0 <= one.queue_s < one.ttft_s
    assert 0 < one.own_s < one.ttft_s


def test_arrays_are_so_many_numbers() -> None:
    made, isl = server(), np.array([[128.0], [4096.0]])
    batch, osl = np.array([1.0, 8.0, 300.0]), 512
    whole = served(made, batch, isl, osl)
    for i in range(2):
        for j in range(3):
            one = served(made, float(batch[j]), float(isl[i, 0]), osl)
            assert np.isclose(whole.ttft_s[i, j], one.ttft_s, rtol=1e-12)
            assert np.isclose(whole.tpot_s[i, j], one.tpot_s, rtol=1e-12)
            assert np.isclose(whole.tokens_per_s[i, j], one.tokens_per_s, rtol=1e-12)


def test_one_request_alone_only_decodes() -> None:
    made = server()
    one = served(made, 1, 1000, 500)
    alone = made.run(Work(1, 1, 1250)).seconds
    assert np.isclose(one.tpot_s, alone)
    assert one.queue_s == 0


def test_of_few_tokens_each_waits_for_many_prefills() -> None:
    """Time per token: that of a pass, and of as many prefills as there are tokens."""
    made = server()
    spans = {osl: served(made, 64, 4096, osl) for osl in (100, 10_000)}
    assert spans[100].prefill_s > 20 * spans[10_000].prefill_s
    once = 63 * float(spans[100].prefill_s / spans[100].tpot_s)
    assert 30 < once < 63


@given(st.integers(2, 256), PROMPTS, ANSWERS)
def test_a_request_meets_the_prefills_of_its_part_of_a_cycle(
    batch: int, isl: int, osl: int
) -> None:
    """It decodes for D of a cycle of D, its own prefill, and half as long in line."""
    made = server()
    load = Load(batch, isl, osl)
    pieces = passes(made, load)
    one = assembled(made, load, pieces)
    others = (pieces.running - 1) * pieces.added_s
    decodes = osl * one.tpot_s
    met = others * decodes / (decodes + 1.5 * one.own_s)
    assert np.isclose(decodes, osl * one.decode_s + met)


def test_prefill_elsewhere_leaves_only_passes() -> None:
    made = server()
    apart = served(made, 64, 4096, 512, apart=True)
    together = served(made, 64, 4096, 512)
    assert np.isclose(apart.tpot_s, made.run(Work(64, 1, 4352)).seconds)
    assert apart.tpot_s < together.tpot_s
    both = served(made, 64, 4096, 512, apart=np.array([True, False]))
    assert np.allclose(both.tpot_s, [apart.tpot_s, together.tpot_s])


def test_what_memory_cannot_hold_waits() -> None:
    """By Little's law: of twice what fits half waits while half is served."""
    made = server(gpus=1)
    room = float(seats(made, 8192, 1024))
    full, twice = (served(made, n * room, 8192, 1024) for n in (1, 2))
    assert np.isclose(twice.tpot_s, full.tpot_s)
    assert np.isclose(twice.queue_s - full.queue_s, 1024 * full.tpot_s)
    assert np.isclose(full.running, room)
    assert np.isclose(twice.running, room)
    assert twice.tokens_per_s < 1.2 * full.tokens_per_s


def test_seats_by_hand() -> None:
    """Of a card vLLM takes 0.9 less 7 GB, and looks at requests half-way."""
    made = server(gpus=1)
    assert made.numbers.kv.name == "bf16"
    weights = made.model.params_total + 2 * made.model.vocab * made.model.hidden
    left = 0.9 * 180 * 2**30 - weights - 7e9
    each = 327_680 * (1000 + 500 / 2)
    assert np.isclose(seats(made, 1000, 500), left / each, rtol=2e-3)
    assert np.isclose(seats(_narrow(made), 1000, 500), 2 * left / each, rtol=2e-3)
    whole = seats(replace(made, engine=server(engine="trtllm").engine), 1000, 500)
    assert np.isclose(whole, 0.9 * (180 * 2**30 - weights - 6e9) / (327_680 * 1500),
                      rtol=2e-3)  # fmt: skip


def _narrow(made: Deployment) -> Deployment:
    return as_engines_store(made)


@pytest.mark.parametrize(
    ("engine", "gpu", "weights", "kv"),
    [
        ("vllm", "b200", "fp8", "fp8"),
        ("vllm", "h100", "fp8", "bf16"),
        ("trtllm", "h100", "fp8", "fp8"),
        ("trtllm", "h100", "bf16", "bf16"),
        ("sglang", "h200", "fp8", "fp8"),
        ("trtllm", "a100", "int8", "bf16"),
    ],
)
def test_engines_choose_the_format_of_their_cache(
    engine: str, gpu: str, weights: str, kv: str
) -> None:
    made = server(gpu=gpu, engine=engine, weights=weights)
    assert as_engines_store(made).numbers.kv.name == kv


def test_the_start_matters_less_the_longer_a_test_runs() -> None:
    made = server()
    spans = [float(served(made, 64, 4096, 512, rounds=r).ttft_s) for r in (1, 10, 1e9)]
    assert spans[0] > spans[1] > spans[2]
    burst = 10 * (spans[1] - spans[2])
    assert np.isclose(spans[0] - spans[2], burst, rtol=1e-6)


def test_requests_held_back_wait_that_many_passes() -> None:
    made = server()
    plain, held = (served(made, 8, 1024, 512, held=n) for n in (0, 20))
    assert np.isclose(held.ttft_s - plain.ttft_s, 20 * plain.tpot_s)
    assert held.tpot_s == plain.tpot_s
    drafts = {"drafts": 3, "accepted": 1.5}
    plain, held = (served(made, 8, 1024, 512, held=n, **drafts) for n in (0, 20))
    assert np.isclose(held.ttft_s - plain.ttft_s, 20 * 2.5 * plain.tpot_s)


def test_kept_drafts_shorten_the_time_per_token() -> None:
    made = deploy("deepseek-r1", "b200", gpus=8, engine="trtllm")
    plain, wasted, kept = (
        served(made, 4, 1024, 1024, drafts=drafts, accepted=accepted)
        for drafts, accepted in ((0, 0), (3, 0), (3, 2))
    )
    assert wasted.tpot_s > 1.1 * plain.tpot_s
    assert kept.tpot_s < 0.8 * plain.tpot_s
    assert np.isclose(kept.tpot_s, wasted.tpot_s / 3, rtol=0.03)
    alone = passes(made, Load(1, 1024, 1024, drafts=3))
    assert alone.drafting_s > 3 / 61 * made.run(Work(1, 1, 1536)).kernels_s
    one = served(made, 1, 1024, 1024, drafts=3)
    verified = made.run(Work(1, 4, 1536)).seconds
    assert np.isclose(one.tpot_s, verified + alone.drafting_s)
    many = served(made, 4, 1024, 1024, drafts=np.array([0, 3]), accepted=[0.0, 2.0])
    assert np.allclose(many.tpot_s, [plain.tpot_s, kept.tpot_s])


def test_replicas_of_attention_share_the_prompts() -> None:
    one = deploy("deepseek-r1", "b200", plan=Plan(tp=8, ep=8), engine="trtllm")
    many = deploy("deepseek-r1", "b200", plan=Plan(dp=8, ep=8), engine="trtllm")
    apart, together = (served(made, 64, 8192, 1024) for made in (many, one))
    assert apart.tpot_s < together.tpot_s
    assert apart.ttft_s > together.ttft_s


@pytest.mark.parametrize(
    ("load", "said"),
    [
        ((0, 10, 10), "batch 0: give at least 1"),
        ((1, 0.5, 10), "isl 0.5: give at least 1"),
        ((1, 10, np.array([1, -3])), "osl"),
        ((float("nan"), 10, 10), "batch nan"),
    ],
)
def test_nothing_asked_is_refused(load: tuple[float, ...], said: str) -> None:
    with pytest.raises(Bad, match=said):
        served(server(), *load)


def test_more_drafts_kept_than_made_is_refused() -> None:
    with pytest.raises(Bad, match="accepted 2: give 0 to drafts, 1"):
        served(server(), 1, 10, 10, drafts=1, accepted=2)
    with pytest.raises(Bad, match="rounds 0"):
        served(server(), 1, 10, 10, rounds=0)


def errors(chosen: list[serving_rows.Row]) -> tuple[float, float, float]:
    """Mean errors: of the first token, and per token of dense models and mixtures."""
    groups = grouped(chosen)
    first, each = ratios(groups, now())
    ordered = [row for group in groups for row in group.rows]
    mixed = np.array([bool(r.question.deployment.model.moe_experts) for r in ordered])
    off = np.abs(each - 1)
    return np.abs(first - 1).mean(), off[~mixed].mean(), off[mixed].mean()


def test_measured_servers() -> None:
    """Rows that contradict themselves are left out, as is prefill on other GPUs."""
    cannot = {serving_rows.APART, serving_rows.UNEQUAL, serving_rows.ELSEWHERE}
    every = serving_rows.rows()
    usable = [row for row in every if row.doubt not in cannot]
    assert len(usable) > 0.97 * len(every)
    first, dense, mixtures = errors(usable)
    assert first < 0.25
    assert dense < 0.105
    assert mixtures < 0.14
    first, dense, mixtures = errors([row for row in usable if not row.doubt])
    assert first < 0.215
    assert dense < 0.085
    assert mixtures < 0.125


def test_the_tool_predicts_what_the_code_does() -> None:
    sound = serving_rows.distinct(serving_rows.rows())[::40]
    for group in grouped(sound):
        one = served(group.deployment, group.load.batch, group.load.isl,
                     group.load.osl, held=group.load.held)  # fmt: skip
        first, each = ratios([group], now())
        assert np.allclose(first * group.ttft, one.ttft_s)
        assert np.allclose(each * group.tpot, one.tpot_s)
