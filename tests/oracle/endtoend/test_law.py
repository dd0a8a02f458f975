"""The law: the reference transformer and its filters, whatever is asked together."""

from dataclasses import replace

import numpy as np
import pytest

from reference import logits
from reference.model.transformer import Transformer
from specsim.errors import Bad
from specsim.oracle.endtoend.law import ORDERS, Law
from specsim.oracle.endtoend.request import Request
from specsim.oracle.probe import pair

SHAPED = Request(
    (3, 4, 5, 6, 3),
    8,
    temperature=0.7,
    top_k=6,
    top_p=0.8,
    min_p=0.05,
    repetition_penalty=1.3,
    presence_penalty=0.4,
    frequency_penalty=0.5,
    logit_bias={4: 0.5},
)
RNG = np.random.default_rng(0)
PREFIXES = [tuple(RNG.integers(0, 16, n).tolist()) for n in RNG.integers(0, 7, 80)]


def after(text: tuple[int, ...]) -> np.ndarray:
    config, arrays = pair.target()
    network = Transformer(config, {k: v.astype(float) for k, v in arrays.items()})
    row: np.ndarray = network.extend(text, range(-1, len(text) - 1))[0][-1]
    return row


@pytest.mark.parametrize("request_", [Request((8,), 4), SHAPED])
def test_rows_are_those_of_the_reference(request_: Request) -> None:
    rows = Law(pair.target(), "transformers").rows(request_, PREFIXES)
    for prefix, row in zip(PREFIXES[:25], rows, strict=False):
        text = (*request_.prompt, *prefix)
        size = len(request_.prompt)
        want = logits.process(after(text), request_.sampling, text, size)
        np.testing.assert_allclose(row.p, want, atol=1e-12)


def test_rows_do_not_depend_on_what_is_asked_with_them() -> None:
    law = Law(pair.target(), "transformers")
    together = law.rows(SHAPED, PREFIXES)
    alone = [Law(pair.target(), "transformers").row(SHAPED, p) for p in PREFIXES[:10]]
    for one, other in zip(together, alone, strict=False):
        np.testing.assert_allclose(one.p, other.p, atol=1e-13)
    assert law.rows(SHAPED, PREFIXES)[3] is together[3]


def test_engines_order_their_filters_in_their_own_way() -> None:
    rows = {name: Law(pair.target(), name).rows(SHAPED, PREFIXES) for name in ORDERS}
    for one, other in [("transformers", "vllm"), ("transformers", "llama.cpp")]:
        pairs = zip(rows[one], rows[other], strict=True)
        assert any(abs(a.p - b.p).max() > 1e-3 for a, b in pairs), (one, other)


def test_llama_cpp_filters_at_temperature_one_and_counts_the_prompt() -> None:
    row = Law(pair.target(), "llama.cpp").row(SHAPED, (7,))
    text = (*SHAPED.prompt, 7)
    settings = replace(SHAPED.sampling, temperature=1.0)
    kept = logits.process(after(text), settings, text) > 0
    assert ((row.p > 0) == kept).all()


def test_what_rounding_may_let_through_is_possible() -> None:
    for request in (SHAPED, Request((8,), 4, temperature=0.0)):
        law = Law(pair.target(), "transformers", rounding=1e-3)
        for row in law.rows(request, PREFIXES):
            inside = row.p > 0
            assert row.possible[inside].all()
            assert not row.settled or (row.possible == inside).all()
    loose = Law(pair.target(), "transformers", rounding=0.05)
    rows = loose.rows(SHAPED, PREFIXES)
    assert any(not row.settled for row in rows)
    loose.allow(1e-4)
    fewer = [row for row in loose.rows(SHAPED, PREFIXES) if not row.settled]
    assert len(fewer) < sum(not row.settled for row in rows)


def test_a_border_within_rounding_is_told_from_one_beyond() -> None:
    """The k-th and the next logit, closer together than twice the rounding or not."""
    law = Law(pair.target(), "transformers")
    row = law.row(Request((8,), 4), ())
    first, second = np.sort(row.logits)[::-1][3:5]
    ask, gap = Request((8,), 4, top_k=4), float(first - second)
    near = Law(pair.target(), "transformers", rounding=0.51 * gap).row(ask, ())
    far = Law(pair.target(), "transformers", rounding=0.49 * gap).row(ask, ())
    assert not near.settled
    assert near.possible[row.logits.tolist().index(second)]
    assert far.settled


def test_an_unknown_order_is_told() -> None:
    with pytest.raises(Bad, match="choose from"):
        Law(pair.target(), "sglang")
