"""The two ways in which servers are spoken to: OpenAI's completions, and llama.cpp's.

OpenAI's `/v1/completions` is what vLLM, SGLang, TensorRT-LLM and others serve, each
with parameters of its own; token ids come back where vLLM's `return_token_ids` or
`return_tokens_as_token_ids` is understood. `/completion` is llama-server's own.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from specsim.errors import Bad
from specsim.oracle.http.ask import Ask, Reply, ids, logprob
from specsim.roofline.fields import short

PREFIX = "token_id:"
OPENAI_OPTIONS = {
    "temperature": "temperature",
    "top_k": "top_k",
    "top_p": "top_p",
    "min_p": "min_p",
    "repetition_penalty": "repetition_penalty",
    "presence_penalty": "presence_penalty",
    "frequency_penalty": "frequency_penalty",
    "logit_bias": "logit_bias",
    "stop": "stop",
    "stop_token_ids": "stop_token_ids",
    "seed": "seed",
    "choice": "structured_outputs",
}
LLAMA_OPTIONS = {
    **OPENAI_OPTIONS,
    "repetition_penalty": "repeat_penalty",
    "choice": "grammar",
}
del LLAMA_OPTIONS["stop_token_ids"]


@dataclass(frozen=True)
class Dialect:
    """One way to ask.

    options: fields of an Ask and what they are called on the wire.
    many:    whether one request may ask for several answers.
    strict:  whether a value of the wrong type is refused where the field is known.
    order:   of filters, one of endtoend.law.ORDERS, as far as the dialect tells.
    """

    name: str
    path: str
    options: dict[str, str]
    many: bool
    strict: bool
    order: str
    body: Callable[[Ask, str, frozenset[str]], dict[str, Any]]
    replies: Callable[[dict[str, Any]], list[Reply]]


def openai_body(ask: Ask, model: str, offers: frozenset[str]) -> dict[str, Any]:
    """What is sent: neutral values too, lest the server's own defaults come in.

    top_k is off at -1 for every server; SGLang refuses 0.
    """
    body = {
        "prompt": [*ask.prompt],
        "max_tokens": ask.max_tokens,
        "n": ask.count,
        **_sent(ask, OPENAI_OPTIONS, offers),
    }
    if "extras" in offers:
        body |= {"return_token_ids": True, "return_tokens_as_token_ids": True}
    if body.get("top_k") == 0:
        body["top_k"] = -1
    if structured := body.pop("structured_outputs", None):
        body["structured_outputs"] = {"choice": structured}
    if model:
        body["model"] = model
    if ask.top is not None:
        body["logprobs"] = ask.top
    if "logit_bias" in body:
        body["logit_bias"] = {str(k): max(v, -100) for k, v in ask.logit_bias.items()}
    return body


def llama_body(ask: Ask, model: str, offers: frozenset[str]) -> dict[str, Any]:
    """What is sent; a bias of -100 or less is a ban there."""
    body = {
        "prompt": [*ask.prompt],
        "n_predict": ask.max_tokens,
        "return_tokens": True,
        "cache_prompt": False,
        **_sent(ask, LLAMA_OPTIONS, offers),
    }
    body["logit_bias"] = [
        [k, v if v > -100 else False] for k, v in ask.logit_bias.items()
    ]
    if ask.top is not None:
        body["n_probs"] = max(1, ask.top)
    if ask.choice:
        quoted = " | ".join(f'"{text}"' for text in ask.choice)
        body["grammar"] = f"root ::= {quoted}"
    return body


def _sent(ask: Ask, options: dict[str, str], offers: frozenset[str]) -> dict[str, Any]:
    """The options that the server offers; lists and strings only where they matter."""
    sent = {}
    for name, theirs in options.items():
        value = getattr(ask, name)
        optional = value is None or value in ((), {})
        if name not in offers or optional:
            continue
        sent[theirs] = [*value] if isinstance(value, tuple) else value
    return sent


def openai_replies(answer: dict[str, Any]) -> list[Reply]:
    """The choices of an answer, in their order."""
    choices = answer.get("choices")
    if not isinstance(choices, list) or not choices:
        raise Bad(f"choices: {short(choices)} is no list of answers")
    if not all(isinstance(each, dict) for each in choices):
        raise Bad("choices: an answer that is no object")
    made = [_choice(each) for each in choices]
    usage = answer.get("usage")
    counted = usage.get("completion_tokens") if isinstance(usage, dict) else None
    if len(made) == 1 and type(counted) is int:
        made = [Reply(**{**vars(made[0]), "counted": counted})]
    return made


def _choice(choice: dict[str, Any]) -> Reply:
    told = choice.get("logprobs")
    told = told if isinstance(told, dict) else {}
    given = choice.get("token_ids")
    tokens = ids("token_ids", given) if given is not None else _named(told)
    logprobs, tops = _openai_logprobs(told)
    return Reply(
        text=_text(choice.get("text")),
        ended=str(choice.get("finish_reason")),
        tokens=tokens,
        logprobs=logprobs,
        tops=tops,
    )


def _named(told: dict[str, Any]) -> tuple[int, ...] | None:
    """Ids from the names of tokens, where those are "token_id:123"."""
    names = told.get("tokens")
    if not isinstance(names, list):
        return None
    found = [_number(name) for name in names]
    return None if None in found else ids("logprobs.tokens", found)


def _number(name: Any) -> int | None:
    if isinstance(name, str) and name.startswith(PREFIX):
        digits = name[len(PREFIX) :]
        return int(digits) if digits.isascii() and digits.isdigit() else None
    return None


def _openai_logprobs(
    told: dict[str, Any],
) -> tuple[tuple[float, ...] | None, tuple[dict[int, float], ...] | None]:
    own, tops = told.get("token_logprobs"), told.get("top_logprobs")
    made = None
    if isinstance(own, list):
        made = tuple(logprob("token_logprobs", each) for each in own)
    if not isinstance(tops, list) or not all(isinstance(each, dict) for each in tops):
        return made, None
    if any(_number(name) is None for each in tops for name in each):
        return made, None
    rows = (
        {_number(k) or 0: logprob("top_logprobs", v) for k, v in each.items()}
        for each in tops
    )
    return made, tuple(rows)


def llama_replies(answer: dict[str, Any]) -> list[Reply]:
    """The one answer."""
    given, told = answer.get("tokens"), answer.get("completion_probabilities")
    timings = answer.get("timings")
    timings = timings if isinstance(timings, dict) else {}
    kinds = {"limit": "length", "eos": "stop", "word": "stop"}
    ended = str(answer.get("stop_type"))
    rows = told if isinstance(told, list) and told else None
    if rows and not all(isinstance(row, dict) for row in rows):
        raise Bad("completion_probabilities: a row that is no object")
    made = Reply(
        text=_text(answer.get("content")),
        ended=kinds.get(ended, ended),
        tokens=ids("tokens", given) if given else (() if given == [] else None),
        logprobs=rows and tuple(logprob("logprob", row.get("logprob")) for row in rows),
        tops=rows and tuple(map(_llama_tops, rows)),
        drafted=_count(timings, "draft_n"),
        accepted=_count(timings, "draft_n_accepted"),
        counted=_count(answer, "tokens_predicted"),
    )
    return [made]


def _llama_tops(row: dict[str, Any]) -> dict[int, float]:
    tops = row.get("top_logprobs")
    if not isinstance(tops, list) or not all(isinstance(each, dict) for each in tops):
        raise Bad(f"top_logprobs: {short(tops)} is no list of rows")
    (*found,) = ids("top_logprobs", [each.get("id") for each in tops])
    values = [logprob("top_logprobs", each.get("logprob")) for each in tops]
    return dict(zip(found, values, strict=True))


def _count(given: dict[str, Any], name: str) -> int | None:
    value = given.get(name)
    return value if type(value) is int else None


def _text(given: Any) -> str:
    if not isinstance(given, str):
        raise Bad(f"text: {short(given)} is no text")
    return given


OPENAI = Dialect(
    "openai",
    "/v1/completions",
    OPENAI_OPTIONS,
    True,
    True,
    "transformers",
    openai_body,
    openai_replies,
)
LLAMA = Dialect(
    "llama.cpp",
    "/completion",
    LLAMA_OPTIONS,
    False,
    False,
    "llama.cpp",
    llama_body,
    llama_replies,
)
