"""Bytes and FLOPs: exact where they can be counted, monotone everywhere."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specsim.roofline import communication, costs, names, step
from specsim.roofline.catalog import Gpu, Model
from specsim.roofline.engines import ENGINES
from specsim.roofline.formats import FORMATS
from specsim.roofline.operation import Numbers, Op
from specsim.roofline.plan import Plan
from specsim.roofline.work import Work

BF16 = Numbers(FORMATS["bf16"], FORMATS["bf16"], FORMATS["bf16"])
MODELS = st.sampled_from(
    ["70b", "llama2-7b", "gemma3-27b", "mixtral-8x7b", "deepseek-v3", "gpt-oss-120b"]
).map(names.model)
ONE = Plan()
BATCHES, CONTEXTS = st.integers(1, 512), st.integers(1, 100_000)


def decode(
    model: Model,
    batch: Any,
    context: Any = 1,
    tp: int = 1,
    numbers: Numbers = BF16,
) -> list[Op]:
    return costs.ops(model, [Work(batch, 1, context)], Plan(tp), numbers)


def timed(ops: list[Op], gpu: Gpu, tp: int = 1) -> Any:
    group = communication.group(gpu, tp)
    engine = ENGINES["ideal"]
    return step.total(step.timed(ops, gpu, {"all-reduce": group}, engine))


def streamed(model: Model, batch: int, tp: int = 1, numbers: Numbers = BF16) -> float:
    ops = decode(model, batch, 1, tp, numbers)
    return float(sum(op.count * op.weights for op in ops))


def seconds(model: Model, batch: int, context: int, numbers: Numbers = BF16) -> float:
    gpu = names.gpu("h100")
    ops = decode(model, batch, context, 1, numbers)
    taken = timed(ops, gpu)
    assert taken >= step.ideal(ops, gpu)
    return float(taken)


def test_a_step_streams_all_but_the_embedding() -> None:
    model = names.model("70b")
    assert streamed(model, 1) == (70_553_706_496 - 128_256 * 8_192) * 2
    tied = names.model("llama3.2-1b")
    assert streamed(tied, 1) == 1_235_814_400 * 2
    assert costs.weight_bytes(model, BF16) == 70_553_706_496 * 2


def test_quantised_models_keep_embedding_and_head_wide() -> None:
    eight = Numbers(FORMATS["int8"], FORMATS["int8"], FORMATS["bf16"])
    model = names.model("8b")
    ends = 2 * model.vocab * model.hidden
    norms = (2 * model.layers + 1) * model.hidden
    total = costs.weight_bytes(model, eight)
    assert total == model.params_total + ends + norms


def test_cache_of_a_token() -> None:
    for name in ("70b", "deepseek-v3", "falcon-7b"):
        model = names.model(name)
        one = costs.cache_bytes(model, 1, 1, ONE, FORMATS["fp16"])
        assert one == model.kv_bytes_per_token_fp16


def test_a_window_caps_the_cache() -> None:
    model = names.model("mistral-7b-v0.1")
    held = [costs.cache_bytes(model, 1, n, ONE, FORMATS["bf16"]) for n in (4096, 9999)]
    assert held[0] == held[1] == 4096 * 131_072


def test_key_value_heads_and_latents_are_copied_when_they_run_out() -> None:
    form = FORMATS["bf16"]
    model, latent = names.model("70b"), names.model("deepseek-v3")
    each = [costs.cache_bytes(model, 1, 1, Plan(tp), form) for tp in (1, 8, 16)]
    assert [each[0] / 8, each[1]] == [each[1], each[2]]
    assert len({costs.cache_bytes(latent, 1, 1, Plan(tp), form) for tp in (1, 8)}) == 1


def test_two_flops_a_weight_and_four_a_cached_number() -> None:
    model = names.model("llama2-7b")
    ops = decode(model, 3, 1000)
    products = sum(op.count * op.flops for op in ops if op.kind == "product")
    assert products == 2 * 3 * (streamed(model, 1) / 2 - 65 * 4096)
    attention = next(op for op in ops if op.kind == "attention")
    assert attention.flops == 4 * 3 * 1001 * 4096


def test_tensor_cores_compute_whole_tiles() -> None:
    for batch, tiled in [(1, 16), (16, 16), (17, 32)]:
        head = decode(names.model("8b"), batch)
        product = next(op for op in head if op.name == "head")
        assert product.tiled * batch == product.flops * tiled


def test_attention_computes_in_sixteen_bits_whatever_the_cache_holds() -> None:
    small = Numbers(FORMATS["bf16"], FORMATS["bf16"], FORMATS["fp8"])
    attention = [
        next(op for op in ops if op.kind == "attention")
        for ops in (decode(names.model("8b"), 1, 9, 1, n) for n in (BF16, small))
    ]
    assert attention[0].format is attention[1].format is FORMATS["bf16"]
    assert attention[0].cache == 2 * attention[1].cache


def test_distinct_experts_of_one_token_and_of_many() -> None:
    model = names.model("mixtral-8x7b")
    expert = 3 * 4096 * 14336 * 2
    for batch, touched in [(1, 2), (2, 8 * (1 - 0.75**1.8)), (1000, 8)]:
        ops = decode(model, batch)
        experts = next(op for op in ops if op.kind == "experts")
        assert experts.weights == pytest.approx(touched * expert)


def test_arrays_give_what_numbers_give() -> None:
    model = names.model("gpt-oss-120b")
    batch, context = np.array([1, 7, 64])[:, None], np.array([10, 5000])
    gpu = names.gpu("h100")
    grid = timed(decode(model, batch, context, 2), gpu, 2)
    assert grid.shape == (3, 2)
    for i, b in enumerate([1, 7, 64]):
        for j, c in enumerate([10, 5000]):
            one = timed(decode(model, b, c, 2), gpu, 2)
            assert grid[i, j] == pytest.approx(one)


@given(MODELS, BATCHES, CONTEXTS)
def test_more_tokens_take_no_less(model: Model, batch: int, context: int) -> None:
    here = seconds(model, batch, context)
    assert seconds(model, batch + 1, context) >= here
    assert seconds(model, batch, context + 1) >= here
    assert streamed(model, batch + 1) >= streamed(model, batch)


@given(MODELS, BATCHES, st.integers(0, 3))
def test_more_gpus_stream_no_more_each(model: Model, batch: int, log: int) -> None:
    one, two = (streamed(model, batch, 2**n) for n in (log, log + 1))
    assert one / 2 <= two < one


@given(MODELS, st.sampled_from(sorted(FORMATS)))
def test_fewer_bytes_a_weight_stream_less(model: Model, name: str) -> None:
    form = FORMATS[name]
    smaller = Numbers(form, form, FORMATS["bf16"])
    wide = Numbers(FORMATS["fp32"], FORMATS["fp32"], FORMATS["bf16"])
    assert streamed(model, 1, numbers=smaller) <= streamed(model, 1, numbers=wide)


@given(st.integers(1, 3), st.integers(0, 10**9), st.sampled_from(["a100", "l40s"]))
def test_all_reduce_grows_with_message_and_group(
    log: int, message: int, name: str
) -> None:
    gpu = names.gpu(name)
    time = communication.group(gpu, 2**log).all_reduce(message)
    assert communication.group(gpu, 2**log).all_reduce(message + 1024) > time
    assert communication.group(gpu, 2 ** (log + 1)).all_reduce(message) > time
    assert communication.group(gpu, 1).all_reduce(message) == 0


@pytest.mark.parametrize(
    ("name", "gpus", "message", "measured_us"),
    [
        ("a100", 8, 16_384, 6.5),
        ("a100", 8, 33_554_432, 364),
        ("h100", 4, 16_384, 4.8),
        ("h100", 4, 33_554_432, 175),
        ("l40s", 2, 16_384, 7),
        ("l40s", 2, 2_097_152, 120),
    ],
)
def test_all_reduce_as_measured(
    name: str, gpus: int, message: int, measured_us: float
) -> None:
    """Custom kernels in CUDA graphs, tables of aiconfigurator-core 0.12."""
    predicted = communication.group(names.gpu(name), gpus).all_reduce(message) * 1e6
    assert predicted == pytest.approx(measured_us, rel=0.2)


def test_links() -> None:
    bridge, board = names.gpu("rtx-a6000"), names.gpu("gb200")
    assert communication.group(bridge, 2).link.name == "NVLink 3"
    assert communication.group(bridge, 4).link.name == "PCIe"
    assert communication.group(board, 64).nodes == 1
    assert communication.group(names.gpu("h100"), 16).nodes == 2
