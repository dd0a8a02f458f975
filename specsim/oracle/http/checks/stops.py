"""Stop strings at every offset of a text, and so at every place in a drafted block."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from specsim.oracle.http.ask import Ask, Reply
from specsim.oracle.http.bench import Bench, Found, failed, passed

TOKENS = 16
SHORT, LONG = 2, 4
"""Characters of a stop string: mostly more than one token of a small vocabulary."""


def strings(bench: Bench) -> Found:
    """Asked again with a stop string, the same text ends where that is complete."""
    tried = 0
    for number, prompt in enumerate(bench.prompts(2 * bench.scale.texts, "stops")):
        ask = Ask(prompt, TOKENS, **bench.steady(number))
        whole = bench.server.one(ask).text
        stops = [*offsets(whole), *pairs(whole)]
        replies = bench.server.ones([ask.but(stop=stop) for stop in stops])
        for stop, reply in zip(stops, replies, strict=True):
            tried += 1
            wrong = _wrong(whole, stop, reply) and _again(bench, ask, whole, stop)
            if wrong:
                return failed(f"{wrong}; the text is {whole[:60]!r}", tried)
    if not tried:
        return Found("inconclusive", "no text long enough to stop in", 0)
    return passed(f"{tried} stop strings, at every offset of texts", tried)


def _again(bench: Bench, ask: Ask, whole: str, stop: Sequence[str]) -> str:
    """What is wrong still, asked alone; "" where the text itself is another now."""
    if bench.server.one(ask).text != whole:
        return ""
    return _wrong(whole, stop, bench.server.one(ask.but(stop=tuple(stop))))


def tokens(bench: Bench) -> Found:
    """Token ids are those of the text: none after the one that completes the string."""
    tried = 0
    for prompt in bench.prompts(bench.scale.texts, "stops by token"):
        ask = Ask(prompt, TOKENS, 0.0)
        parts = [ask.but(max_tokens=n) for n in range(1, TOKENS + 1)]
        texts = [reply.text for reply in bench.server.ones(parts)]
        for stop in offsets(texts[-1]):
            needed = next(n for n, text in enumerate(texts, 1) if stop[0] in text)
            reply = bench.server.one(ask.but(stop=stop))
            tried += 1
            more = len(reply.ids) - needed
            if more > 0 and texts[-1].startswith(reply.text):
                what = f"{more} token ids after the one that completes {stop[0]!r}"
                return failed(what, tried)
    if not tried:
        return Found("inconclusive", "no text long enough to stop in", 0)
    return passed(f"{tried} texts with no token id too many", tried)


def offsets(text: str) -> Iterator[tuple[str]]:
    """For each place in the text a string that is complete there for the first time."""
    for end in range(SHORT, len(text) + 1):
        for size in range(SHORT, LONG + 1):
            string = text[max(0, end - size) : end]
            if text.find(string) + len(string) == end and string.strip():
                yield (string,)
                break


def pairs(text: str) -> Iterator[tuple[str, str]]:
    """Two stop strings, of which the one named last is complete first."""
    found = [stop for (stop,) in offsets(text)]
    for early, late in pairwise(found):
        yield late, early


def ends(text: str, stops: Sequence[str]) -> int:
    """Where a text ends: before the stop string that is complete first."""
    places = [(text.find(stop) + len(stop), text.find(stop)) for stop in stops]
    return min((done, at) for done, at in places if at >= 0)[1]


def _wrong(whole: str, stops: Sequence[str], reply: Reply) -> str:
    """What is wrong with an answer; whether the string itself is in it is free."""
    at = ends(whole, stops)
    if reply.text in (whole[:at], *(whole[:at] + stop for stop in stops)):
        return ""
    if reply.text.startswith(whole[: at + 1]):
        return f"it runs on over stop string {' or '.join(map(repr, stops))}"
    if whole.startswith(reply.text):
        return f"it ends before stop string {' or '.join(map(repr, stops))}"
    return f"with stop string {stops[0]!r} the same request says {reply.text[:60]!r}"
