"""Temperature and filters against reference/logits, ties included."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from reference.logits import Sampling, process
from specsim import seam
from specsim.rules import RULES
from tests.gpu.cases import even, torch

pytestmark = pytest.mark.torch
logits = seam.gpu("logits")
TWINNED = [rule for rule in RULES.values() if rule.has_twin]

SETTINGS = [
    {"temperature": t, "top_k": k, "top_p": p, "min_p": m}
    for t, k, p, m in product((0, 0.5, 1, 3), (0, 1, 3, 99), (0, 0.6, 1), (0, 0.3, 1))
]
KINDS = "smooth", "tied", "banned"


def rows(kind: str, vocab: int) -> np.ndarray[Any, Any]:
    """(2, 3, V) logits: all different, most of them tied, or many of them -inf."""
    rng = np.random.default_rng(vocab)
    if kind == "tied":
        return rng.integers(-1, 2, (2, 3, vocab)).astype(float)
    drawn = rng.normal(0, 2, (2, 3, vocab))
    if kind == "banned":
        drawn[..., 1:][drawn[..., 1:] < 0] = -np.inf
    return drawn


def twin(given: Any, setting: dict[str, Any], dtype: Any = torch.float64) -> Any:
    filters = logits.Filters(**{k: v for k, v in setting.items() if k != "temperature"})
    return logits.process(
        torch.tensor(given, dtype=dtype), setting["temperature"], filters
    )


@pytest.mark.parametrize(
    "setting", SETTINGS, ids=lambda s: "-".join(map(str, s.values()))
)
def test_the_twin_processes_as_the_reference(setting: dict[str, Any]) -> None:
    for kind, vocab in product(KINDS, (1, 2, 7, 40)):
        given = rows(kind, vocab)
        flat = given.reshape(-1, vocab)
        expected = np.array([process(row, Sampling(**setting)) for row in flat])
        got = twin(given, setting).reshape(-1, vocab).numpy()
        assert ((got > 0) == (expected > 0)).all(), (kind, vocab)
        np.testing.assert_allclose(got, expected, rtol=1e-12)


def test_settings_may_differ_by_request() -> None:
    given = rows("tied", 9)
    for a, b in zip(SETTINGS, SETTINGS[1:] + SETTINGS[:1], strict=True):
        both = {name: torch.tensor([a[name], b[name]]) for name in a}
        alone = [twin(given[i : i + 1], s) for i, s in enumerate((a, b))]
        assert torch.allclose(twin(given, both), torch.cat(alone), rtol=1e-12), (a, b)


def test_the_border_of_top_p_is_reached_not_passed() -> None:
    """Four equal tokens, half the mass: two are enough, the lowest ids."""
    half = {"temperature": 1, "top_k": 0, "top_p": 0.5, "min_p": 0}
    for dtype in torch.float64, torch.float32:
        assert twin(np.zeros((1, 1, 4)), half, dtype).tolist() == [[[0.5, 0.5, 0, 0]]]


def test_top_p_of_1_keeps_what_rounding_hides() -> None:
    all_of_it = {"temperature": 1, "top_k": 0, "top_p": torch.ones(1), "min_p": 0}
    assert (twin([[[0, -50]]], all_of_it) > 0).all()


def test_float32_keeps_the_same_tokens() -> None:
    for setting in SETTINGS:
        wide, narrow = (
            twin(rows("smooth", 40), setting, d) for d in (torch.float64, torch.float32)
        )
        assert narrow.dtype == torch.float32
        assert ((wide > 0) == (narrow > 0)).all(), setting


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("temperature", -1),
        ("temperature", float("inf")),
        ("temperature", float("nan")),
        ("top_k", -1),
        ("top_k", 1.5),
        ("top_p", 1.5),
        ("min_p", -0.1),
    ],
)
def test_a_number_out_of_range_is_named(name: str, value: float) -> None:
    neutral = {"temperature": 1, "top_k": 0, "top_p": 1, "min_p": 0}
    with pytest.raises(ValueError, match=f"^{name} = {value}: must be"):
        twin(rows("smooth", 4), neutral | {name: value})


def test_rules_process_both_rows() -> None:
    """Logits in, or rows processed before: the same tokens; q is processed as p is."""
    p, q = torch.tensor(rows("smooth", 8)), torch.tensor(rows("smooth", 8)[:, 1:])
    filters = logits.Filters(top_k=5, top_p=0.95)
    processed = [logits.process(x, 0.7, filters) for x in (p, q)]
    tokens = processed[1].max(-1).indices
    rest = tokens, None, torch.tensor([2, 1])
    coins = torch.full((2, 2), 0.5), torch.full((2, 3), 0.5)
    for rule in TWINNED:
        if rule.name == "cascade":  # believes a draft that is sure, at any temperature
            continue
        luck = *coins, even(rule, 2, 3, 8)
        a = rule.twin(p, q, *rest, *luck, logits=True, temperature=0.7, filters=filters)
        b = rule.twin(*processed, *rest, *luck)
        assert torch.equal(a.tokens, b.tokens), rule.name


def test_temperature_zero_turns_every_rule_into_exact_match() -> None:
    given = torch.tensor(rows("tied", 8))
    best = torch.tensor(np.argmax(given.numpy(), -1))
    tokens = best[:, :2].clone()
    tokens[1, 1] = (tokens[1, 1] + 1) % 8
    q = torch.nn.functional.one_hot(tokens, 8).double().log()
    rest = tokens, None, torch.tensor([2, 2])
    coins = torch.full((2, 2), 0.9), torch.full((2, 3), 0.9)
    for rule in TWINNED:
        if rule.name == "cascade":  # believes a draft that is sure, at any temperature
            continue
        luck = *coins, even(rule, 2, 3, 8)
        got, count = rule.twin(given, q, *rest, *luck, logits=True, temperature=0)
        assert got.tolist() == [best[0].tolist(), [*best[1, :2].tolist(), -1]], (
            rule.name
        )
        assert count.tolist() == [3, 2]
