"""A server, what it was found to offer, and its answers to one ask or to many."""

import math
import re
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from specsim.errors import Bad
from specsim.oracle.http.ask import Ask, Reply
from specsim.oracle.http.client import Client, Failed, Refused
from specsim.oracle.http.dialects import LLAMA, OPENAI, Dialect
from specsim.roofline.fields import short

WRONG = {"specsim": "a value of the wrong type"}
"""What no option takes: a server that knows the option refuses it."""
ORDINARY: dict[str, Any] = {
    "temperature": 0.7,
    "top_k": 4,
    "top_p": 0.7,
    "min_p": 0.2,
    "repetition_penalty": 1.2,
    "presence_penalty": 0.5,
    "frequency_penalty": 0.5,
    "logit_bias": {4: 1.0},
    "stop": ("zq",),
    "stop_token_ids": (4,),
    "seed": 1,
    "choice": ("a", "b"),
}
LANES = 8
"""Requests in flight at once where many are asked."""
SAMPLES = 64
"""Answers asked for in one request at most, where a request may ask for several."""
COUNTER = re.compile(
    r"^vllm:spec_decode_num_(drafts|draft_tokens|accepted_tokens)(?:_total)?"
    r"(?:\{[^}]*\})?[ \t]+([0-9.eE+]+)[ \t]*$",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Counts:
    """What the server says it has drafted so far, in all its answers."""

    drafts: int
    drafted: int
    accepted: int


@dataclass
class Server:
    """Found by `found`.

    offers: fields of an Ask that mean something to it, and besides "ids", "logprobs",
            "tops" (of the likeliest tokens), "counted" (the length of an answer),
            "drafted" (by answer or in /metrics).
    vocab:  how many tokens there are, where it is known.
    many:   whether one request gets several answers, each drawn anew.
    """

    client: Client
    dialect: Dialect
    model: str = ""
    offers: frozenset[str] = frozenset()
    vocab: int | None = None
    many: bool = False

    def ask(self, ask: Ask) -> list[Reply]:
        """`count` answers to one ask. Bad: any that breaks the contract."""
        if ask.count > 1 and not self.many:
            return [reply for (reply,) in self.each(self._apart(ask))]
        parts = [ask.but(count=n) for n in _shares(ask.count)]
        return [reply for part in parts for reply in self._once(part)]

    def one(self, ask: Ask) -> Reply:
        """The only answer."""
        return self.ask(ask)[0]

    def each(self, asks: Iterable[Ask]) -> list[list[Reply]]:
        """The answers to each of many asks, so many of them in flight at once."""
        with ThreadPoolExecutor(LANES) as lanes:
            return list(lanes.map(self.ask, asks))

    def ones(self, asks: Iterable[Ask]) -> list[Reply]:
        """The only answer to each, asked all at once."""
        return [replies[0] for replies in self.each(asks)]

    def counts(self) -> Counts | None:
        """The counters of /metrics, summed over its engines; None without them."""
        try:
            found = COUNTER.findall(self.client.get("/metrics"))
        except Failed:
            return None
        if not found:
            return None
        sums = dict.fromkeys(("drafts", "draft_tokens", "accepted_tokens"), 0.0)
        for name, value in found:
            sums[name] += _number(value)
        return Counts(*(int(value) for value in sums.values()))

    def _apart(self, ask: Ask) -> list[Ask]:
        """One ask for each answer, with seeds of their own."""
        seeds = range(ask.count)
        return [
            ask.but(count=1, seed=None if ask.seed is None else ask.seed + i)
            for i in seeds
        ]

    def _once(self, ask: Ask) -> list[Reply]:
        body = self.dialect.body(ask, self.model, self.offers)
        answer = self.client.post(self.dialect.path, body)
        try:
            replies = self.dialect.replies(answer)
            for reply in replies:
                self._check(ask, reply)
        except Bad as wrong:
            raise self.client.bad(self.dialect.path, str(wrong)) from None
        if len(replies) != ask.count:
            what = f"{len(replies)} answers where {ask.count} were asked for"
            raise self.client.bad(self.dialect.path, what)
        return replies

    def _check(self, ask: Ask, reply: Reply) -> None:
        """Bad, in one line, where an answer cannot be read as one."""
        tokens = reply.tokens
        if tokens is None and "ids" in self.offers:
            raise Bad("text without token ids, which it gave before")
        for token in tokens or ():
            if self.vocab is not None and token >= self.vocab:
                raise Bad(f"token {token} is not in a vocabulary of {self.vocab}")
        if ask.top is None or tokens is None or "logprobs" not in self.offers:
            return
        for name in ("logprobs", "tops"):
            told: Sequence[Any] | None = getattr(reply, name)
            if told is None and name in self.offers:
                raise Bad(f"no {name}, which it gave before")
            if told is not None and len(told) != len(tokens):
                raise Bad(f"{len(told)} {name} for {len(tokens)} tokens")


def found(
    url: str, model: str = "", timeout: float = 30.0, vocab: int | None = None
) -> Server:
    """The server at a URL, in the dialect in which it tells token ids, if it tells.

    Bad: it speaks neither.
    """
    client = Client(url, timeout)
    spoken, reasons = [], []
    for dialect, offers in (
        (OPENAI, frozenset({"extras"})),
        (LLAMA, frozenset(LLAMA.options)),
        (OPENAI, frozenset()),
    ):
        named = model or (_first_model(client) if dialect is OPENAI else "")
        server = Server(client, dialect, named, offers, vocab)
        try:
            reply = _first(server)
        except Failed as reason:
            reasons.append(str(reason))
            continue
        if reply.tokens is not None:
            return _explored(server, reply)
        spoken.append((server, reply))
    if not spoken:
        raise Bad(f"{reasons[0]}; specsim speaks /v1/completions and /completion")
    return _explored(*spoken[0])


def _first(server: Server) -> Reply:
    """An answer that says something, if one of a few does."""
    for last in range(3, 9):
        reply = server.one(Ask((3, 4, last), 2, top=1))
        if reply.tokens or (reply.tokens is None and reply.text):
            break
    return reply


def _explored(server: Server, reply: Reply) -> Server:
    """The same, with all that it offers."""
    offers = set(server.offers)
    if server.dialect.strict:
        offers |= {name for name in server.dialect.options if _known(server, name)}
    named = offers & server.dialect.options.keys()
    offers -= {name for name in named if _refused(server, name)}
    given = {
        "ids": reply.tokens,
        "logprobs": reply.logprobs,
        "tops": reply.tops,
        "counted": reply.counted,
        "drafted": server.counts() if reply.drafted is None else reply.drafted,
    }
    offers |= {name for name, value in given.items() if value is not None}
    server.offers = frozenset(offers)
    server.many = server.dialect.many and _draws_anew(server)
    return server


def _draws_anew(server: Server) -> bool:
    """Whether one request gets several answers that differ, though it has one seed."""
    full = Server(server.client, server.dialect, server.model, server.offers, many=True)
    try:
        replies = full.ask(Ask((3, 4, 5), 8, seed=1, count=8))
    except Bad:
        return False
    return len({reply.text for reply in replies}) > 1


def _known(server: Server, name: str) -> bool:
    """Whether it refuses nonsense in the place of an option."""
    body = server.dialect.body(Ask((3, 4, 5), 1), server.model, server.offers)
    try:
        server.client.post(
            server.dialect.path, body | {server.dialect.options[name]: WRONG}
        )
    except Failed:
        return True
    return False


def _refused(server: Server, name: str) -> bool:
    """Whether it refuses an ordinary value, as some do while they speculate."""
    full = Server(server.client, server.dialect, server.model, server.offers | {name})
    try:
        full.one(Ask((3, 4, 5), 1, **{name: ORDINARY[name]}))
    except Refused:
        return True
    return False


def _first_model(client: Client) -> str:
    """The name of the model that a server lists first; "" where it lists none."""
    try:
        listed = client.get("/v1/models")
    except Failed:
        return ""
    name = re.search(r'"id"\s*:\s*"([^"\\]{1,200})"', listed)
    return name[1] if name else ""


def _shares(count: int) -> list[int]:
    """A count in parts of at most SAMPLES."""
    parts = math.ceil(count / SAMPLES)
    return [min(SAMPLES, count - i * SAMPLES) for i in range(parts)]


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise Bad(f"/metrics: {short(text)} is no count") from None
