"""The table of drafters, and the drafts built from it."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from specsim.errors import Bad
from specsim.roofline import deploy, names
from specsim.roofline.deployment import Deployment
from specsim.roofline.operation import Op
from specsim.roofline.speculation.drafters import DRAFTER_COSTS, Drafter, drafter
from specsim.roofline.speculation.drafts import draft
from specsim.roofline.speculation.layers import layers, part
from specsim.roofline.work import Work

NEEDED = {
    "draft-model", "eagle", "eagle2", "eagle3", "medusa", "mtp", "ngram",
    "prompt-lookup", "suffix", "lookahead", "self-speculation", "early-exit", "dflash",
}  # fmt: skip
EVERY = list(DRAFTER_COSTS.values())


def on(model: str = "vicuna-7b", gpu: str = "a100", **options: Any) -> Deployment:
    return deploy(model, gpu, **options)


def small(row: Drafter) -> str | None:
    return "llama-160m" if row.kind == "model" else None


def test_the_table_has_them_all() -> None:
    assert set(DRAFTER_COSTS) >= NEEDED
    said = [name for row in EVERY for name in (row.name, *row.aliases)]
    assert len(said) == len(set(said))


@pytest.mark.parametrize("row", EVERY, ids=lambda row: row.name)
def test_a_row_says_where_it_comes_from(row: Drafter) -> None:
    assert "section" in row.source or "https://" in row.source or row.kind == "none"
    assert drafter(row.name.upper()) is row
    assert all(drafter(name) is row for name in row.aliases)


@pytest.mark.parametrize("name", ["", "eagle4", None, 3, "draft model"])
def test_an_unknown_drafter(name: Any) -> None:
    with pytest.raises(Bad, match="choose from"):
        drafter(name)


@pytest.mark.parametrize("row", EVERY, ids=lambda row: row.name)
def test_a_longer_draft_takes_no_less(row: Drafter) -> None:
    made = draft(on(), row, small(row), 8)
    seconds = np.broadcast_to(made.seconds(4, np.arange(9), 1, 500), 9)
    assert seconds[0] == 0
    assert np.all(np.diff(seconds) >= 0)
    assert (seconds[8] > 0) == (row.kind != "none")


@pytest.mark.parametrize(
    ("model", "width", "inner", "keys"),
    [("vicuna-7b", 4096, 11_008, 4096), ("llama2-70b", 8192, 28_672, 1024)],
)
def test_an_eagle_head_is_a_layer_and_what_joins_its_inputs(
    model: str, width: int, inner: int, keys: int
) -> None:
    made = draft(on(model, gpus=4), drafter("eagle"), None, 5)
    layer = 2 * width**2 + 2 * width * keys + 3 * width * inner
    assert made.bytes == 2 * (layer + 2 * width**2)


def test_eagle3_has_a_small_head_of_its_own() -> None:
    target = on("llama3.1-8b")
    one, three = (draft(target, drafter(n), None, 5) for n in ("eagle", "eagle3"))
    width = target.model.hidden
    assert three.bytes - one.bytes == 2 * (32_000 * width + width**2)
    head = [op for op in _ops(three) if op.name == "head"]
    assert [op.weights for op in head] == [2 * 32_000 * width]


def _ops(made: Any) -> list[Op]:
    return [each.op for each in made.deployment.run(Work()).timed]


def test_medusa_has_a_block_and_a_head_a_position() -> None:
    made = draft(on(), drafter("medusa"), None, 4)
    assert made.bytes == 4 * 2 * 4096 * (4096 + 32_000)
    five = draft(on(), drafter("medusa"), None, 5)
    assert five.seconds(1, 5, 1, 0) > made.seconds(1, 4, 1, 0)


def test_mtp_keeps_the_experts_and_eagle_does_not() -> None:
    target = on("deepseek-v3", "h200", gpus=8)
    mtp, eagle = (layers(target.model, drafter(n)) for n in ("mtp", "eagle3"))
    assert mtp.moe_experts == 256
    assert mtp.attention == "MLA"
    assert eagle.moe_experts is None
    made = draft(target, drafter("mtp"), None, 1)
    # DeepSeek-V3 README: the module has 11.5 billion parameters beside the shared ends
    assert made.bytes / 1e9 == pytest.approx(11.5, rel=0.03)


def test_layers_beside_a_quantised_target_stay_wide() -> None:
    target = on("llama2-70b", weights="int4", gpus=2)
    assert draft(target, drafter("eagle"), None, 5).bytes / 2e9 > 0.9
    made = draft(target, drafter("mtp"), None, 1).deployment
    assert made is not None
    assert made.numbers.linear.name == "int4"


def test_a_part_of_a_model_is_that_part() -> None:
    model = names.model("qwen3-next-80b-a3b")
    half = part(model, 0.5)
    assert (half.layers, half.linear_attn_layers) == (24, 18)
    whole = part(names.model("8b"), 1)
    assert whole.params_total == pytest.approx(names.model("8b").params_total, rel=1e-3)


def test_what_exits_early_leaves_the_other_layers_to_verify() -> None:
    made = draft(on(), drafter("early-exit"), None, 6)
    assert made.deployment is not None
    verifier = made.verifier(tree=False)
    assert made.deployment.model.layers + verifier.model.layers == 32
    assert draft(on(), drafter("self-speculation"), None, 6).verifier(False) == on()


def test_the_first_pass_takes_in_what_was_emitted() -> None:
    made = draft(on(), drafter("draft"), "tinyllama-1.1b", 4)
    assert made.deployment is not None
    first, second = made.seconds(64, 1, 1, 500), made.seconds(64, 2, 1, 500)
    run = made.deployment.run
    assert first == run(Work(64, 2, 500, 1), cached=True).seconds
    assert second == pytest.approx(
        run(Work(64, 3, 500, 1), cached=True).seconds
        + run(Work(64, 1, 500), cached=True).seconds
    )


def test_a_draft_is_divided_as_the_target_where_it_can_be() -> None:
    target = on("llama3.1-70b", "h100", gpus=4)
    eagle, tiny = (
        draft(target, drafter(name), model, 4).deployment
        for name, model in (("eagle3", None), ("draft", "smollm2-135m"))
    )
    assert eagle is not None
    assert tiny is not None
    assert (eagle.plan.tp, tiny.plan.tp) == (4, 1)


def test_a_draft_that_fits_the_cache_reads_it_from_there() -> None:
    large = on("llama3.1-8b", "4090", gpus=1)
    none = replace(large, gpu=replace(large.gpu, l2_mb=None))
    fast, slow = (
        draft(made, drafter("draft"), "gemma3-270m nvfp4", 4).seconds(1, 4, 1, 0)
        for made in (large, none)
    )
    fp8 = [
        draft(made, drafter("draft"), "llama-68m int4", 4).seconds(1, 4, 1, 0)
        for made in (large, none)
    ]
    assert fp8[0] < fp8[1]
    assert fast == slow


def test_a_draft_model_goes_with_the_drafters_that_have_one() -> None:
    with pytest.raises(Bad, match="name its model"):
        draft(on(), drafter("draft"), None, 4)
    with pytest.raises(Bad, match="no model of its own"):
        draft(on(), drafter("eagle"), "llama-160m", 4)
    with pytest.raises(Bad, match="no model"):
        draft(on(), drafter("draft"), "no such model", 4)
