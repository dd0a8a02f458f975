"""Published speed-ups: how a row is read, and how near predictions come."""

import csv
from collections.abc import Iterator
from importlib.resources import files

import pytest

from specsim.errors import Bad
from specsim.roofline.speculation import measured
from specsim.roofline.speculation.acceptance import Emitted

ROW = {
    "evidence": "read", "kind": "measured", "method": "EAGLE-3",
    "target": "Llama-3.1-8B-Instruct", "draft": "EAGLE head", "K_or_tree": "chain 3",
    "batch": "4", "tau_tokens_per_step": "2.5", "device": "H100", "engine": "SGLang",
}  # fmt: skip


def shipped() -> list[dict[str, str]]:
    """Rows with a measured speed-up."""
    path = files("specsim") / "data" / "measurements" / "speculation.csv"
    with path.open(encoding="utf-8") as lines:
        return [row for row in csv.DictReader(lines) if row["speedup"]]


def priced() -> Iterator[tuple[float, float, float, float]]:
    """Measured speed-up, predicted, low and high, where tokens per step are given."""
    for row in shipped():
        if row["tau_tokens_per_step"]:
            try:
                yield float(row["speedup"]), *measured.predict(row)
            except Bad:
                continue


def test_a_row_is_a_question() -> None:
    asked = measured.question(ROW)
    assert asked.deployment.gpu.name == "H100-SXM5-80GB"
    assert asked.deployment.engine.name == "sglang"
    assert asked.drafter.name == "eagle3"
    assert asked.keywords["alpha"] == Emitted(2.5)
    assert (asked.keywords["k"], asked.keywords["tree"]) == (3, 0)
    assert asked.keywords["batch"] == 4


def test_what_was_measured_is_not_read() -> None:
    lies = {"speedup": "9", "implied_cycle_cost": "9", "baseline_tok_s": "9",
            "spec_tok_s": "9"}  # fmt: skip
    assert measured.predict(ROW) == measured.predict(ROW | lies)


@pytest.mark.parametrize(
    ("words", "name"),
    [("EAGLE-1", "eagle"), ("EAGLE2", "eagle2"), ("SAMD+EAGLE2", "eagle2"),
     ("EAGLE-3", "eagle3"), ("Medusa-2", "medusa"), ("SpS", "draft-model"),
     ("PLD baseline", "prompt-lookup"), ("n-gram (PLD)", "prompt-lookup"),
     ("Lookahead+prompt ref", "lookahead"), ("REST", "rest"), ("MTP", "mtp"),
     ("Recycling", "token-recycling"), ("draft model", "draft-model")],
)  # fmt: skip
def test_methods_have_drafters(words: str, name: str) -> None:
    assert measured.method(words) == name


@pytest.mark.parametrize(
    ("method", "words", "shape"),
    [("EAGLE-3", "tree 60 nodes (8 deep)", (59, 8)), ("EAGLE-3", "K=2 chain", (2, 2)),
     ("EAGLE-1", "static tree", (25, 5)), ("EAGLE-3", "", (59, 8)),
     ("EAGLE-1", "static tree ~26 nodes depth 5", (25, 5)),
     ("EAGLE-1", "5 steps topk 8 64 nodes", (63, 6)), ("draft model", "7", (7, 7)),
     ("draft model", "K~5 (script)", (5, 5)), ("Lookahead", "W15 N5 G15 (7B)", (4, 4)),
     ("Lookahead", "(5,15,15)", (4, 4)), ("draft model", "max 16 min 5", (16, 16))],
)  # fmt: skip
def test_shapes_are_read(method: str, words: str, shape: tuple[int, int]) -> None:
    row = ROW | {"method": method, "K_or_tree": words, "draft": "llama-160m"}
    made = measured.priced(row)
    assert (made.shape.nodes, made.shape.depth) == shape


def test_a_window_is_carried_through_the_pass() -> None:
    row = ROW | {"method": "Lookahead", "K_or_tree": "W15 N5 G15 (7B)"}
    assert measured.priced(row).carried == (15 + 15) * (5 - 1)


def test_counts_of_an_engine_are_not_alpha() -> None:
    row = ROW | {"alpha": "0.5904", "tau_tokens_per_step": "", "K_or_tree": "4",
                 "method": "n-gram"}  # fmt: skip
    plain, counted = (
        measured.priced(row | {"engine": engine}) for engine in ("PyTorch", "llama.cpp")
    )
    assert plain.tokens == pytest.approx(2.27, abs=0.01)
    assert counted.tokens == pytest.approx(3.3616, abs=1e-6)


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [({"evidence": "recalled"}, "no evidence"), ({"kind": "theory"}, "no speed-up"),
     ({"method": "telepathy"}, "no drafter"), ({"method": "staged"}, "no drafter"),
     ({"target": "??"}, "model"), ({"target": "nobody's"}, "unknown"),
     ({"device": "abacus"}, "unknown device"), ({"device": ""}, "unknown device"),
     ({"batch": "QPS"}, "batch"), ({"tau_tokens_per_step": ""}, "neither tokens"),
     ({"tau_tokens_per_step": "99"}, "tokens per step"),
     ({"tau_tokens_per_step": "x"}, "not a number"),
     ({"method": "draft model", "draft": "nobody's"}, "unknown"),
     ({"tau_tokens_per_step": "", "alpha": "7"}, "alpha")],
)  # fmt: skip
def test_rows_that_cannot_be_priced_say_why(wrong: dict[str, str], reason: str) -> None:
    with pytest.raises(Bad, match=reason):
        measured.predict(ROW | wrong)


def test_an_empty_row_is_refused_in_one_line() -> None:
    with pytest.raises(Bad) as refused:
        measured.predict({})
    assert "\n" not in str(refused.value)


def test_speedups_are_near() -> None:
    """The mean error is 12 % at most where tokens per step are given."""
    errors = [abs(found / said - 1) for said, found, _, _ in priced()]
    assert len(errors) >= 90
    assert sum(errors) / len(errors) < 0.12
    assert sorted(errors)[len(errors) // 2] < 0.08


def test_nine_in_ten_lie_in_the_interval() -> None:
    inside = [low <= said <= high for said, _, low, high in priced()]
    assert sum(inside) >= 0.9 * len(inside)


def test_rows_that_say_enough_are_priced() -> None:
    """Evidence of a known method on a device that gpus.csv has."""
    rows = [row for row in shipped() if row["tau_tokens_per_step"]]
    refused = {}
    for row in rows:
        try:
            measured.question(row)
        except Bad as reason:
            refused[row["id"]] = str(reason)
    unsaid = "evidence", "unknown device", "no speed-up", "batch", "no drafter"
    assert all(any(word in said for word in unsaid) for said in refused.values())
