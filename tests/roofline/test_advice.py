"""Advice says yes, no or perhaps for the right reasons, from numbers with a source."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specsim.errors import Bad
from specsim.roofline import catalog, configurations, names
from specsim.roofline.advice import TASKS, Advice, advise, rates
from specsim.roofline.advice.candidates import candidates, relatives
from specsim.roofline.advice.rendering import text
from specsim.roofline.constants import SKEW
from specsim.roofline.costs import distinct_experts

DATA = Path(catalog.__file__).parents[1] / "data"


def of(advice: Advice, drafter: str) -> Any:
    """The fastest candidate of one kind."""
    every = advice.priced + advice.wished
    return next(each for each in every if each.candidate.drafter == drafter)


def rows(file: str) -> list[dict[str, str]]:
    with (DATA / file).open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


# what to do


def test_yes_where_weights_bind() -> None:
    made = advise("70b", "h100", task="chat", batch=1)
    assert made.verdict == "yes"
    assert made.best.low > 1
    assert made.best.k >= 3
    assert "weights are read once" in made.reasons[0]
    assert made.token_ms < made.plain_ms


def test_no_where_arithmetic_binds() -> None:
    made = advise("8b", "h100", task="translation", batch=1024, context=256)
    assert made.verdict == "no"
    assert made.setup is None
    assert made.configuration is None
    assert made.token_ms == made.plain_ms
    assert "arithmetic binds" in made.reasons[0]
    assert made.best.batches.first is not None
    assert made.best.batches.first <= 1024
    assert "slow decoding down" in " ".join(made.reasons)


def test_gains_fall_as_a_dense_model_fills_the_gpu() -> None:
    at = [advise("8b", "h100", batch=b, context=256).best for b in (1, 64, 512)]
    assert [each.speedup for each in at] == sorted(
        (each.speedup for each in at), reverse=True
    )
    assert [each.k for each in at] == sorted((each.k for each in at), reverse=True)


@pytest.mark.parametrize("batch", [1, 2, 4])
def test_a_mixture_at_a_small_batch_is_warned_of(batch: int) -> None:
    made = advise("qwen3-30b-a3b", "h100", task="chat", batch=batch)
    assert any("experts of its own" in reason for reason in made.reasons)
    assert "experts instead of" in made.reasons[0]
    dense = advise("qwen3-32b", "h100", task="chat", batch=batch)
    assert not any("experts" in reason for reason in dense.reasons)
    assert dense.best.speedup > made.best.speedup


def test_copying_is_looked_up() -> None:
    made = advise("70b", "h100", task="copy-heavy")
    assert made.best.candidate.drafter == "prompt-lookup"
    assert "no time on the GPU" in " ".join(made.reasons)
    plain = advise("70b", "h100", task="qa")
    assert plain.best.candidate.drafter != "prompt-lookup"
    assert of(plain, "prompt-lookup").speedup < of(made, "prompt-lookup").speedup


def test_temperature_lowers_what_is_accepted() -> None:
    cold, mild, hot, hotter = (
        of(advise("qwen3-8b", "h100", task="chat", temperature=t), "eagle3")
        for t in (0, 0.5, 1, 1.5)
    )
    assert cold.rate.alpha > mild.rate.alpha > hot.rate.alpha == hotter.rate.alpha
    assert cold.speedup > mild.speedup > hot.speedup
    said = advise("qwen3-8b", "h100", task="chat", temperature=1.5).reasons
    assert any("above 1 nothing was measured" in reason for reason in said)


def test_perhaps_says_measure() -> None:
    made = advise("qwen3-30b-a3b", "h100", task="chat", batch=2)
    assert made.verdict == "measure"
    assert made.best.low < 1 < made.best.speedup
    assert any(reason.startswith("the interval holds 1") for reason in made.reasons)


def test_a_time_asked_for_is_kept_or_not() -> None:
    kept, missed = (advise("70b", "h100", slo_ms=ms) for ms in (20, 5))
    assert kept.plain_ms > 20
    assert kept.slo_met is True
    assert missed.slo_met is False
    assert "20 ms asked for: kept" in text(kept)
    assert "5 ms asked for: NOT kept" in text(missed)
    assert advise("70b", "h100").slo_met is None


def test_a_draft_without_room_is_not_advised() -> None:
    made = advise("70b", "h100", gpus=2)
    crowded = [each for each in made.priced if not each.fits]
    assert crowded
    assert made.best.fits
    assert all(each.verdict == "no" for each in crowded)
    assert made.priced[-len(crowded) :] == tuple(crowded)


# who could draft


def test_relatives_share_family_and_vocabulary_and_are_small() -> None:
    model = names.model("llama3.3-70b")
    found = {row.hf_id for row in relatives(model)}
    assert {"meta-llama/Llama-3.2-1B", "meta-llama/Llama-3.1-8B"} <= found
    assert model.hf_id not in found
    assert not relatives(names.model("deepseek-v3"))
    assert not relatives(names.model("llama3.2-1b"))


def test_heads_are_those_listed() -> None:
    listed = {(row["target"], row["drafter"]): row for row in rows("heads.csv")}
    known = {row.hf_id for row in catalog.models()}
    assert {target for target, _ in listed} <= known
    assert all(row["source"] for row in listed.values())
    with_mtp = [c for c in candidates(names.model("deepseek-v3")) if c.known]
    assert [each.drafter for each in with_mtp] == ["prompt-lookup", "mtp"]
    made = advise("70b", "h100", task="chat")
    assert [each.candidate.drafter for each in made.wished] == ["eagle3"]
    wish = advise("70b", "h100", task="mixed")
    assert any("none is listed" in reason for reason in wish.reasons)
    head = of(advise("qwen3-8b", "h100"), "eagle3").candidate.head
    assert head == "AngelSlim/Qwen3-8B_eagle3"


def test_a_larger_draft_is_accepted_more_and_costs_more() -> None:
    made = advise("70b", "h100", gpus=4, task="chat")
    small, large = (
        next(p for p in made.priced if p.candidate.name.endswith(size))
        for size in ("3.2-1B", "3.2-3B")
    )
    assert small.rate.alpha < large.rate.alpha
    assert small.made.draft_s / small.k < large.made.draft_s / large.k


# in an engine's words


@pytest.mark.parametrize("engine", configurations.ENGINES)
def test_what_is_advised_can_be_written_and_read(engine: str) -> None:
    made = advise("qwen3-8b", "h100", task="chat", emit=engine)
    assert made.configuration is not None
    assert made.setup is not None
    read = configurations.parse(made.configuration, engine)
    assert (read.drafter, read.k) == (made.setup.drafter, made.setup.k)
    file = engine == "llamacpp"
    assert read.target == ("Qwen3-8B" if file else "Qwen/Qwen3-8B")
    can = configurations.ENGINES[engine].CAN
    assert all(each.candidate.drafter in can for each in made.priced)


@pytest.mark.parametrize(
    ("asked", "written", "note"),
    [
        ("meta-llama/Llama-3.1-8B-Instruct", None, "meta-llama/Llama-3.1-8B"),
        ("Qwen/Qwen2.5-Coder-32B-Instruct", None, "Qwen/Qwen2.5-32B"),
        ("Qwen/Qwen3-32B-AWQ", None, "Qwen/Qwen3-32B in int4"),
        ("qwen3-32b-awq", "Qwen/Qwen3-32B", "Qwen/Qwen3-32B in int4"),
        ("qwen/qwen3-8b", "Qwen/Qwen3-8B", None),
        ("Qwen 3 8B", "Qwen/Qwen3-8B", None),
        ("8b", "meta-llama/Llama-3.1-8B", None),
    ],
)
def test_the_model_asked_for_is_the_one_configured(
    asked: str, written: str | None, note: str | None
) -> None:
    made = advise(asked, "h100", task="chat", emit="vllm")
    assert made.configuration is not None
    assert configurations.parse(made.configuration).target == (written or asked)
    assert made.note == (note and f"{asked} is priced as {note}")
    assert note is None or str(made.note) in text(made).splitlines()
    assert made.as_dict()["note"] == made.note


@pytest.mark.parametrize("typed", ["", "/", "/config.json"])
def test_a_folder_asked_for_is_the_one_configured(tmp_path: Path, typed: str) -> None:
    config = {
        "architectures": ["LlamaForCausalLM"], "model_type": "llama",
        "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32,
        "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 128256,
        "torch_dtype": "bfloat16",
    }  # fmt: skip
    (tmp_path / "config.json").write_text(json.dumps(config))
    made = advise(f"{tmp_path}{typed}", "h100", task="edit", emit="vllm")
    assert made.setup is not None
    assert str(made.setup.target).rstrip("/") == str(tmp_path)
    assert made.note is None


def test_no_configuration_is_said_to_be_none() -> None:
    asked: dict[str, Any] = {"task": "translation", "batch": 1024, "context": 256}
    *_, blank, last = text(advise("8b", "h100", **asked, emit="vllm")).splitlines()
    assert (blank, last[:17]) == ("", "no configuration:")
    assert "configuration" not in text(advise("8b", "h100", **asked))
    *_, blank, last = text(advise("8b", "h100", emit="vllm")).splitlines()
    assert (blank, last[:10]) == ("", "vllm serve")


# the answer


def test_what_cannot_be_had_is_not_advised() -> None:
    made = advise("70b", "h100", task="mixed").as_dict()
    wished = [each for each in made["candidates"] if not each["available"]]
    assert [each["verdict"] for each in wished] == ["needs training"]
    assert made["available"]


@pytest.mark.parametrize(
    ("asked", "most"),
    [
        ({"model": "405b", "gpus": 16, "batch": 64}, "communication"),
        ({"model": "8b", "gpus": 8, "batch": 256}, "memory"),
        ({"model": "8b", "batch": 1024, "context": 256}, "compute"),
    ],
)
def test_arithmetic_binds_only_where_most_of_a_step_is_arithmetic(
    asked: dict[str, Any], most: str
) -> None:
    said = advise(**asked, gpu="h100").reasons[0]
    assert f"most of it {most};" in said
    assert ("arithmetic binds" in said) == (most == "compute")
    assert ("what grows most with the tokens is" in said) == (most != "compute")


def test_experts_are_counted_as_they_are_priced() -> None:
    made = advise("deepseek-v3", "h100", batch=8)
    asked = 8, 8 * (made.best.k + 1)
    few, many = (distinct_experts(256, 8, tokens, SKEW) for tokens in asked)
    said = f"a layer reads {many:.0f} of 256 experts instead of {few:.0f}"
    assert said in made.reasons[0]


@pytest.mark.parametrize("task", [*TASKS, *rates.ALIASES])
def test_text_and_json_of_every_task(task: str) -> None:
    made = advise("qwen3-8b", "h100", task=task, temperature=1, slo_ms=5, emit="trtllm")
    lines = text(made).splitlines()
    assert len(lines) <= 30
    assert max(map(len, lines)) <= 100
    assert " ".join(made.reasons[0].split()) in " ".join(text(made).split())
    said = json.loads(json.dumps(made.as_dict()))
    assert said["verdict"] in ("yes", "measure", "no")
    assert said["low"] <= said["speedup"] <= said["high"]
    assert said["alpha_source"]
    assert said["candidates"][0]["drafter"] == said["drafter"]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"task": "poetry"}, "task 'poetry': choose from chat, code"),
        ({"task": 3}, "task 3: choose from"),
        ({"temperature": -1}, "temperature -1: give a number from 0 to 2"),
        ({"temperature": float("nan")}, "temperature nan"),
        ({"slo_ms": 0}, "slo_ms 0: give a number"),
        ({"batch": 0}, "batch 0: give a whole number"),
        ({"context": 2.5}, "context 2.5: give a whole number"),
        ({"engine": "acme"}, "engine 'acme': choose from"),
        ({"emit": "ollama"}, "engine 'ollama': choose from vllm"),
        ({"model": "no-such-model"}, "no model 'no-such-model'"),
        ({"gpu": "abacus"}, "no GPU 'abacus'"),
        ({"batch": 10**9}, "does not fit"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_a_line(
    asked: dict[str, Any], said: str
) -> None:
    with pytest.raises(Bad, match=said) as caught:
        advise(**{"model": "8b", "gpu": "h100"} | asked)
    assert "\n" not in caught.value.args[0]


# the acceptances


def test_every_acceptance_names_its_rows() -> None:
    table = rows("acceptance.csv")
    published = {row["id"]: row for row in rows("measurements/speculation.csv")}
    for row in table:
        assert 0 <= float(row["low"]) <= float(row["alpha"]) <= float(row["high"]) <= 1
        assert row["source"]
        ids = row["ids"].split()
        assert len(ids) == int(row["rows"]) > 0
        for id in ids:
            if id in published:
                assert published[id]["evidence"] in ("read", "secondary")
            else:
                assert (row["task"], id) == ("edit", "vllm-24344")


def test_the_table_is_what_its_tool_builds() -> None:
    rows_of = pytest.importorskip("tools.acceptance.rows")
    cells = pytest.importorskip("tools.acceptance.cells")
    main = pytest.importorskip("tools.acceptance.__main__")
    given = [*rows("measurements/speculation.csv"), rows_of.EDITS]
    built = [main.written(cell) for cell in cells.table(given)]
    assert built == [list(row.values()) for row in rows("acceptance.csv")]


def test_alpha_of_a_row_gives_its_tokens_back() -> None:
    tool = pytest.importorskip("tools.acceptance.rows")
    assert tool.fitted(1.92, "mtp", "K=1 chain") == pytest.approx(0.92)
    chain, tree = (tool.fitted(3.0, "eagle3", shape) for shape in ("K=8", "tree"))
    assert chain > tree  # a tree emits more at the same alpha


def test_levels_and_tasks_add_up() -> None:
    cells = pytest.importorskip("tools.acceptance.cells")
    samples = [
        cells.Sample(task, "eagle3", 0, target, "", level + gain, "measured", "", "")
        for target, level in [("a", 0.5), ("b", 0.7)]
        for task, gain in [("chat", 0.0), ("code", 0.1)]
    ]
    levels, tasks = cells.split(samples)
    assert tasks["code"] - tasks["chat"] == pytest.approx(0.1)
    assert tasks["chat"] == pytest.approx(0.6)
    assert 0 < levels["b"] == pytest.approx(-levels["a"])
    assert levels["b"] < 0.1  # drawn towards the others


def test_a_measured_target_goes_by_its_own_rows() -> None:
    own, any_ = (rates.rate("eagle3", "chat", 0, of) for of in ("Qwen/Qwen3-32B", ""))
    assert own is not None
    assert any_ is not None
    assert own.target
    assert not any_.target
    assert own.alpha < any_.alpha
    assert own.high - own.low < any_.high - any_.low
    assert rates.rate("dflash", "chat", 0) is None


@given(temperature=st.floats(0, 2), task=st.sampled_from([*TASKS]))
def test_acceptance_is_a_probability_that_falls_with_temperature(
    temperature: float, task: str
) -> None:
    for drafter in ("prompt-lookup", "eagle3", "draft-model", "mtp"):
        cold, here = (rates.rate(drafter, task, t) for t in (0, temperature))
        assert cold is not None
        assert here is not None
        assert 0 <= here.low <= here.alpha <= here.high <= 1
        assert here.alpha <= cold.alpha
        assert here.of_share(1 / 300).alpha <= here.of_share(1 / 5).alpha
