"""The bets: fair under a right server, and money under a wrong one."""

import numpy as np
import pytest

from specsim.oracle.http.bench import SCALES
from specsim.oracle.http.checks import CHECKS
from specsim.oracle.http.checks.drafts import swapped
from specsim.oracle.http.repeats import Repeats
from specsim.oracle.http.streams import judged, seen
from specsim.oracle.http.two_samples import TwoSamples

RUNS = 200


def ville(most: list[float], name: str) -> None:
    """At most a share a of runs ever has 1 / a, and some slack for there being few."""
    reached = np.array(most)
    for log10_e in (1.0, 2.0):
        share = float((reached >= log10_e).mean())
        allowed = 10.0**-log10_e
        slack = 4 * np.sqrt(allowed / len(reached))
        assert share <= allowed + slack, (name, share)


def texts(rng: np.random.Generator, p: np.ndarray, n: int) -> list[tuple[int, ...]]:
    """Of two tokens, the second from a row turned by the first."""
    firsts = rng.choice(len(p), n, p=p)
    return [(int(a), int(rng.choice(len(p), p=np.roll(p, a)))) for a in firsts]


def row(p: np.ndarray) -> dict[tuple[int, ...], np.ndarray]:
    return {(): p, **{(a,): np.roll(p, a) for a in range(len(p))}}


P = np.array([0.4, 0.3, 0.2, 0.1])
Q = np.array([0.2, 0.3, 0.3, 0.2])


def two(rng: np.random.Generator, other: np.ndarray, rounds: int) -> TwoSamples:
    made = TwoSamples()
    for _ in range(rounds):
        arms = [[texts(rng, p, 8) for _ in range(2)] for p in (P, other)]
        made.observe(*arms)
    return made


def test_two_servers_of_one_law_are_seldom_told_apart() -> None:
    rngs = map(np.random.default_rng, range(RUNS))
    ville([two(rng, P, 6).log10_e for rng in rngs], "two samples")


def test_two_laws_are_told_apart() -> None:
    made = two(np.random.default_rng(1), Q, 40)
    assert made.log10_e > 9
    (_, text), token, plain, spec, _ = made.worst() or (((0, ()), 0, 0, 0, 0))
    assert text == ()
    assert (plain > spec) == (P[token] > Q[token])


def test_two_servers_that_say_nothing_are_one() -> None:
    made = TwoSamples()
    made.observe([[()]], [[()]])
    assert (made.log10_e, made.worst()) == (0.0, None)


def repeated(rng: np.random.Generator, said: np.ndarray, rounds: int) -> Repeats:
    made = Repeats()
    for _ in range(rounds):
        for prompt in range(2):
            made.observe(prompt, texts(rng, said, 8), row(P))
        made.value()
    return made


def test_repeats_of_the_law_are_seldom_rejected() -> None:
    rngs = map(np.random.default_rng, range(RUNS))
    ville([repeated(rng, P, 5).log10_e for rng in rngs], "repeats")


def test_repeats_of_another_law_are() -> None:
    made = repeated(np.random.default_rng(1), Q, 40)
    assert made.log10_e > 9
    _, word, count, trials, odds = made.worst()
    assert word is not None
    assert count != pytest.approx(trials * odds, rel=0.1)


def test_a_token_without_odds_is_proof() -> None:
    made = Repeats()
    made.observe(0, [(1,)], {(): np.array([1.0, 0.0])})
    assert made.value() == np.inf
    assert made.impossible == ((0, ()), 1)


def test_rare_words_of_a_large_vocabulary_count_as_one() -> None:
    made = Repeats()
    p = np.full(1000, 1e-3)
    for token in range(900, 980):
        made.observe(0, [(token,)], {(): p})
    assert made.value() < 1
    for _ in range(400):
        made.observe(0, [(3,)], {(): p})
    assert made.value() > 9


def streamed(
    rng: np.random.Generator,
    bias: float,
    n: int = 300,
    noise: float = 0.0,
    eta: float = 0,
) -> float:
    logits = rng.normal(size=(n, 12))
    near = logits + noise * rng.uniform(-1, 1, logits.shape)
    rows, said = (np.exp(x) / np.exp(x).sum(1, keepdims=True) for x in (logits, near))
    top = np.arange(n), said.argmax(1)
    said[top] *= 1 + bias
    said /= said.sum(1, keepdims=True)
    tokens = [int(rng.choice(12, p=p)) for p in said]
    parts = [slice(0, n // 2), slice(n // 2, n)]
    luck = rng.random(n)
    texts = [seen(tokens[part], rows[part], luck[part]) for part in parts]
    return judged(texts, 12, eta).log10_e


def test_a_stream_of_the_law_is_seldom_rejected() -> None:
    ville([streamed(np.random.default_rng(s), 0.0) for s in range(RUNS)], "stream")


def test_a_stream_of_another_law_is() -> None:
    assert streamed(np.random.default_rng(0), 0.8, 2000) > 9


def test_what_is_within_the_tolerance_makes_no_money() -> None:
    rng = np.random.default_rng
    assert streamed(rng(0), 0.2, 3000, eta=0.1) < streamed(rng(0), 0.2, 3000)
    assert streamed(rng(0), 0.1, 3000, eta=0.1) == pytest.approx(0.0, abs=0.5)


def test_an_impossible_token_in_a_stream() -> None:
    rows = np.array([[0.5, 0.5], [1.0, 0.0]])
    assert judged([seen([0, 1], rows, np.zeros(2))], 2).impossible == 1


def test_changes_of_either_sign_are_seldom_a_drift() -> None:
    rng = np.random.default_rng(5)
    runs = [swapped(rng.normal(0, 0.3, 40)) for _ in range(RUNS)]
    ville(runs, "drift")
    assert swapped(rng.normal(-0.3, 0.2, 60)) > 9


@pytest.mark.parametrize("budget", SCALES)
def test_every_budget_can_tell_that_drafts_are_no_longer_accepted(budget: str) -> None:
    lost = np.full(SCALES[budget].pairs, -0.45)
    assert swapped(lost) > np.log10(2 * len(CHECKS) / 1e-9)
