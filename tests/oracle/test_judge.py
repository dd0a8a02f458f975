"""Foreign engines: right ones pass, wrong ones are named, rude ones are told."""

import pytest

from specsim.errors import Bad
from specsim.oracle import judge, sampling
from specsim.oracle.engines import planted
from specsim.oracle.mutants import MUTANTS
from specsim.oracle.planted import Mutant

HERE = "tests.oracle.engines"

RIGHT = {
    "chain": "exact",
    "block": "exact_within",
    "sampler_match": "exact",
    "one_hot": "exact",
    "no_bonus": "exact",
    "only_the_first": "exact",
    "last_redrawn": "exact",
    "single_precision": "exact",
    "coins": "exact",
    "scribbles": "exact",
    "prints": "exact",
    "Tree": "exact",
    "own_luck": "not_rejected",
    "redraws_zero": "exact_within",
    "until_it_fits": "not_rejected",
    "OptionalRng": "exact",
    "AsksForMore": "exact",
}
"""Engines that keep the target's law, and the strongest thing to be said of each."""


@pytest.mark.distribution
@pytest.mark.parametrize(("name", "verdict"), RIGHT.items())
def test_right_engines_pass_however_odd_they_look(name: str, verdict: str) -> None:
    report = judge.check(f"{HERE}:{name}")
    assert report.verdict == verdict, report.text()
    assert report.exit_code == 0
    assert not report.diagnosis
    assert report.excluded


@pytest.mark.distribution
def test_a_known_bug_is_named_with_its_smallest_case() -> None:
    report = judge.check(f"{HERE}:residual_is_target")
    assert (report.verdict, report.exit_code) == ("rejected", 1)
    assert report.diagnosis[0].name == "residual-is-target"
    witness = report.witness
    assert witness
    assert witness.prefix == ()
    assert len(witness.p["root"]) <= 3
    assert all("/" in cell or cell in "01" for cell in witness.p["root"])
    assert "resembles a known bug" in report.text()


@pytest.mark.distribution
def test_an_unknown_bug_is_caught_and_resembles_nothing() -> None:
    report = judge.check(f"{HERE}:favours_the_likeliest")
    assert report.verdict == "rejected"
    assert report.diagnosis == []
    assert "none of the known bugs" in report.text()


WRONG = [
    "NeedsEmptyDrafts",
    "Remembers",
    "slow_and_wrong",
    "coarse_integers",
    "close_enough",
    "top_p_on_the_bonus",
    "two_of_the_residual",
    "four_are_enough",
    "five_words_are_many",
    "drafts_after_the_fourth",
]
"""Faults that need a world of their own: small odds, long drafts, many words, time."""


@pytest.mark.distribution
@pytest.mark.parametrize("name", WRONG)
def test_wrong_engines_are_caught_however_well_they_hide(name: str) -> None:
    report = judge.check(f"{HERE}:{name}")
    assert report.verdict == "rejected", report.text()
    assert report.witness


def test_a_witness_that_needs_a_past_says_so() -> None:
    report = judge.check(f"{HERE}:Remembers")
    assert any("from call to call" in note for note in report.notes)


def test_a_fault_of_the_first_call_is_no_reason_to_call_the_rest_exact() -> None:
    report = judge.check(f"{HERE}:first_call")
    assert report.verdict != "exact"
    assert report.verdict != "exact_within"


def test_too_slow_to_be_sure_is_inconclusive_and_not_a_hang() -> None:
    report = judge.check(f"{HERE}:very_slow", budget="smoke")
    assert (report.verdict, report.exit_code) == ("inconclusive", 3), report.text()
    assert report.seconds < 15


def test_an_engine_that_forks_is_judged_once() -> None:
    assert judge.check(f"{HERE}:forks").exit_code == 0


@pytest.mark.distribution
def test_a_tenth_of_a_billionth_in_the_ratio_is_seen() -> None:
    report = judge.check(f"{HERE}:tiny_epsilon")
    assert report.verdict == "rejected"
    assert report.diagnosis[0].name == "epsilon-in-ratio"


@pytest.mark.distribution
def test_what_cannot_be_read_is_drawn() -> None:
    report = judge.check(f"{HERE}:own_luck_and_wrong")
    assert report.verdict == "rejected"
    assert report.log10_e is not None
    assert report.log10_e >= 9
    assert "residual-is-target" in [known.name for known in report.diagnosis]
    assert report.witness


RUDE = {
    "raises": "RuntimeError: no luck today",
    "out_of_range": ", not in 0..",
    "too_many": "tokens for 1 drafted, where 1 to 2 are possible",
    "nothing": "nothing': returned 0 tokens for",
    "none": "returned None",
    "bools": "returned [True], not a list of ints",
    "floats": "returned [0.5], not a list of ints",
    "hangs": "hangs: no answer within 5 s",
    "dies": "process died (exit code 7)",
    "exits": "sys.exit",
}


@pytest.mark.parametrize(("name", "told"), RUDE.items())
def test_broken_engines_are_told_so_on_one_line(name: str, told: str) -> None:
    report = judge.check(f"{HERE}:{name}", budget="smoke")
    assert (report.verdict, report.exit_code) == ("errored", 2)
    assert told in report.trouble
    assert "\n" not in report.trouble


def test_a_block_longer_than_any_path_of_a_tree_is_told_so() -> None:
    report = judge.check(f"{HERE}:TreeAsOneChain", budget="smoke")
    assert (report.verdict, report.exit_code) == ("errored", 2)
    assert "tokens for a tree of depth " in report.trouble


ROWS = {
    "accepts_by_the_first_row": "accept-by-the-first-draft-row",
    "accepts_by_the_row_before": "accept-by-the-draft-row-before",
    "corrects_by_the_first_row": "residual-by-the-first-draft-row",
}


@pytest.mark.parametrize(("name", "known"), ROWS.items())
def test_another_row_of_the_draft_is_seen_in_the_least_budget_and_named(
    name: str, known: str
) -> None:
    report = judge.check(f"{HERE}:{name}", budget="smoke")
    assert report.verdict == "rejected", report.text()
    assert known in [diagnosis.name for diagnosis in report.diagnosis]


@pytest.mark.parametrize("name", ["raises", "none", "too_many", "sometimes_raises"])
def test_who_always_fails_is_told_once_with_the_call_to_replay(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreachable(*_: object) -> None:
        raise AssertionError("there is nothing to draw")

    monkeypatch.setattr(sampling, "sample", unreachable)
    report = judge.check(f"{HERE}:{name}", budget="smoke")
    (tier,) = report.tiers
    assert report.notes == []
    assert f"engine '{HERE}:{name}': r" in tier.detail
    assert (
        "; asked with p = [[0.0, 1.0], [1.0, 0.0]], q = [[0.5, 0.5]], tokens = ["
        in tier.detail
    )
    assert tier.detail.endswith("], rng = numpy.random.default_rng(0)")


def test_the_coins_of_a_failing_call_are_those_it_was_given() -> None:
    trouble = judge.check(f"{HERE}:tells_its_coins", budget="smoke").trouble
    told, asked = trouble.split("; asked with ")
    assert told.removeprefix(f"engine '{HERE}:tells_its_coins': raised ") == (
        "ValueError: " + asked[asked.index("accept = ") :]
    )


@pytest.mark.parametrize(
    ("engine", "told"),
    [
        ("nowhere", "module:attribute"),
        ("no.such.module:verify", "No module named"),
        (f"{HERE}:nope", "no attribute 'nope'"),
        (f"{HERE}:not_callable", "engine has none of verify"),
        (f"{HERE}:luckless", "neither `rng` nor `accept`"),
        (f"{HERE}:seeded", "`seed` is no parameter here"),
        (f"{HERE}:CannotBeBuilt", "loading it failed: RuntimeError: weights not found"),
        (f"{HERE}:AsksForTheMoon", "there is only k0, q_none, q_zero"),
        ("./engines.py:chain", "module:attribute"),
        ("", "module:attribute"),
    ],
)
def test_what_is_no_engine_is_bad_usage(engine: str, told: str) -> None:
    with pytest.raises(Bad) as caught:
        judge.check(engine)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["Generates", "Sketches"])
def test_methods_that_are_something_else_are_noted_not_judged(name: str) -> None:
    report = judge.check(f"{HERE}:{name}")
    assert (report.verdict, report.exit_code) == ("unsupported", 2)
    assert "is not judged: " in report.trouble


def test_absurd_settings_are_refused() -> None:
    for settings in ({"false_alarm": 0.0}, {"false_alarm": 2.0}, {"budget": "lavish"}):
        with pytest.raises(Bad):
            judge.check(f"{HERE}:chain", **settings)


def test_the_same_coins_give_the_same_tokens_as_the_rule() -> None:
    report = judge.check(f"{HERE}:coins", rule="chain")
    assert report.exit_code == 0
    assert report.tiers[-1].name == "verify/coins/vectors"
    other = judge.check(f"{HERE}:coins", rule="one_hot")
    assert other.verdict == "rejected"
    with pytest.raises(Bad):
        judge.check(f"{HERE}:chain", rule="chain")


@pytest.mark.distribution
def test_a_lossy_engine_is_held_to_the_law_it_declares_and_never_exact() -> None:
    assert judge.check(f"{HERE}:lenient").verdict == "rejected"
    report = judge.check(f"{HERE}:lenient", rule="lenience")
    assert report.verdict == "exact_within", report.text()
    assert "lossy rule lenience, up to TV 0.75" in report.law
    other = judge.check(f"{HERE}:coins", rule="lenience")
    assert (other.verdict, other.tiers[0].verdict) == ("rejected", "rejected")


PLANTED = [
    mutant.name
    for mutant in MUTANTS.values()
    if isinstance(mutant, Mutant)
    and not (mutant.row.greedy or mutant.row.lossy or mutant.races)
    and mutant.row.most_words is None
]
"""Those whose law can be an engine's: drawn, and by a plan that floats do not turn."""


@pytest.mark.distribution
@pytest.mark.slow
@pytest.mark.parametrize("name", PLANTED)
def test_every_mutant_is_caught_as_an_engine_and_named(name: str) -> None:
    report = judge.check(planted.spec(name))
    assert report.verdict == "rejected", report.text()
    assert name in [known.name for known in report.diagnosis], report.text()
