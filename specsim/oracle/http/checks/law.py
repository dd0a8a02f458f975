"""What is drawn has the law of the reference, or that of the server without drafts."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from specsim.oracle.http.ask import Ask
from specsim.oracle.http.bench import TOPS, Bench, Found, passed, row
from specsim.oracle.http.repeats import Repeats
from specsim.oracle.http.streams import Seen, judged, seen
from specsim.oracle.http.two_samples import TwoSamples
from specsim.oracle.report import PROOF
from specsim.oracle.sampling import derived

TOKENS, TEXT, SAME_MODEL = 4, 48, 0.5
SURFACE: dict[str, dict[str, Any]] = {
    "neutral": {},
    "temperature": {"temperature": 0.6},
    "top_k": {"top_k": 4},
    "top_p": {"top_p": 0.7},
    "min_p": {"min_p": 0.2},
    "repetition_penalty": {"repetition_penalty": 1.6},
    "presence_penalty": {"presence_penalty": 1.1},
    "frequency_penalty": {"frequency_penalty": 1.2},
    "logit_bias": {"logit_bias": {4: 1.5, 5: -1.5, 7: 1.0}},
}
"""One parameter at a time, so that no order of filters matters."""


def numerics(bench: Bench) -> Found:
    """The reference describes this server: its logprobs of single tokens are near."""
    assert bench.reference
    asks = [Ask(p, 1, top=TOPS) for p in bench.prompts(8, "numerics")]
    worst = 0.0
    for ask, reply in zip(asks, bench.server.ones(asks), strict=True):
        want = np.log(bench.reference.rows(ask, [()])[()] + 1e-300)
        off = [abs(value - want[token]) for token, value in row(reply).items()]
        worst = max([worst, *off])
    if worst > SAME_MODEL:
        what = f"logprobs are {worst:.2g} nats from the reference's"
        return Found("errored", f"{what}: it is of another model", len(asks))
    return passed(f"logprobs within {worst:.2g} nats of the reference's", len(asks))


def against_reference(name: str) -> Callable[[Bench], Found]:
    """Repeats of a few tokens after fixed prompts, under one parameter."""

    def check(bench: Bench) -> Found:
        known = bench.reference
        assert known
        made, scale = Repeats(), bench.scale
        asks = _asks(bench, name)
        for turn in range(scale.rounds):
            turned = [
                ask.but(seed=_seed(bench, name, turn, i)) for i, ask in enumerate(asks)
            ]
            for i, replies in enumerate(bench.server.each(turned)):
                texts = [reply.ids for reply in replies]
                prefixes = {text[:j] for text in texts for j in range(len(text))}
                rows = known.rows(asks[i], prefixes)
                proof = partial(_impossible, bench, asks[i])
                made.observe(i, texts, rows, proof)
            if made.value() >= bench.hurdle:
                break
        return _found(bench, made.log10_e, made.tokens, _reference_cell(made, asks))

    return check


def stream(bench: Bench) -> Found:
    """Long texts, token by token: ranks and the integral transform."""
    assert bench.reference
    endless = dict.fromkeys(bench.reference.ends, -100.0)
    bias = endless if "logit_bias" in bench.server.offers else {}
    asks = [
        Ask(p, TEXT, logit_bias=bias, seed=_seed(bench, "stream", 0, i))
        for i, p in enumerate(bench.prompts(bench.scale.stream // TEXT, "stream"))
    ]
    luck = np.random.default_rng(derived(bench.seed, "transform"))
    texts: list[Seen] = []
    words: list[int] = []
    for ask, reply in zip(asks, bench.server.ones(asks), strict=True):
        said = reply.ids
        known = bench.reference.rows(ask, [said[:i] for i in range(len(said))])
        rows = np.array([known[said[:i]] for i in range(len(said))])
        texts.append(seen(said, rows, luck.random(len(said))))
        words += said
    found = judged(texts, bench.reference.vocab)
    where = ""
    if found.impossible is not None:
        where = f"token {words[found.impossible]} has no odds in the reference"
    return _found(bench, found.log10_e, found.tokens, where)


def against_plain(name: str) -> Callable[[Bench], Found]:
    """The same repeats on both servers, under one parameter."""

    def check(bench: Bench) -> Found:
        assert bench.plain
        made, drawn = TwoSamples(), 0
        asks = _asks(bench, name)
        for turn in range(bench.scale.rounds):
            both = [
                [
                    [reply.ids for reply in replies]
                    for replies in server.each(
                        ask.but(seed=_seed(bench, f"{name} {arm}", turn, i))
                        for i, ask in enumerate(asks)
                    )
                ]
                for arm, server in enumerate((bench.plain, bench.server))
            ]
            made.observe(*both)
            drawn += sum(len(text) for texts in both[1] for text in texts)
            if made.log10_e >= bench.hurdle:
                break
        return _found(bench, made.log10_e, drawn, _plain_cell(made, asks))

    return check


def _impossible(bench: Bench, ask: Ask, text: tuple[int, ...], token: int) -> bool:
    assert bench.reference
    return bench.reference.impossible(ask, text, token, bench.near)


def _asks(bench: Bench, name: str) -> list[Ask]:
    scale = bench.scale
    count = scale.prompts if name == "neutral" else max(2, scale.prompts // 2)
    return [
        Ask(p, TOKENS, count=scale.repeats, **SURFACE[name])
        for p in bench.prompts(count, f"law {name}")
    ]


def _seed(bench: Bench, name: str, turn: int, prompt: int) -> int | None:
    """Seeds of both servers differ, so that they draw apart."""
    if "seed" not in bench.server.offers:
        return None
    return derived(bench.seed, name, turn, prompt) % 2**31


def _found(bench: Bench, log10_e: float, tokens: int, where: str) -> Found:
    log10_e = min(log10_e, PROOF)
    rejected = log10_e >= bench.hurdle
    evidence = f"{tokens} tokens, log10 E {log10_e:.1f} (rejects at {bench.hurdle:.1f})"
    detail = f"{evidence}: {where}" if rejected and where else evidence
    verdict = "rejected" if rejected else "not_rejected"
    return Found(verdict, detail, tokens, log10_e)


def _reference_cell(made: Repeats, asks: list[Ask]) -> str:
    if made.impossible:
        (prompt, text), token = made.impossible
        after = [*asks[prompt].prompt, *text]
        return f"token {token} after {after} has no odds in the reference"
    if not made.tokens:
        return ""
    (prompt, text), word, count, trials, odds = made.worst()
    which = "rare tokens" if word is None else f"token {word}"
    after = [*asks[prompt].prompt, *text]
    return f"{which} after {after} came {count} of {trials} times, its odds {odds:.3g}"


def _plain_cell(made: TwoSamples, asks: list[Ask]) -> str:
    worst = made.worst()
    if worst is None:
        return ""
    (prompt, text), token, plain, spec, trials = worst
    after = [*asks[prompt].prompt, *text]
    return f"token {token} after {after}: {plain} of {trials} plain, {spec} here"
