"""Recorded steps: what ships is whole, rules keep what they must, damage is refused."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from specsim import recorded, weights
from specsim.drafters import DRAFTERS
from specsim.errors import Bad
from specsim.recorded import FOLDER, Block, Recorded, tokens_per_block
from specsim.rules import RULES
from specsim.seam import proposal

EVERY = recorded.recorded()
CHAINS = [each for each in EVERY if each.drafter.kind == "iid"]


def test_a_draft_model_a_tree_and_a_lookup_ship() -> None:
    assert {each.drafter.kind for each in EVERY} == {
        "iid", "without_replacement", "fixed",
    }  # fmt: skip
    assert sum(file.stat().st_size for file in FOLDER.iterdir()) < 1_000_000


@pytest.mark.parametrize("of", EVERY, ids=lambda of: of.name)
def test_rows_are_rows(of: Recorded) -> None:
    assert len(of.blocks) >= 20
    for block in of.blocks:
        rows = [block.p, *([] if block.drafted.q is None else [block.drafted.q])]
        for each in rows:
            assert np.allclose(each.sum(-1), 1, atol=1e-12)


@pytest.mark.parametrize("of", CHAINS, ids=lambda of: of.name)
def test_the_chain_rule_keeps_what_its_ratios_say(of: Recorded) -> None:
    """Of a chain that was drawn: 1 + a_1 + a_1 a_2 + ..., a_i = min(1, p_i / q_i)."""
    each = []
    for block in of.blocks:
        tokens, p, q = block.drafted.tokens, block.p, block.drafted.drawn_from
        at = range(len(tokens))
        kept = np.minimum(1, p[at, tokens] / q[at, tokens])
        each.append(1 + np.cumprod(kept).sum())
    chain = tokens_per_block(RULES["chain"], of, 100)
    assert chain == pytest.approx(np.mean(each), abs=0.06)


@pytest.mark.parametrize("of", CHAINS, ids=lambda of: of.name)
def test_no_rule_for_chains_keeps_more_than_block_verification(of: Recorded) -> None:
    block = tokens_per_block(RULES["block"], of)
    assert block > tokens_per_block(RULES["chain"], of)
    assert block > tokens_per_block(RULES["target_only"], of)


def test_a_draft_of_the_target_s_own_rows_is_kept_whole() -> None:
    rows = np.full((3, 4), 0.25)
    drafted = proposal.Proposal([1, 2], [-1, 0], rows[:2], "iid")
    perfect = replace(CHAINS[0], blocks=[Block(rows, drafted)])
    assert tokens_per_block(RULES["chain"], perfect) == 3


def test_rules_that_are_unsound_or_take_too_long_are_left_out() -> None:
    taken = {
        each.name: {name for name, rule in RULES.items() if each.takes(rule)}
        for each in EVERY
    }
    for each in EVERY:
        assert "optimal_transport" not in taken[each.name]
        assert ("chain" in taken[each.name]) is (each.drafter.kind == "iid")
        assert ("recursive" in taken[each.name]) is (each.drafter.kind != "fixed")


def written(file: Path, **changed: Any) -> Path:
    """One block of two tokens, the second below the first."""
    rows = np.full((3, 4), 0.25, np.float16)
    arrays: dict[str, Any] = {
        "0.tokens": np.array([1, 2], np.int32),
        "0.parents": np.array([-1, 0], np.int32),
        "0.p": rows,
        "0.q": rows[:2],
    }
    said = {"model": "m", "drafter": "draft-model", "temperature": "1", "blocks": "1"}
    kept = {name: changed.get(name, array) for name, array in arrays.items()}
    weights.save(
        file,
        {name: array for name, array in kept.items() if array is not None},
        said | changed.get("said", {}),
    )
    return file


def test_what_is_written_is_read(tmp_path: Path) -> None:
    made = recorded.load(written(tmp_path / "one.safetensors"))
    assert (made.name, made.model, made.temperature) == ("one", "m", 1.0)
    assert made.drafter is DRAFTERS["draft-model"]
    assert made.blocks[0].drafted.tokens == [1, 2]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"said": {"blocks": "x"}}, "header"),
        ({"said": {"drafter": "nobody"}}, "header"),
        ({"said": {"blocks": "0"}}, "no blocks"),
        ({"said": {"blocks": "2"}}, "block 1 is not whole"),
        ({"0.q": None}, "block 0 is not whole"),
        ({"0.p": np.full((3, 4), 0.2, np.float16)}, "block 0 is not whole"),
        ({"0.p": np.array([[1.5, -0.5, 0, 0]] * 3, np.float16)}, "not whole"),
        ({"0.p": np.full(4, 0.25, np.float16)}, "not whole"),
        ({"0.p": np.full((2, 4), 0.25, np.float16)}, "no draft with its rows"),
        ({"0.q": np.full((3, 4), 0.25, np.float16)}, "no draft with its rows"),
        ({"0.q": np.array([[1, 0, 0, 0]] * 2, np.float16)}, "no draft with its rows"),
        ({"0.tokens": np.array([1, 4], np.int32)}, "no draft with its rows"),
        ({"0.tokens": np.array([1, -2], np.int32)}, "no draft with its rows"),
        ({"0.tokens": np.array([1.0, 2.0], np.float32)}, "no draft with its rows"),
        ({"0.tokens": np.array([[1, 2]], np.int32)}, "no draft with its rows"),
        ({"0.parents": np.array([-1, 1], np.int32)}, "no draft with its rows"),
        ({"0.parents": np.array([-1], np.int32)}, "no draft with its rows"),
    ],
)
def test_damage_is_one_line(tmp_path: Path, changed: dict[str, Any], said: str) -> None:
    file = written(tmp_path / "one.safetensors", **changed)
    with pytest.raises(Bad, match=said) as raised:
        recorded.load(file)
    assert "\n" not in str(raised.value)
