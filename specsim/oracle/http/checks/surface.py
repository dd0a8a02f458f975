"""Every parameter of a request reaches every row of a drafted block.

An answer of one token is drawn without a draft. So a long greedy answer is compared
with one-token answers, each to the prompt and what was said before: whatever a block
does differently shows, and no second server is needed.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from specsim.oracle.http.ask import Ask
from specsim.oracle.http.bench import Bench, Found, failed, passed
from specsim.oracle.http.checks.compared import far_off, parted

TOKENS = 12
NARROW: dict[str, dict[str, Any]] = {
    "top_k": {"top_k": 1},
    "top_p": {"top_p": 1e-6},
    "min_p": {"min_p": 1.0},
}
"""Filters that leave the likeliest token alone."""


def blocks(bench: Bench) -> Found:
    """Greedy text token by token, without parameters: what a block kept and forgot."""
    return _token_by_token(bench, {})


def repetition(bench: Bench) -> Found:
    """The same under a repetition penalty, which counts prompt and answer alike."""
    return _token_by_token(bench, {"repetition_penalty": 1.7})


def presence_frequency(bench: Bench) -> Found:
    """Presence and frequency penalties against the same taken off as a bias.

    Whether the prompt counts differs by server: either will do.
    """
    penalised: dict[str, Any] = {"presence_penalty": 0.9, "frequency_penalty": 0.6}
    tried = 0
    for prompt in bench.prompts(4 * bench.scale.texts, "penalties"):
        ask = Ask(prompt, TOKENS, 0.0, **penalised)
        said = bench.server.one(ask).ids
        found = [
            _first_wrong(bench, _biased(ask, said, counted), said)
            for counted in (prompt, ())
        ]
        tried += len(said)
        if all(found):
            return failed(found[-1], tried)
    return passed(f"{tried} tokens as under the same penalties as a bias", tried)


def bans(bench: Bench) -> Found:
    """Tokens with a bias of -100 are never said, at no place in a block."""
    banned = bench.common[::2][:8]
    bias = dict.fromkeys(banned, -100.0)
    asks = [
        Ask(p, TOKENS, logit_bias=bias, count=8)
        for p in bench.prompts(bench.scale.texts, "bans")
    ]
    tried = 0
    for replies in bench.server.each(asks):
        for reply in replies:
            tried += len(reply.ids)
            for where, token in enumerate(reply.ids):
                if token in bias:
                    what = f"banned token {token} at position {where} of an answer"
                    return failed(what, tried)
    return passed(f"{tried} tokens, none of the {len(bias)} that were banned", tried)


def limits(bench: Bench) -> Found:
    """top_k 1, top_p near 0 and min_p 1 leave one token: the text is the greedy one."""
    tried, names = 0, [name for name in NARROW if name in bench.server.offers]
    for prompt in bench.prompts(bench.scale.texts, "limits"):
        ask = Ask(prompt, TOKENS, 0.0)
        greedy = bench.server.one(ask).ids
        for name in names:
            for reply in bench.server.ask(
                ask.but(temperature=1.0, count=4, **NARROW[name])
            ):
                tried += 1
                if wrong := parted(bench, bench.server, ask, greedy, reply.ids):
                    return failed(f"{NARROW[name]} is not greedy: {wrong}", tried)
    if not tried:
        return Found("unsupported", "the server offers no filter", 0)
    return passed(f"{', '.join(names)}: {tried} texts are the greedy ones", tried)


def choice(bench: Bench) -> Found:
    """Under a grammar of a few texts the answer is one of them."""
    texts = _words(bench)
    asks = [
        Ask(p, 24, choice=texts, count=8)
        for p in bench.prompts(bench.scale.texts, "choice")
    ]
    replies = [reply for replies in bench.server.each(asks) for reply in replies]
    for reply in replies:
        if reply.text not in texts:
            what = f"{reply.text[:60]!r} is none of {', '.join(map(repr, texts))}"
            return failed(what, len(replies))
    return passed(f"{len(replies)} answers, each one of {len(texts)}", len(replies))


def _words(bench: Bench) -> tuple[str, ...]:
    """Texts that the server can say: beginnings of its own."""
    asks = [Ask(p, 6, 0.0) for p in bench.prompts(3, "words")]
    said = {reply.text[:5] for reply in bench.server.ones(asks)}
    plain = sorted(text for text in said if text.isascii() and text.isalnum())
    return tuple(plain[:2]) if len(plain) > 1 else ("yes", "no")


def _token_by_token(bench: Bench, parameters: dict[str, Any]) -> Found:
    tried = 0
    for prompt in bench.prompts(4 * bench.scale.texts, f"blocks {sorted(parameters)}"):
        ask = Ask(prompt, TOKENS, 0.0, **parameters)
        said = bench.server.one(ask).ids
        alone = [
            ask.but(prompt=(*prompt, *said[:i]), max_tokens=1) for i in range(len(said))
        ]
        tried += len(said)
        if wrong := _first_wrong(bench, alone, said):
            return failed(wrong, tried)
    return passed(f"{tried} tokens of blocks are those said one by one", tried)


def _biased(ask: Ask, said: Sequence[int], counted: Sequence[int]) -> list[Ask]:
    """One ask for each token of an answer, its penalties written as a bias."""
    made = []
    for i in range(len(said)):
        seen = Counter([*counted, *said[:i]])
        bias = {
            token: -ask.presence_penalty - ask.frequency_penalty * times
            for token, times in seen.items()
        }
        alone = Ask((*ask.prompt, *said[:i]), 1, 0.0, logit_bias=bias)
        made.append(alone)
    return made


def _first_wrong(bench: Bench, alone: Sequence[Ask], said: Sequence[int]) -> str:
    """What the first token is that a one-token answer contradicts; "" if none."""
    replies = bench.server.ones(alone)
    for i, (ask, reply, token) in enumerate(zip(alone, replies, said, strict=True)):
        if reply.ids[:1] == (token,):
            continue
        if wrong := far_off(bench, bench.server, ask, token):
            return f"token {i} of a block is {token}, alone {reply.ids[0]}: {wrong}"
    return ""
