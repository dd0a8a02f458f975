"""Programs asked over a pipe: laws in few rounds, every mode, large rows in frames."""

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from reference.model.table import table
from reference.verify import chain
from specsim.oracle import cases, exact, judge, reading
from specsim.oracle.engines.contract import Call
from specsim.oracle.engines.planted import Written
from specsim.oracle.reading import Reader
from specsim.oracle.wire import batches, messages
from specsim.oracle.wire.messages import Case, Run
from specsim.oracle.wire.program import ProgramEngine
from specsim.oracle.worlds import World
from specsim.seam import proposal

FULL = f"{sys.executable} -m tests.oracle.wire.full"


@pytest.fixture(scope="module")
def full() -> Iterator[ProgramEngine]:
    with ProgramEngine(FULL, 30) as engine:
        yield engine


@pytest.mark.distribution
def test_sixteen_words_are_read_in_27_rounds(
    full: ProgramEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One round for the grid and 22 that halve, per level of coins."""
    requests = 0
    run = full.run

    def counted(asked: list[Case], seed: int | None = None) -> Any:
        nonlocal requests
        requests += 1
        return run(asked, seed)

    monkeypatch.setattr(full, "run", counted)
    world = World("sixteen", 16, table(3, 16), table(4, 16), (1,))
    full._pace = messages.LARGE
    read = Reader(full, "verify", "coins", "scripted").read(world)
    depth = 2
    truth = exact.completed({(): 1}, world.truth, depth)  # type: ignore[dict-item]
    done = exact.completed(read.law, world.truth, depth)
    assert exact.distance(done, truth) < 1e-7
    assert requests <= 3 * 27


@pytest.mark.distribution
def test_whoever_does_all_passes_all() -> None:
    report = judge.check(f"{FULL} verify", budget="smoke", rule="chain")
    assert report.exit_code == 0, report.text()
    assert {tier.name: tier.verdict for tier in report.tiers}.items() >= {
        "verify/coins/batch": "exact",
        "verify/coins/law": "exact_within",
        "verify/seed/drawn": "not_rejected",
        "verify/coins/vectors": "exact",
    }.items()
    assert "it calls itself full 2 python" in report.notes
    assert "its issues: https://example.org/issues" in report.notes


def test_seeds_that_are_honoured_are_not_noted(full: ProgramEngine) -> None:
    assert batches.replayed(full, "verify", 0) == []
    again = [full.blocks(*some(), seed=5, mode="seed") for _ in range(2)]
    assert again[0] == again[1]
    assert again[0] != full.blocks(*some(), seed=6, mode="seed")


def some() -> tuple[list[Call], list[int]]:
    calls, _ = cases.calls(cases.chains()[12], "verify")
    return calls, [i % len(calls) for i in (0, 1, 1, 0) * 8]


def test_large_rows_go_in_frames_and_come_back_to_the_last_bit(
    full: ProgramEngine,
) -> None:
    vocab, k = 40_000, 2
    rng = np.random.default_rng(0)
    p, q = rng.dirichlet(np.ones(vocab), k + 1), rng.dirichlet(np.ones(vocab), k)
    tokens = [int(row.argmax()) for row in q]
    call = Call("verify", p.tolist(), q.tolist(), tokens, [-1, 0], "iid")
    accept, sample = rng.random(k), rng.random(k + 1)
    drafted = proposal.Proposal(tokens, [-1, 0], q, "iid")
    wanted = chain.verify(p, drafted, Written(accept, sample))
    assert full.once(call, accept.tolist(), sample.tolist()) == tuple(wanted)
    sent = full.record.form.run(
        Run(1, "verify", [Case(call, [[0.5] * 2], [[0.5] * 3], 1)])
    )
    assert sent.endswith(q.astype("<f8").tobytes())
    assert len(sent) < 8 * vocab * 5 + 500


@pytest.mark.distribution
def test_trees_are_read(full: ProgramEngine) -> None:
    reader = Reader(full, "verify_tree", "coins", "scripted")
    worlds = cases.trees("smoke", tuple(full.hello()["kinds"]))[:3]
    assert not reading.failures([*map(reader.read, worlds)], "scripted")
    assert batches.compare(full, "verify_tree", 0)[0].verdict == "exact"


def test_the_first_coins_of_a_seed_are_not_to_be_had(full: ProgramEngine) -> None:
    assert full.begun(some()[0][0], 0.0) is None
