"""Large vocabularies: faults that only they show are killed there, right ones pass."""

import json
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from specsim.oracle import cases
from specsim.oracle.engines import planted
from specsim.oracle.engines.contract import Block, Call
from specsim.oracle.engines.host import Host
from specsim.oracle.engines.python import PythonEngine
from specsim.oracle.exact import Law
from specsim.oracle.large import evidence, faults, trial
from specsim.oracle.large.rows import WORLDS, Large
from specsim.oracle.report import Report
from specsim.oracle.wire.messages import Json, Run
from specsim.oracle.wire.program import ProgramEngine, drawn_case
from specsim.oracle.wire.stubs import adapter
from specsim.rules import RULES

WHOLE, CUT = WORLDS[:2]
SMALL = Large(1_000), Large(1_024, kept=64, padding=24)
FRAMED = Large(5_000)
FULL = f"{sys.executable} -m tests.oracle.wire.full"


class Here(Host):
    """A trusted verifier that takes coins, asked in this process."""

    spec = "here"

    def __init__(self, verify: Any):
        self.verify = planted.engine(verify, tree=False)

    def afresh(self) -> "Here":
        raise NotImplementedError

    def hello(self) -> dict[str, Any]:
        raise NotImplementedError

    def laws(self, *asked: Any, **how: Any) -> list[Law]:
        raise NotImplementedError

    def once(self, *asked: Any) -> None:
        raise NotImplementedError

    def begun(self, *asked: Any) -> None:
        raise NotImplementedError

    def blocks(self, *asked: Any) -> list[Block]:
        raise NotImplementedError

    def large(
        self, world: Large, drafts: Sequence[list[int]], seed: int, mode: str
    ) -> list[Block]:
        rng = np.random.default_rng(seed)
        p, q = world.rows
        n = world.drafts
        return [
            tuple(
                self.verify(
                    p, q, np.array(x), accept=rng.random(n), sample=rng.random(n + 1)
                )
            )
            for x in drafts
        ]


def asked(host: Host, *worlds: Large, mode: str = "coins") -> Report:
    report = Report("here", "", 0, "")
    trial.LargeVocabulary(host, mode, "full", 0, 1e-9, report, worlds).run()
    return report


WHERE = {
    "padding-leak": CUT,
    "sixteen-bit-running-sum": Large(8_000),
}
"""The worlds in which a fault shows, if it is not WHOLE."""


@pytest.mark.distribution
@pytest.mark.parametrize("fault", faults.FAULTS, ids=lambda fault: fault.name)
def test_faults_are_killed_where_the_vocabulary_is_large(fault: faults.Fault) -> None:
    report = asked(Here(fault.verify), WHERE.get(fault.name, WHOLE))
    (tier,) = report.tiers
    assert (tier.name, tier.verdict) == ("verify/coins/large-vocabulary", "rejected")
    assert report.notes[0].startswith("in large vocabularies: V ")


@pytest.mark.parametrize("fault", faults.FAULTS, ids=lambda fault: fault.name)
def test_the_same_faults_hide_in_small_vocabularies(fault: faults.Fault) -> None:
    """The same coins give the same blocks in the worlds in which evidence is drawn."""
    rng = np.random.default_rng(0)
    wrong, right = Here(fault.verify).verify, Here(RULES["chain"].verify).verify
    asked = [call for world in cases.chains()[10:18] for call in _calls(world)]
    for i in rng.integers(len(asked), size=500):
        n = len(asked[i].tokens)
        luck = {"accept": rng.random(n), "sample": rng.random(n + 1)}
        assert wrong(*asked[i].arguments(), **luck) == right(
            *asked[i].arguments(), **luck
        )


def _calls(world: Any) -> list[Call]:
    return cases.calls(world, "verify")[0]


@pytest.mark.distribution
@pytest.mark.parametrize("name", ["chain", "block", "sampler_match"])
def test_right_rules_pass(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(trial.TV, "full", 0.1)
    (tier,) = asked(Here(RULES[name].verify), *SMALL).tiers
    assert tier.verdict == "not_rejected", tier.detail
    assert "for TV 0.1, power 0.999" in tier.detail


def test_keeping_more_drafts_than_any_coupling_is_noticed() -> None:
    """Of a verifier that is right but for keeping everything: by the draft alone."""
    streams = evidence.Streams(SMALL[:1])
    p, q = SMALL[0].rows
    rng = np.random.default_rng(0)
    drafts = [[int(x)] for x in rng.choice(1_000, 2_000, p=q[0])]
    assert streams.observe(0, drafts, [(x,) for (x,) in drafts]) > 9
    made = streams._made()
    assert made[evidence.DRAFTED] == max(made.values())
    odd = streams.oddest()
    assert odd
    assert (odd.what, odd.got) == (evidence.DRAFTED, 1)
    assert odd.want == pytest.approx(np.minimum(p[0], q[0]).sum())


def test_a_bet_on_the_draft_is_fair_at_the_most_there_can_be() -> None:
    bet = evidence.Kept(0.7)
    odds = {1: 0.7, 0: 0.3}
    mean = np.zeros(len(evidence.GREEDS))
    for kept, share in odds.items():
        bet.kept, bet.seen = kept, 1
        mean += share * np.exp(bet.made())
    assert mean == pytest.approx(1)


def test_an_impossible_token_is_proof_and_named() -> None:
    streams = evidence.Streams(SMALL)
    assert streams.observe(1, [[0]], [(1_023,)]) == np.inf
    assert "tokens of probability 0: wanted 0, got 1" in str(streams.oddest())


@pytest.mark.distribution
def test_a_python_engine_makes_the_rows_on_its_side() -> None:
    with PythonEngine("tests.oracle.engines:residual_is_target") as host:
        report = asked(host, SMALL[0], mode="rng")
    assert report.tiers[0].verdict == "rejected"


@pytest.mark.parametrize("mode", ["coins", "seed"])
def test_a_program_is_asked_in_frames(mode: str) -> None:
    drafts = [[1], [2], [3]]
    with ProgramEngine(FULL) as host:
        blocks = host.large(FRAMED, drafts, 5, mode)
        assert blocks == host.large(FRAMED, drafts, 5, mode)
    rng = np.random.default_rng(5)
    right = Here(RULES["chain"].verify).verify
    for draft, block in zip(drafts, blocks, strict=True):
        luck = {"accept": rng.random((1, 1))[0], "sample": rng.random((1, 2))[0]}
        if mode == "coins":
            assert block == tuple(right(*FRAMED.call(draft).arguments(), **luck))


def test_cases_with_the_same_rows_share_their_frames() -> None:
    rng = np.random.default_rng(0)
    drawn = [drawn_case(FRAMED.call([x]), 1, rng) for x in range(3)]
    line, *rest = Json(True).run(Run(1, "verify", drawn)).split(b"\n", 1)
    message = json.loads(line)
    assert message["frames"] == [2 * FRAMED.vocab * 8, FRAMED.vocab * 8]
    assert {case["p"]["frame"] for case in message["cases"]} == {0}
    assert {case["q"]["frame"] for case in message["cases"]} == {1}
    assert len(rest[0]) == sum(message["frames"])


def test_a_program_without_frames_is_not_asked() -> None:
    with ProgramEngine(f"{sys.executable} {adapter('python')}") as host:
        report = asked(host, *SMALL)
    assert report.tiers == []
    assert report.notes == [
        "not asked with large vocabularies: it takes no binary frames"
    ]


def test_smaller_budgets_have_no_time_for_it() -> None:
    report = Report("here", "", 0, "")
    trial.LargeVocabulary(Here(None), "coins", "quick", 0, 1e-9, report).run()
    assert report.tiers == []
