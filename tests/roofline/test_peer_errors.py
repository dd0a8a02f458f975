"""What published calculators get wrong, each a test that such a number cannot return.

Found in the calculators compared in tools/peers: sparse rates sold as dense ones, keys
and values counted for every query head, mixtures that read only the chosen experts
whatever the batch, weights on cards too small for them, embeddings that are streamed,
and units that differ by 7 % (GiB) or twofold (both directions of a link).
"""

import pytest

from specsim.roofline import catalog, communication, costs, names, predict
from specsim.roofline.formats import FORMATS
from specsim.roofline.plan import Plan

DENSE = {
    # dense TFLOPS of datasheets; marketing shows twice as much, with sparsity
    "h100": (989.4, 1978.9), "gh200": (989.4, 1978.9), "b200": (2250, 4500),
    "gb200": (2500, 5000), "b100": (1750, 3500), "l40s": (362.05, 733),
    "a100": (312, None), "mi300x": (1307.4, 2614.9), "4090": (165.2, 660.6),
}  # fmt: skip


@pytest.mark.parametrize("gpu", DENSE)
def test_rates_are_dense(gpu: str) -> None:
    row = names.gpu(gpu)
    assert (row.bf16_tflops, row.fp8_tflops) == DENSE[gpu]


def test_no_datacentre_gpu_has_a_ridge_that_only_sparsity_explains() -> None:
    """Dense bf16 ridges of NVIDIA's HBM cards lie between 37 and 400 FLOP a byte."""
    for row in catalog.gpus():
        if (
            row.vendor == "NVIDIA"
            and row.mem_type.startswith("HBM")
            and row.bf16_tflops
        ):
            assert 30 < row.bf16_tflops * 1e3 / row.mem_bw_gbs < 400, row.name


def test_eight_bits_are_at_most_twice_as_fast_as_sixteen() -> None:
    """GeForce cards sum 16-bit products in 32 bits at half their rate: four times."""
    for row in catalog.gpus():
        if row.vendor in ("NVIDIA", "AMD") and row.bf16_tflops and row.fp8_tflops:
            halved = row.arch in ("Ada AD10x", "Blackwell GB20x")
            most = 4.01 if halved else 2.03
            assert row.fp8_tflops <= most * row.bf16_tflops, row.name


def test_grouped_heads_share_their_cache() -> None:
    """70B: 8 of 64 heads have keys and values, 327,680 bytes a token, not 2.6 MB."""
    model = names.model("70b")
    held = costs.cache_bytes(model, 1, 1, Plan(), FORMATS["bf16"])
    assert held == 80 * 2 * 8 * 128 * 2 == 327_680
    made = predict("70b", "h100", gpus=8, batch=32, context=4096)
    assert made.kv_bytes == pytest.approx(32 * 4096 * 327_680)


def test_a_batch_reads_more_experts_than_one_token_does() -> None:
    one, many = (predict("mixtral-8x7b", "h100", gpus=2, batch=n) for n in (1, 16))
    active = names.model("mixtral-8x7b").params_active * 2
    assert one.streamed_bytes < 1.05 * active
    assert many.streamed_bytes > 3.3 * active
    assert many.step_ms > 2 * one.step_ms


def test_a_mixture_of_many_experts_is_not_read_whole_by_a_few_tokens() -> None:
    made = predict("deepseek-v3", "h200", gpus=8, batch=8)
    assert 0.15 < made.streamed_bytes / made.weight_bytes < 0.35


def test_what_does_not_fit_is_said_before_it_is_timed() -> None:
    made = predict("70b", "a100", gpus=1)
    assert not made.fits
    assert made.notes[0].startswith("it does not fit")
    assert predict("70b", "a100").gpus == 2


def test_the_input_embedding_is_looked_up() -> None:
    made = predict("70b", "a100", gpus=1)
    embedding = 128_256 * 8_192 * 2
    assert made.weight_bytes - made.streamed_bytes == embedding
    assert predict("llama3.2-1b", "a100").streamed_bytes == 1_235_814_400 * 2


def test_memory_is_in_gib_and_bandwidth_in_gb() -> None:
    """A card sold as 80 GB holds 85.9e9 bytes; 2,039 GB/s are 2,039e9 bytes."""
    row = names.gpu("a100")
    assert (row.mem_gb, row.mem_bw_gbs) == (80, 2039)
    made = predict("qwen2.5-32b", "a100", batch=1, context=32_000)
    assert made.gpus == 1  # 65.5 GB of weights and 8.4 of cache: over 0.92 x 80e9
    ideal = (made.streamed_bytes + made.kv_bytes) / 2039e9
    assert made.ideal_ms == pytest.approx(1e3 * ideal)


@pytest.mark.parametrize("row", catalog.gpus(), ids=lambda row: row.name)
def test_links_are_counted_one_way(row: catalog.Gpu) -> None:
    if row.ic_total_gbs:
        assert row.ic_per_dir_gbs == pytest.approx(row.ic_total_gbs / 2)


def test_nvlink_4_carries_450_gb_a_second_each_way() -> None:
    row = names.gpu("h100")
    assert row.ic_per_dir_gbs == 450
    large = communication.group(row, 8).all_reduce(1e9)
    assert large > 2 * 7 / 8 * 1e9 / 450e9


def test_tensor_parallelism_is_not_free() -> None:
    """Eight cards take more than an eighth: fixed times and two sums a layer."""
    one, eight = (predict("8b", "h100", gpus=n).step_ms for n in (1, 8))
    assert eight > 1.8 * one / 8


def test_one_token_does_not_wait_for_arithmetic() -> None:
    """139 GFLOP of 70B at peak take 0.45 ms, of which nothing shows: bytes bind."""
    made = predict("70b", "a100", gpus=4)
    assert made.bound == "memory"
    assert made.ideal_ms > 100 * made.flops / 4 / 312e12
