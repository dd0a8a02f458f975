"""Texts end where they should: at so many tokens, at a token that ends them."""

from collections.abc import Iterable, Iterator, Sequence

from specsim.oracle.http.ask import Ask, Reply
from specsim.oracle.http.bench import Bench, Found, failed, passed

LONGEST, DRAWS = 9, 4


def lengths(bench: Bench) -> Found:
    """Of every small max_tokens: no token more, none less unless the text ended."""
    asks = [
        Ask(prompt, most, count=DRAWS)
        for prompt in bench.prompts(bench.scale.texts, "lengths")
        for most in range(1, LONGEST + 1)
    ]
    answers = bench.server.each(asks)
    for ask, reply in _pairs(asks, answers):
        size = len(reply.ids)
        if size > ask.max_tokens:
            return failed(f"{size} tokens, at most {ask.max_tokens} asked for", 1)
        if reply.ended == "length" and size < ask.max_tokens:
            what = f"it ends for its length after {size} of {ask.max_tokens} tokens"
            return failed(what, 1)
    tried = len(asks) * DRAWS
    return passed(f"{tried} texts of 1 to {LONGEST} tokens", tried)


def stop_tokens(bench: Bench) -> Found:
    """Nothing after a token that was named as the end."""
    ends = bench.common[:4]
    asks = [
        Ask(prompt, 16, stop_token_ids=(end,), count=DRAWS)
        for prompt in bench.prompts(bench.scale.texts, "stop tokens")
        for end in ends
    ]
    return _ended(zip(asks, bench.server.each(asks), strict=True))


def end_token(bench: Bench) -> Found:
    """Nothing after the model's own end of text."""
    assert bench.reference
    asks = [
        Ask(p, 24, count=4 * DRAWS)
        for p in bench.prompts(bench.scale.texts, "end token")
    ]
    ending = [ask.but(stop_token_ids=(*bench.reference.ends,)) for ask in asks]
    return _ended(zip(ending, bench.server.each(asks), strict=True))


def _ended(answers: Iterable[tuple[Ask, Sequence[Reply]]]) -> Found:
    """`stop_token_ids` may only come last."""
    tried = stopped = 0
    for ask, replies in answers:
        for reply in replies:
            tried += 1
            early = {*reply.ids[:-1]} & {*ask.stop_token_ids}
            if early:
                after = len(reply.ids) - 1 - reply.ids.index(min(early))
                return failed(f"{after} tokens after the end token {min(early)}", tried)
            stopped += bool(reply.ended == "stop")
    if not stopped:
        return Found("inconclusive", "no text came to an end token", tried)
    return passed(f"{stopped} of {tried} texts ended at the token, none after", tried)


def _pairs(
    asks: Sequence[Ask], answers: Sequence[Sequence[Reply]]
) -> Iterator[tuple[Ask, Reply]]:
    for ask, replies in zip(asks, answers, strict=True):
        for reply in replies:
            yield ask, reply
