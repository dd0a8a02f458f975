"""What only floating point meets: each twin must refuse, stand in, and say so."""

from typing import Any

import numpy as np
import pytest

from specsim import seam
from specsim.rules import RULES, Rule
from tests.gpu.cases import emitted, even, torch

pytestmark = pytest.mark.torch

rows_of = seam.gpu("rows")
READERS = (
    "chain",
    "recursive",
    "block",
    "hub",
    "greedy_transport",
    "deduplicated",
    "traversal",
    "multi_path_block",
)
READS_Q = [RULES[name] for name in READERS]
LAST = 1 - 2.0**-24
reads_q = pytest.mark.parametrize("reader", READS_Q, ids=lambda rule: rule.name)


def verify(
    rule: Rule, p: Any, q: Any, tokens: list[int], accept: Any, sample: Any
) -> Any:
    """One request, a chain of any tokens, in float32."""
    n = len(tokens)
    return rule.twin(
        torch.tensor([p], dtype=torch.float32),
        torch.tensor([q], dtype=torch.float32),
        torch.tensor([tokens]),
        None,
        torch.tensor([n]),
        torch.tensor([accept]),
        torch.tensor([sample]),
        even(rule, 1, n + 1, len(p[0])),
    )


@reads_q
def test_an_empty_residual_is_replaced_by_p_and_reported(reader: Rule) -> None:
    """Rows that do not sum to 1, as bfloat16 leaves them: p < q everywhere."""
    p = [[0.25, 0.5], [0.25, 0.5]]
    verified = verify(reader, p, [[0.5, 0.5]], [0], [0.75], [0.5, 0.0])
    assert emitted(verified) == [[1]]
    assert verified.fallback.tolist() == [True]


def test_after_an_empty_residual_the_next_sibling_is_tried_on_p() -> None:
    given = dict(
        p=torch.tensor([[[0.25, 0.5], [1.0, 0.0], [1.0, 0.0]]]),
        q=torch.full((1, 2, 2), 0.5),
        tokens=torch.tensor([[0, 1]]),
        parents=torch.tensor([[-1, -1]]),
        lengths=torch.tensor([2]),
        accept=torch.tensor([[0.75, 0.5]]),
        sample=torch.tensor([[0.0, 0.0, 0.5]]),
    )
    verified = RULES["recursive"].twin(**given)
    assert emitted(verified) == [[1, 0]]
    assert verified.fallback.tolist() == [True]


@reads_q
def test_a_token_that_cannot_be_drafted_is_refused_and_reported(reader: Rule) -> None:
    """The draft ends before the second token, of q = 0; p is drawn from whole."""
    p = [[0.5, 0.5], [0.75, 0.25], [0.5, 0.5], [1.0, 0.0]]
    q = [[0.5, 0.5], [1.0, 0.0], [0.5, 0.5]]
    verified = verify(reader, p, q, [0, 1, 0], [0.5, 0.0, 0.0], [0.0, 0.5, 0.0, 0.0])
    assert emitted(verified) == [[0, 0]]
    assert verified.fallback.tolist() == [True]


@pytest.mark.parametrize("token", [-1, 2, 99])
def test_a_token_outside_the_vocabulary_is_refused_and_reported(
    rule: Rule, token: int
) -> None:
    p = [[0.0, 1.0], [0.0, 1.0], [1.0, 0.0], [1.0, 0.0]]
    q = [[0.5, 0.5]] * 3
    verified = verify(rule, p, q, [1, token, 0], [0.0] * 3, [0.5] * 4)
    assert emitted(verified) == [[1, 1]]
    assert verified.fallback.tolist() == [True]


def test_coin_zero_never_emits_what_p_forbids(rule: Rule) -> None:
    p = [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    for token in range(3):
        q = [[0.5, 0.25, 0.25]]
        verified = verify(rule, p, q, [token], [0.0], [0.0, 0.0])
        assert emitted(verified) == [[2, 1] if token == 2 else [2]]
        assert not verified.fallback.any()


def test_equal_rows_are_kept_whatever_the_coin(rule: Rule) -> None:
    """A float64 coin that float32 would round to 1 included."""
    row = [0.5, 0.25, 0.25]
    coin = torch.tensor([[1 - 2.0**-53]], dtype=torch.float64)
    given = torch.tensor([[row, row]]), torch.tensor([[row]]), torch.tensor([[0]])
    coins = coin, coin.expand(1, 2), even(rule, 1, 2, 3)
    verified = rule.twin(*given, None, torch.tensor([1]), *coins)
    if rule in READS_Q:
        assert emitted(verified) == [[0, 2]]
    assert not verified.fallback.any()


@pytest.mark.parametrize("vocab", [3, 1000, 50_000])
@pytest.mark.parametrize("tiny", [1.0, 2.0**-100, 2.0**-149])
def test_the_last_coin_draws_a_token_with_mass(vocab: int, tiny: float) -> None:
    """The last uniform below 1, on rows whose cdf rounds and that end without mass."""
    rng = np.random.default_rng(vocab)
    rows = torch.tensor(rng.exponential(size=(20, vocab)) * tiny, dtype=torch.float32)
    rows[:, vocab - vocab // 3 :] = 0
    rows[:, :2] = torch.tensor([0, tiny])
    drawn = rows_of.categorical(rows, torch.full((20,), LAST))
    assert (rows.gather(1, drawn[:, None]) > 0).all()


def test_a_scan_that_rises_where_there_is_no_mass(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As a parallel scan may, which adds in another order at every entry."""
    scan = torch.tensor([[2.0**-30, 0.5, 0.5 + 2.0**-24, 1, 1 + 2.0**-23]])
    monkeypatch.setattr(torch.Tensor, "cumsum", lambda rows, dim: scan)
    rows = torch.tensor([[0, 0.5, 0, 0.5, 0]])
    for coin, token in (0, 1), (0.5, 3), (LAST, 3):
        assert rows_of.categorical(rows, torch.tensor([coin])) == token


@pytest.mark.parametrize("vocab", [2, 33, 5000, 100_000])
def test_ties_fall_to_the_lowest_id(vocab: int) -> None:
    first = np.random.default_rng(vocab).integers(vocab, size=(4, 3))
    p = torch.zeros(4, 3, vocab)
    for b, r in np.ndindex(4, 3):
        p[b, r, first[b, r] :: 3] = 1 / vocab
    tokens = torch.tensor(first[:, :2])
    lengths = torch.full((4,), 2)
    coins = torch.zeros(4, 2), torch.zeros(4, 3)
    verified = RULES["greedy"].twin(p, None, tokens, None, lengths, *coins)
    assert emitted(verified) == first.tolist()


def test_rows_of_nan_are_reported(rule: Rule) -> None:
    nan = float("nan")
    p = [[nan, nan], [0.5, 0.5]]
    verified = verify(rule, p, [[0.5, 0.5]], [0], [0.5], [0.5, 0.5])
    assert verified.fallback.tolist() == [rule.name != "greedy"]


def test_a_blind_rule_does_not_look_at_q(rule: Rule) -> None:
    if "fixed" in rule.accepts:
        p, nothing = [[0.25, 0.75], [0.5, 0.5]], [[0.0, 0.0]]
        verified = verify(rule, p, nothing, [1], [0.5], [0.5, 0.0])
        assert emitted(verified) == [[1, 0]]
        assert not verified.fallback.any()


GOOD = {
    "p": torch.ones(2, 3, 4) / 4,
    "q": torch.ones(2, 2, 4) / 4,
    "tokens": torch.zeros(2, 2, dtype=torch.long),
    "parents": torch.tensor([[-1, 0], [-1, 0]]),
    "lengths": torch.tensor([2, 1]),
    "accept": torch.zeros(2, 2),
    "sample": torch.zeros(2, 3),
}


@pytest.mark.parametrize("name", GOOD)
def test_a_wrong_shape_is_named(name: str) -> None:
    bad = GOOD | {name: GOOD[name][:, :, 0] if name == "p" else GOOD[name][:1]}
    with pytest.raises(ValueError, match=rf"^{name} has shape .*: expected \("):
        RULES["chain"].twin(**bad)


@pytest.mark.parametrize("name", GOOD)
def test_a_wrong_dtype_is_named(name: str) -> None:
    given = GOOD[name]
    swapped = given.long() if given.is_floating_point() else given.float()
    with pytest.raises(ValueError, match=f"^{name} has dtype"):
        RULES["chain"].twin(**GOOD | {name: swapped})


@reads_q
def test_a_missing_q_is_named(reader: Rule) -> None:
    with pytest.raises(ValueError, match="q is None"):
        reader.twin(**GOOD | {"q": None})


def test_settings_without_logits_are_refused(rule: Rule) -> None:
    with pytest.raises(ValueError, match="logits=True"):
        rule.twin(**GOOD, temperature=0.5)
