"""What must hold of every run, as plain statements: tests assert them, and planted
faults must break one.
"""

from math import log
from typing import Any

import numpy as np

from specsim import seam
from specsim.drafters import DRAFTERS
from specsim.generation.speech import Speech
from specsim.oracle.loops import cast
from specsim.rules import RULES
from specsim.seam import randomness

decoding, logits, sampled, transformer = map(
    seam.reference, ("decode", "logits", "model.sampled", "model.transformer")
)

GREEDY = {"temperature": 0.0}
SELDOM: dict[str, Any] = {"temperature": 1.0, **cast.PENALISED}


def grammar(generated: tuple[int, ...]) -> Any:
    """Which tokens may follow hangs on all that were generated."""
    mask = np.ones(cast.CONFIG.vocab, np.bool_)
    mask[[sum(generated) % 7, (len(generated) * 3) % 7]] = False
    return mask


SETTINGS: dict[str, dict[str, Any]] = {
    "temperature": {"temperature": 0.6},
    "penalties": SELDOM,
    "top-k": {"top_k": 3},
    "top-p": {"top_p": 0.7},
    "min-p": {"min_p": 0.3},
    "grammar": {"allowed": grammar},
}


def greedy_text_is_plain(drafter: str, rule: str) -> None:
    """At temperature 0, token for token what a model without a memory says."""
    for sampling in (GREEDY, GREEDY | cast.PENALISED):
        made = cast.run(drafter, rule, **sampling)
        said = made.tokens
        for n, token in enumerate(said):
            row = cast.row(said[:n], logits.Sampling(**sampling))
            assert token == np.argmax(row), (n, cast.margin(said[:n]))
        assert len(said) == 24


def logprobs_are_recomputed(drafter: str, rule: str, setting: str) -> None:
    """Of each token, whatever it came from, in the row that plain decoding draws from.

    So is every filter, penalty and grammar, at each place in a block.
    """
    sampling = SETTINGS[setting]
    for seed in (1, 2):
        made = cast.run(drafter, rule, seed=seed, **sampling)
        for n, each in enumerate(made.emitted):
            row = cast.row(made.tokens[:n], logits.Sampling(**sampling))
            assert row[each.token] > 0, (setting, n)
            assert abs(each.logprob - log(row[each.token])) < 1e-9, (setting, n)


def text_ends_as_if_token_by_token(drafter: str, rule: str) -> None:
    """With a token, a string or a number of tokens anywhere in a block."""
    greedy = cast.run(drafter, rule, **GREEDY).tokens
    for n in range(1, len(greedy)):  # near its end a draft is shorter, and coins others
        made = cast.run(drafter, rule, max_new_tokens=n, **GREEDY)
        assert made.tokens == greedy[:n]
        assert len(cast.run(drafter, rule, max_new_tokens=n).tokens) == n
    tokens, spelt = cast.run(drafter, rule, seed=3).tokens, cast.Spelling().text
    for token in range(cast.CONFIG.vocab):
        made = cast.ended(drafter, rule, frozenset({token}), seed=3)
        first = tokens.index(token) + 1 if token in tokens else len(tokens)
        assert made.tokens == tokens[:first]
        assert made.end == ("end" if token in tokens else "length")
        assert made.text == spelt(tokens[:first])
    for stop in (["b."], [".b", "aa"], ["ab", "ca"], ["abab", "ba"], ["zz"], ["ca"]):
        made = cast.run(drafter, rule, seed=3, stop=stop)
        assert (made.text, len(made.tokens)) == until(spelt(tokens), tokens, stop)
        assert (made.end == "stop") == (made.text != spelt(tokens))


def until(text: str, tokens: list[int], stop: list[str]) -> tuple[str, int]:
    """Character by character: the text, and how many tokens it took to see its end."""
    for n in range(len(text) + 1):
        ends = [string for string in stop if text[:n].endswith(string)]
        if ends:
            count = 0
            while len(cast.Spelling().text(tokens[:count])) < n:
                count += 1
            return text[: n - max(map(len, ends))], count
    return text, len(tokens)


def speech_ends_character_by_character(tokens: list[int], stop: list[str]) -> None:
    """Whatever the borders of tokens; and what is said is never taken back."""
    speech, said, read = Speech(cast.Spelling(), stop), "", 0
    for read, token in enumerate(tokens, 1):
        said += speech.add(token, read == len(tokens))
        assert speech.text == said
        if speech.stopped:
            break
    text, count = until(cast.Spelling().text(tokens), tokens, stop)
    assert (said, read) == (text, count)


def counts_are_of_the_steps(drafter: str, rule: str) -> None:
    """Emitted tokens are those kept, and one more a step, but for what was cut off."""
    for asked in ({}, {"max_new_tokens": 7}, {"stop": ["b"]}):
        made = cast.run(drafter, rule, seed=5, **asked)
        tally, origins = made.tally, [each.origin for each in made.emitted]
        assert tally.emitted == len(made.tokens)
        assert tally.emitted == tally.accepted + tally.steps - tally.truncated
        assert origins.count("bonus") <= tally.bonus
        assert origins.count("accepted") <= tally.accepted <= tally.drafted
        assert all(0 <= rate <= 1 for rate in tally.acceptance)
        if not tally.truncated:
            others = origins.count("corrected") + origins.count("plain")
            assert origins.count("accepted") == tally.accepted
            assert (origins.count("bonus"), others) == (
                tally.bonus,
                tally.steps - tally.bonus,
            )


def a_perfect_draft_is_kept(rule: str) -> None:
    """The target as its own draft: all is kept, however each step ended."""
    for sampling in (GREEDY, SELDOM):
        made = cast.run(
            "draft-model",
            rule,
            target=cast.models(noise=0.0),
            seed=4,
            max_new_tokens=22,  # the last draft is a short one
            **sampling,
        )
        assert made.tally.accepted == made.tally.drafted > 12


def drafts_are_what_a_fresh_draft_says(rule: str) -> None:
    """Whatever was refused before: q, and the text that it was drawn after."""
    sampling = logits.Sampling(**SELDOM)
    context = [*cast.PROMPT]
    for step in steps("draft-model", rule, sampling):
        drafted = step.proposal
        assert drafted.q is not None
        for i in range(len(drafted.tokens)):
            text = (*context, *drafted.tokens[:i])
            said = cast.fresh(text, cast.near(0.25))
            row = logits.process(said, sampling, text, len(cast.PROMPT))
            np.testing.assert_allclose(drafted.q[i], row, atol=1e-9)
        context += step.emitted


def steps(drafter: str, rule: str, sampling: Any, **settings: Any) -> list[Any]:
    """Those of the bare loop; settings are the drafter's."""
    scene = cast.scene(drafter, rule)
    prompt = len(cast.PROMPT)
    target = sampled.Sampled(
        transformer.Transformer(cast.CONFIG, cast.weights()), sampling, prompt
    )
    draft = sampled.Sampled(scene.models.draft, sampling, prompt)

    def luck(number: int, position: int) -> randomness.Source:
        return randomness.keyed(8, step=number)

    return [
        *decoding.decode(
            target,
            DRAFTERS[drafter].make(draft, **settings),
            RULES[rule].verify,
            cast.PROMPT,
            k=3,
            luck=luck,
            max_tokens=30,
        )
    ]


def pathwise_text_is_plain(drafter: str, rule: str) -> None:
    """The same noise says the same, whoever drafts and however deep."""
    plain = cast.scene(drafter, rule, seed=6).plain(24).tokens
    for k in (1, 2, 5):
        assert cast.run(drafter, rule, seed=6, k=k).tokens == plain


def what_is_said_stays_said(drafter: str, rule: str) -> None:
    """Heard token by token in order, and nothing of a stop string."""
    for stop in ((), ("b",), ("cab", "abba"), ("ba.",)):
        heard: list[Any] = []
        scene = cast.scene(drafter, rule, seed=3, stop=stop)
        made = scene.speculative(heard.append)
        assert heard == made.emitted
        assert not any(string in made.text for string in stop)
        if not stop:
            assert made.text == cast.Spelling().text(made.tokens)
