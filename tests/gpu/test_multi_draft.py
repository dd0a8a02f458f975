"""Rules that look at all siblings at once, batched, at the ends of what can be."""

from typing import Any

import pytest

from specsim.rules import RULES, Rule
from tests.gpu.cases import emitted, torch

pytestmark = pytest.mark.torch

ALL_AT_ONCE = [RULES[name] for name in ("k_seq", "importance_weighted")]
LAST = 1 - 2.0**-24
each = pytest.mark.parametrize("sibling", ALL_AT_ONCE, ids=lambda rule: rule.name)


def verify(rule: Rule, p: Any, q: Any, accept: list[float], sample: float) -> Any:
    """One node with children 1 and 0, in float32."""
    return rule.twin(
        torch.tensor([[p, [1.0, 0.0], [1.0, 0.0]]]),
        torch.tensor([[q, q]]),
        torch.tensor([[1, 0]]),
        torch.tensor([[-1, -1]], dtype=torch.int32),
        torch.tensor([2]),
        torch.tensor([accept]),
        torch.full((1, 3), sample),
    )


@each
def test_equal_rows_are_accepted_with_every_coin(sibling: Rule) -> None:
    for coin in (0.0, LAST):
        verified = verify(sibling, [0.5, 0.5], [0.5, 0.5], [coin, coin], 0.0)
        assert emitted(verified) == [[1, 0]]
        assert verified.fallback.tolist() == [False]


def test_an_empty_residual_is_replaced_by_p_and_reported() -> None:
    """Rows that do not sum to 1, as bfloat16 leaves them: p < q everywhere."""
    given = [0.125, 0.25], [0.5, 0.5], [LAST, LAST], LAST
    verified = verify(RULES["importance_weighted"], *given)
    assert emitted(verified) == [[1, 0]]
    assert verified.fallback.tolist() == [True]
    assert not verify(RULES["k_seq"], *given).fallback, "it scales the target down"
