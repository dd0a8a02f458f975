"""The stub's two dialects: bodies into asks, answers into bodies."""

import math
from collections.abc import Mapping
from typing import Any

from specsim.errors import Bad
from specsim.oracle.http.ask import Ask
from specsim.oracle.http.dialects import LLAMA_OPTIONS, OPENAI_OPTIONS
from specsim.oracle.http.stub.engine import Letters, Served
from specsim.oracle.probe import pair
from specsim.roofline.fields import short

MOST_ANSWERS = 128
LOWEST = -1000.0
"""In the place of -inf, which JSON lacks."""
NUMBERS = {
    "temperature": float,
    "top_k": int,
    "top_p": float,
    "min_p": float,
    "repetition_penalty": float,
    "presence_penalty": float,
    "frequency_penalty": float,
    "seed": int,
}


def openai_ask(body: Mapping[str, Any]) -> Ask:
    """Bad: a value of the wrong type."""
    given = _numbers(body, OPENAI_OPTIONS)
    if given.get("top_k") == -1:
        given["top_k"] = 0
    if "logit_bias" in body:
        given["logit_bias"] = _biases(body["logit_bias"])
    if "stop" in body:
        given["stop"] = _strings("stop", body["stop"])
    if "stop_token_ids" in body:
        given["stop_token_ids"] = _tokens("stop_token_ids", body["stop_token_ids"])
    if (structured := body.get("structured_outputs")) is not None:
        choice = structured.get("choice") if isinstance(structured, dict) else None
        given["choice"] = _strings("structured_outputs", choice)
    return Ask(
        _prompt(body.get("prompt")),
        _whole("max_tokens", body.get("max_tokens", 16), 1, 10**6),
        count=_whole("n", body.get("n", 1), 1, MOST_ANSWERS),
        top=_whole("logprobs", body["logprobs"], 0, 20) if "logprobs" in body else None,
        **given,
    )


def llama_ask(body: Mapping[str, Any]) -> Ask:
    """What llama-server would make of it."""
    given = _numbers(body, LLAMA_OPTIONS)
    biases = body.get("logit_bias", [])
    if not isinstance(biases, list) or not all(
        isinstance(each, list) and len(each) == 2 for each in biases
    ):
        raise Bad(f"logit_bias {short(biases)}: give pairs")
    given["logit_bias"] = {k: -math.inf if v is False else v for k, v in biases}
    given["stop"] = _strings("stop", body.get("stop", []))
    if grammar := body.get("grammar"):
        given["choice"] = tuple(str(grammar).split('"')[1::2])
    return Ask(
        _prompt(body.get("prompt")),
        _whole("n_predict", body.get("n_predict", 16), 1, 10**6),
        top=_whole("n_probs", body["n_probs"], 0, 20) if "n_probs" in body else None,
        **given,
    )


def openai_answer(ask: Ask, served: list[Served]) -> dict[str, Any]:
    """A completion, with token ids as vLLM gives them."""
    return {
        "object": "text_completion",
        "model": "probe",
        "choices": [_choice(ask, i, each) for i, each in enumerate(served)],
        "usage": {
            "prompt_tokens": len(ask.prompt),
            "completion_tokens": sum(len(each.run.tokens) for each in served),
        },
    }


def _choice(ask: Ask, index: int, served: Served) -> dict[str, Any]:
    run = served.run
    made: dict[str, Any] = {
        "index": index,
        "text": run.text,
        "finish_reason": "length" if run.end == "length" else "stop",
        "token_ids": run.tokens,
        "logprobs": None,
    }
    if ask.top is not None:
        rows = tops(ask, served)
        made["logprobs"] = {
            "tokens": [f"token_id:{token}" for token in run.tokens],
            "token_logprobs": said(served),
            "top_logprobs": [
                {f"token_id:{token}": value for token, value in row.items()}
                for row in rows
            ],
        }
    return made


def llama_answer(ask: Ask, served: Served) -> dict[str, Any]:
    """A completion as llama-server gives it; its timings say what was drafted."""
    run, ends = served.run, {"length": "limit", "end": "eos", "stop": "word"}
    made: dict[str, Any] = {
        "content": run.text,
        "tokens": run.tokens,
        "stop_type": ends[run.end],
        "tokens_predicted": len(run.tokens),
        "timings": {"predicted_n": len(run.tokens), **counted(served)},
    }
    if ask.top is not None:
        rows = zip(run.tokens, said(served), tops(ask, served), strict=True)
        made["completion_probabilities"] = [
            {
                "id": token,
                "token": Letters().text([token]),
                "logprob": own,
                "top_logprobs": [{"id": k, "logprob": v} for k, v in row.items()],
            }
            for token, own, row in rows
        ]
    return made


def counted(served: Served) -> dict[str, int]:
    """What llama-server tells of drafts, where there were any."""
    tally = served.run.tally
    if not tally.drafted:
        return {}
    return {"draft_n": tally.drafted, "draft_n_accepted": tally.accepted}


def said(served: Served) -> list[float]:
    """The logprob of each token."""
    return [max(LOWEST, each.logprob) for each in served.run.emitted]


def tops(ask: Ask, served: Served) -> list[dict[int, float]]:
    """The likeliest tokens of each row."""
    most = max(1, ask.top or 0)
    return [
        {
            int(token): max(LOWEST, float(row[token]))
            for token in (-row).argsort()[:most]
        }
        for row in served.rows
    ]


def _numbers(body: Mapping[str, Any], options: Mapping[str, str]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name, kind in NUMBERS.items():
        value = body.get(options[name])
        if value is None:
            continue
        if type(value) not in (int, float) or kind(value) != value:
            raise Bad(f"{options[name]} {short(value)}: give a number")
        made[name] = kind(value)
    return made


def _biases(given: Any) -> dict[int, float]:
    if not isinstance(given, dict):
        raise Bad(f"logit_bias {short(given)}: give an object")
    try:
        return {int(token): float(value) for token, value in given.items()}
    except (TypeError, ValueError):
        raise Bad(f"logit_bias {short(given)}: give numbers by token id") from None


def _strings(name: str, given: Any) -> tuple[str, ...]:
    given = [given] if isinstance(given, str) else given
    if not isinstance(given, list) or not all(isinstance(s, str) and s for s in given):
        raise Bad(f"{name} {short(given)}: give strings")
    return tuple(given)


def _tokens(name: str, given: Any) -> tuple[int, ...]:
    if not isinstance(given, list) or not all(type(t) is int for t in given):
        raise Bad(f"{name} {short(given)}: give token ids")
    return tuple(given)


def _prompt(given: Any) -> tuple[int, ...]:
    return tuple(Letters().encode(given)) if type(given) is str else _ids(given)


def _ids(given: Any) -> tuple[int, ...]:
    made = _tokens("prompt", given)
    if not made or not all(0 <= token < pair.VOCAB for token in made):
        raise Bad(f"prompt {short(given)}: give token ids from 0 to {pair.VOCAB - 1}")
    return made


def _whole(name: str, given: Any, least: int, most: int) -> int:
    if type(given) is not int or not least <= given <= most:
        raise Bad(f"{name} {short(given)}: give a whole number from {least} to {most}")
    return given
