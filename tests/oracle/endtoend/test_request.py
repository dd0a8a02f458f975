"""Requests and answers: what makes no sense is refused in one line."""

from typing import Any

import numpy as np
import pytest

from specsim.errors import Bad
from specsim.oracle.endtoend.offer import Offer
from specsim.oracle.endtoend.request import Answer, Request
from tests.oracle.endtoend.cast import Engine


def test_a_request_survives_being_a_dict() -> None:
    asked = Request((3, 4), 5, seed=7, top_k=2, logit_bias={3: 1.5}, logprobs=True)
    assert Request.from_dict(asked.as_dict()) == asked
    words = asked.as_dict() | {"logit_bias": {"3": 1.5}}
    assert Request.from_dict(words) == asked
    assert asked.changed == {"top_k", "logit_bias", "logprobs"}
    assert asked.neutral("top_k").changed == {"logit_bias", "logprobs"}


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"prompt": []}, "empty prompt"),
        ({"prompt": 3}, "list of token ids"),
        ({"prompt": [0.5]}, "whole numbers"),
        ({"prompt": [-1]}, "no token id"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"seed": 2**31}, "seed"),
        ({"temperature": float("nan")}, "temperature"),
        ({"top_p": 1.5}, "top_p"),
        ({"repetition_penalty": 0}, "repetition"),
        ({"logit_bias": {3: float("inf")}}, "finite"),
        ({"logit_bias": {"x": 1}}, "numbers by id"),
        ({"logit_bias": [3]}, "dict"),
        ({"logprobs": 1}, "true or false"),
        ({"top_q": 1}, "unknown field 'top_q'"),
    ],
)
def test_a_bad_request_is_told(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(Bad, match=said):
        Request.from_dict({"prompt": [3], "max_tokens": 2} | fields)


def test_an_answer_may_come_in_arrays() -> None:
    tokens, logprobs = np.array([3, 4]), np.array([-1.0, -2.0])
    answer = Answer(tokens, logprobs, np.int64(3))  # type: ignore[arg-type]
    assert answer.as_dict() == {
        "tokens": [3, 4],
        "logprobs": [-1.0, -2.0],
        "drafted": 3,
    }


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "tokens is missing"),
        ({"tokens": "ab"}, "list of token ids"),
        ({"tokens": [3, -1]}, "leave padding out"),
        ({"tokens": [3], "logprobs": []}, "0 logprobs for 1 tokens"),
        ({"tokens": [3], "logprobs": [float("nan")]}, "NaN"),
        ({"tokens": [3], "logprobs": [None]}, "numbers only"),
        ({"tokens": [3], "drafted": -1}, "drafted"),
        ({"tokens": [3], "text": 5}, "text"),
        ({"token": [3]}, "unknown field"),
    ],
)
def test_a_bad_answer_is_told(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(Bad, match=said):
        Answer.from_dict(fields)


def test_a_token_beyond_the_vocabulary_is_told() -> None:
    with pytest.raises(Bad, match=r"token 16 is not in 0\.\.15"):
        Answer((3, 16)).within(16)


def test_an_offer_survives_being_a_dict() -> None:
    offer = Offer.of(Engine())
    assert Offer.from_dict(offer.as_dict()).honoured("ngram") == Engine.surface
    assert offer.control_first[0] == "plain"


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("format", "exl2", "choose from hf, gguf"),
        ("order", "sglang", "choose from transformers"),
        ("modes", {}, "dict of its modes"),
        ("modes", {"plain": None}, "give a dict"),
        ("modes", {"plain": {"without": ["top-k"]}}, "top-k"),
        ("surface", "seed", "names of fields"),
        ("surface", {"beams"}, "beams"),
        ("rounding", 1.0, "nats"),
    ],
)
def test_a_bad_offer_is_told(name: str, value: Any, said: str) -> None:
    engine = type("Odd", (Engine,), {name: value})()
    with pytest.raises(Bad, match=said):
        Offer.of(engine)


def test_an_engine_says_what_it_reads() -> None:
    with pytest.raises(Bad, match="no attribute format"):
        Offer.of(object())
