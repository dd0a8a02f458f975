"""Conventions of single engines, in the law they are held against."""

import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from specsim.oracle.endtoend.cases import Case
from specsim.oracle.endtoend.drawing import Drawing, Judged, Limits
from specsim.oracle.endtoend.law import Law
from specsim.oracle.endtoend.request import Answer, Request
from specsim.oracle.probe import pair

PROMPT, SAID = (3, 4, 5, 6), (7, 9, 7, 14, 3)


def logits(order: str, **settings: Any) -> np.ndarray[Any, Any]:
    return Law(pair.target(), order).row(Request(PROMPT, 8, **settings), SAID).logits


def test_openvino_adds_penalties_to_logits_below_zero() -> None:
    bare = logits("openvino")
    said, others = [*{*SAID}], [t for t in range(16) if t not in SAID]
    penalised = logits("openvino", presence_penalty=0.1)
    towards = np.where(bare < 0, 0.1, -0.1)
    assert {*np.sign(bare[said])} == {-1, 1}
    assert penalised[said] == pytest.approx((bare + towards)[said])
    assert penalised[others] == pytest.approx(bare[others])


def test_openvino_looks_at_the_sign_before_each_penalty() -> None:
    bare = logits("openvino")
    both = logits("openvino", presence_penalty=3.0, frequency_penalty=0.5)
    for token in {*SAID}:
        after = bare[token] + math.copysign(3.0, -bare[token])
        twice = after + math.copysign(0.5 * SAID.count(token), -after)
        assert both[token] == pytest.approx(twice)


def test_mlx_filters_at_temperature_one_and_penalises_the_prompt() -> None:
    law = Law(pair.target(), "mlx")
    ask = Request(PROMPT, 8, temperature=3.0, top_p=0.7)
    kept = law.row(ask, SAID).p > 0
    cold = law.row(Request(PROMPT, 8, top_p=0.7), SAID).p > 0
    assert (kept == cold).all()
    moved = logits("mlx", presence_penalty=1.0) != logits("mlx")
    assert [*np.flatnonzero(moved)] == sorted({*PROMPT, *SAID})


class Forbidden:
    """Always says a token that top-k of 1 rules out."""

    def generate(self, requests: Sequence[Request]) -> list[Answer]:
        return [Answer((0,) * r.max_tokens) for r in requests]

    def revive(self) -> None: ...


def test_a_proof_is_a_finite_point_of_the_path() -> None:
    law = Law(pair.target(), "transformers")
    case = Case("top-k", (Request(PROMPT, 2, top_k=1),))
    drawn = Drawing(case, Judged(law, law)).run(Forbidden(), Limits(8, 9.0, 9.0))
    assert drawn.refuted
    assert json.loads(json.dumps(drawn.path, allow_nan=False))[0][1] > 100
