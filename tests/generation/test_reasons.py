"""What the league says of a drafter follows from its figures."""

from typing import Any

import pytest

from specsim.generation.reasons import why


def line(tokens: float, draft: float, total: float, nodes: float = 4) -> dict[str, Any]:
    """Of a target whose plain step takes 2 ms."""
    return {
        "tokens_per_step": tokens,
        "nodes_per_step": nodes,
        "plain_ms": 2.0,
        "step_ms": {"draft": draft, "total": total},
        "speedup": 2.0 * tokens / total,
    }


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            line(3, 1, 3.5),
            "2.00 tokens more a step save 4.00 ms; drafting costs 1.00 ms, verifying "
            "4.0 drafted 0.50 ms",
        ),
        (line(2, 9.1, 11.2), "drafting costs 9.10 ms a step, more than the 2.00 ms it"),
        (line(2, 0.1, 12.5), "verifying 4.0 drafted tokens costs 10.4 ms a step, more"),
        (
            line(2, 1.5, 4.5),
            "drafting and verifying 4.0 drafted tokens cost 1.50 ms and 1.00 ms a "
            "step, together more than the 2.00 ms it saves",
        ),
        (line(1.05, 0.2, 2.5), "hardly a draft is kept: that saves 0.10 ms a step"),
        (line(1, 0, 1.9), "hardly a draft is kept: that saves 0.00 ms a step"),
        (line(1, 0, 2, nodes=0), "nothing was drafted"),
    ],
)
def test_the_reason_is_the_greatest_cost(given: dict[str, Any], said: str) -> None:
    assert why(given).startswith(said)


@pytest.mark.parametrize("tokens", [1.2, 2.0, 3.5])
@pytest.mark.parametrize("draft", [0.1, 2.1, 6.3])
@pytest.mark.parametrize("beyond", [0.2, 1.5, 5.2])
def test_what_is_saved_outweighs_what_it_costs_where_it_gains(
    tokens: float, draft: float, beyond: float
) -> None:
    gains = 2.0 * (tokens - 1) >= draft + beyond
    said = why(line(tokens, draft, 2.0 + draft + beyond))
    assert ("more than" in said) is not gains
