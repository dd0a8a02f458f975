"""Whole engines: the right one passes, and each wrong one fails where it is wrong."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from specsim.errors import Bad
from specsim.oracle.endtoend.cases import Case, sampled
from specsim.oracle.endtoend.law import Law
from specsim.oracle.endtoend.offer import Offer
from specsim.oracle.endtoend.request import SURFACE, Request
from specsim.oracle.endtoend.trial import LEAST, Control, Trial
from specsim.oracle.probe import pair
from specsim.oracle.report import Tier
from tests.oracle.endtoend import mutants
from tests.oracle.endtoend.cast import Engine
from tests.oracle.endtoend.direct import law, trial
from tests.oracle.endtoend.mutants import FEW, MANY, MUTANTS

Models = dict[str, Path]
SOON = [mutant for mutant in MUTANTS if mutant not in MANY]


def named(tried: Trial, name: str) -> Case:
    return next(case for case in tried.cases if case.name == name)


def judged(tried: Trial, name: str) -> Tier:
    tried.judge(named(tried, name))
    return tried.report.tiers[-1]


@pytest.mark.distribution
@pytest.mark.parametrize("mutant", SOON, ids=lambda mutant: mutant.__name__)
def test_each_mutant_is_caught_where_it_is_wrong(
    mutant: type[Engine], models: Models
) -> None:
    mode, name = MUTANTS[mutant]
    tried = trial(mutant(), mode, models, answers=FEW)
    assert tried.drawn(named(tried, name)).refuted


@pytest.mark.slow
@pytest.mark.distribution
@pytest.mark.parametrize("mutant", MANY, ids=lambda mutant: mutant.__name__)
def test_slight_mutants_are_caught_too(mutant: type[Engine], models: Models) -> None:
    mode, name = MUTANTS[mutant]
    tried = trial(mutant(), mode, models, answers=MANY[mutant])
    assert tried.drawn(named(tried, name)).refuted


@pytest.mark.parametrize(
    ("mode", "name"),
    sorted({*MUTANTS.values()} - {("draft-model", "sampled")}),
)
@pytest.mark.slow
@pytest.mark.distribution
def test_the_right_engine_passes_where_mutants_fail(
    mode: str, name: str, models: Models
) -> None:
    tier = judged(trial(Engine(), mode, models, answers=LEAST), name)
    assert tier.verdict == "not_rejected", tier.detail


@pytest.mark.distribution
def test_the_right_engine_passes(models: Models) -> None:
    tried = trial(Engine(), "draft-model", models, answers=LEAST)
    for name in ("logprobs", "greedy-frequency", "sampled", "stop-tokens", "top-k"):
        tier = judged(tried, name)
        assert tier.verdict == "not_rejected", tier.detail
    tried.judge_seeds()
    tried.judge_counts()
    seeds, counts = tried.report.tiers[-2:]
    assert seeds.verdict == counts.verdict == "not_rejected"
    assert "drafted" in counts.detail


class Lawful:
    """Draws from the law itself, many texts at a time. `seed` is not read."""

    format = "hf"
    modes: ClassVar[dict[str, Any]] = {"plain": {}}
    surface = SURFACE - {"seed", "logprobs"}
    tilt = 0.0

    def __init__(self, seed: int):
        self.rng = np.random.default_rng(seed)

    def generate(
        self, requests: list[dict[str, Any]], **how: str
    ) -> list[dict[str, Any]]:
        texts: dict[int, tuple[int, ...]] = dict.fromkeys(range(len(requests)), ())
        asked = [Request.from_dict(request) for request in requests]
        for prompt in {ask.prompt for ask in asked}:
            mine = [i for i in texts if asked[i].prompt == prompt]
            for _ in range(asked[mine[0]].max_tokens):
                rows = law("target").rows(asked[mine[0]], [texts[i] for i in mine])
                for i, row in zip(mine, rows, strict=True):
                    texts[i] = (*texts[i], self.drawn(row.p))
        return [{"tokens": text} for text in texts.values()]

    def drawn(self, p: np.ndarray) -> int:
        p = p * np.exp(self.tilt * (np.arange(16) == p.argmax()))
        return int(self.rng.choice(16, p=p / p.sum()))


def evidence(models: Models, engines: Iterator[Any], answers: int) -> list[float]:
    """Log10 E of each engine, in a case made of two filtered prompts."""
    case = Case("null", sampled(top_p=0.8)[:2])
    return [
        trial(engine, "plain", models, answers=answers).drawn(case).log10_e
        for engine in engines
    ]


@pytest.mark.distribution
def test_the_evidence_against_the_law_itself_is_small(models: Models) -> None:
    """E reaches 1 / a with odds a at most: of 12 runs 100 is reached by none but with
    odds 0.12; and never the hurdle.
    """
    found = evidence(models, map(Lawful, range(12)), 96)
    assert max(found) < 2
    assert sum(log10_e >= 1 for log10_e in found) <= 4


@pytest.mark.slow
@pytest.mark.distribution
def test_false_alarms_are_as_rare_as_promised(models: Models) -> None:
    """Of 100 runs E reaches 10 in 10 at most on average: 22 is 4 deviations more."""
    found = evidence(models, map(Lawful, range(1000, 1100)), 48)
    assert sum(log10_e >= 1 for log10_e in found) <= 42
    assert sum(log10_e >= 2 for log10_e in found) <= 5
    assert max(found) < 5


@pytest.mark.distribution
def test_a_slight_leaning_everywhere_adds_up(models: Models) -> None:
    leaning = type("Leaning", (Lawful,), {"tilt": 0.8})
    (found,) = evidence(models, iter([leaning(0)]), 400)
    assert found > 11


def test_a_rejected_case_is_explained(models: Models) -> None:
    tried = trial(mutants.FiltersOnTheBonus(), "draft-model", models)
    tier = judged(tried, "combination")
    assert tier.verdict == "rejected"
    assert "rules out; it fails as well with top_" in tier.detail
    witness = tried.report.witness
    assert witness
    assert witness.want == "0"
    assert "top_" in witness.world
    assert "penalty" not in witness.world
    assert "temperature" not in witness.world


def test_the_least_total_variation_is_measured_afresh(models: Models) -> None:
    tried = trial(mutants.FirstIsGreedy(), "draft-model", models)
    tier = judged(tried, "sampled")
    effect = tier.effect
    assert effect
    assert effect.prefix == ()
    assert effect.count == effect.trials
    assert 0.5 < effect.low < 1 - effect.want
    assert "as the first token: wanted" in tier.detail


def test_a_greedy_text_that_departs_is_told_with_its_margin(models: Models) -> None:
    tier = judged(trial(mutants.NotForgotten(), "draft-model", models), "greedy")
    assert tier.verdict == "rejected"
    assert "nats short of the likeliest" in tier.detail


def test_a_mixed_batch_may_be_all_that_fails(models: Models) -> None:
    tried = trial(mutants.SettingsOfTheFirst(), "draft-model", models)
    assert "asked for alone it does not fail" in judged(tried, "mixed-batch").detail
    assert judged(tried, "greedy").verdict == "not_rejected"


@pytest.mark.parametrize(
    ("mutant", "said"),
    [
        (mutants.StopsAtBlockEnds, "went on after stop token 5"),
        (mutants.Overruns, "tokens where"),
        (mutants.EndsEarly, "at no stop token"),
        (mutants.CertainOfTheAccepted, "has logprob 0 where -"),
    ],
)
def test_what_breaks_a_request_is_told(
    mutant: type[Engine], said: str, models: Models
) -> None:
    mode, name = MUTANTS[mutant]
    tier = judged(trial(mutant(), mode, models), name)
    assert tier.verdict == "rejected"
    assert said in tier.detail


class Rounds(Engine):
    """Keeps its cache in 16 bits, say."""

    off = 0.004

    def logprobs(self, made: Any) -> Iterator[float]:
        return (logprob - self.off for logprob in super().logprobs(made))


@pytest.mark.parametrize(
    ("off", "verdict", "rounding"),
    [(0.004, "not_rejected", 0.008), (0.04, "rejected", 1e-4)],
)
def test_plain_logprobs_show_how_exactly_the_engine_computes(
    off: float, verdict: str, rounding: float, models: Models
) -> None:
    tried = trial(type("Rough", (Rounds,), {"off": off})(), "plain", models, answers=96)
    tried.target, tried.draft = (
        Law(getattr(pair, name)(), "transformers") for name in ("target", "draft")
    )
    assert judged(tried, "logprobs").verdict == verdict
    assert tried.target.rounding == pytest.approx(rounding, rel=1e-6)
    speculating = replace(tried, mode="draft-model")
    tolerated = max(1e-3, 4 * rounding)
    assert speculating.judged.tolerance == pytest.approx(tolerated, rel=1e-6)


@pytest.mark.parametrize(
    ("mutant", "said"),
    [(mutants.OwnLuck, "in other company"), (mutants.OneSeed, "seeds all gave")],
)
def test_seeds_that_do_not_seed_are_told(
    mutant: type[Engine], said: str, models: Models
) -> None:
    tried = trial(mutant(), "draft-model", models)
    tried.judge_seeds()
    (tier,) = tried.report.tiers
    assert tier.verdict == "rejected"
    assert said in tier.detail


def counted(engine: Engine, models: Models) -> Trial:
    tried = trial(engine, "draft-model", models, answers=6)
    tried.drawn(Case("few", sampled()))
    tried.judge_counts()
    return tried


class Silent(Engine):
    """Says nothing of its drafts."""

    def counts(self, made: Any) -> dict[str, Any]:
        return {}


class NeverDrafts(Engine):
    """Has a mode for speculation in which nothing is drafted."""

    def answer(self, asked: dict[str, Any], mode: str) -> dict[str, Any]:
        return super().answer(asked, "plain")


def test_counts_have_to_be_possible_and_say_that_it_speculated(models: Models) -> None:
    (tier,) = counted(mutants.Overcounts(), models).report.tiers
    assert tier.verdict == "rejected"
    (tier,) = counted(NeverDrafts(), models).report.tiers
    assert tier.verdict == "inconclusive"
    assert "speculation never ran" in tier.detail
    silent = counted(Silent(), models).report
    assert not silent.tiers
    assert "say nothing of drafted" in silent.notes[0]


class Hot(Engine):
    """Whose sampler knows no temperature, in any mode."""

    def sampling(self, **settings: Any) -> Any:
        return super().sampling(**{"temperature": 1.0, **settings})


class HotAndWrong(Hot, mutants.DraftsTheLikeliest):
    """The same, and speculation is wrong as well."""


@pytest.mark.slow
@pytest.mark.distribution
@pytest.mark.parametrize(
    ("engine", "verdict"), [(Hot, "not_rejected"), (HotAndWrong, "rejected")]
)
def test_speculation_is_held_against_a_sampler_that_is_wrong(
    engine: type[Engine], verdict: str, models: Models
) -> None:
    control = Control()
    plain = trial(engine(), "plain", models, answers=400, control=control)
    assert judged(plain, "temperature").verdict == "rejected"
    assert control.failed.keys() == {"temperature"}
    spec = trial(engine(), "draft-model", models, answers=400, control=control)
    tier = judged(spec, "temperature")
    assert tier.verdict == verdict
    assert "against plain decoding, which fails its law" in tier.detail


@pytest.mark.parametrize(
    ("engine", "verdict"),
    [(mutants.FiltersOnTheBonus, "not_rejected"), (Silent, "inconclusive")],
)
def test_a_lossy_mode_must_fail(
    engine: type[Engine], verdict: str, models: Models
) -> None:
    said = {
        "modes": {"plain": {}, "draft-model": {"lossy": True, "without": ["top_p"]}},
        "surface": {"top_k", "top_p", "seed"},
    }
    declared = type("Lossy", (engine,), said)()
    tried = trial(declared, "draft-model", models, answers=9)
    tried.run()
    (tier,) = tried.report.tiers
    assert (tier.name, tier.verdict) == ("generate/draft-model/lossy", verdict)


def test_only_what_an_engine_honours_is_asked(models: Models) -> None:
    asked: list[dict[str, Any]] = []

    class Bare(Engine):
        surface = frozenset()

        def batch(self, requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
            asked.extend(requests)
            return requests

    tried = trial(Bare(), "plain", models, answers=3)
    tried.run()
    neutral = Request((3,), 1).as_dict()
    own = "prompt", "max_tokens"
    assert {case.name for case in tried.cases} == {
        "sampled",
        "max-tokens",
        "mixed-batch",
    }
    for request in asked:
        assert {k: v for k, v in request.items() if k not in own} == {
            k: v for k, v in neutral.items() if k not in own
        }


class Drops(Engine):
    """Always ends at token 2, and leaves it out."""

    ends = (2,)

    def answer(self, asked: dict[str, Any], mode: str) -> dict[str, Any]:
        made = super().answer({**asked, "stop_token_ids": [2]}, mode)
        made["tokens"] = [token for token in made["tokens"] if token != 2]
        return made


@pytest.mark.distribution
def test_a_stop_token_may_be_left_out(models: Models) -> None:
    tried = trial(Drops(), "draft-model", models, answers=LEAST)
    assert judged(tried, "sampled").verdict == "not_rejected"
    assert judged(tried, "stop-tokens").verdict == "not_rejected"


class Raises(Engine):
    """Cannot do min-p, though it says so."""

    def answer(self, asked: dict[str, Any], mode: str) -> dict[str, Any]:
        if asked["min_p"]:
            raise NotImplementedError("min_p\nand speculation")
        return super().answer(asked, mode)


class Pads(Engine):
    """Fills answers up."""

    def answer(self, asked: dict[str, Any], mode: str) -> dict[str, Any]:
        return {"tokens": [*super().answer(asked, mode)["tokens"], -1]}


class Loses(Engine):
    """One answer too few."""

    def batch(self, requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return requests[1:]


@pytest.mark.parametrize(
    ("engine", "name", "said"),
    [
        (Raises, "min-p", "generate raised NotImplementedError: min_p and speculation"),
        (Pads, "sampled", "leave padding out"),
        (Loses, "sampled", "2 answers to 3 requests"),
    ],
)
def test_a_broken_case_does_not_end_the_trial(
    engine: type[Engine], name: str, said: str, models: Models
) -> None:
    tried = trial(engine(), "draft-model", models, answers=3)
    tier = judged(tried, name)
    assert tier.verdict == "errored"
    assert said in tier.detail


def test_offers_are_checked_before_anything_is_asked() -> None:
    odd = type("Odd", (Engine,), {"surface": {"beam_width"}})
    with pytest.raises(Bad, match="beam_width"):
        Offer.of(odd())
