"""Faults planted in the loop: each breaks one of the statements that hold without."""

import pytest

from reference import decode as decoding
from specsim.oracle.loops import statements, trials
from specsim.oracle.loops.statements import CHAIN, STATEMENTS, TREE
from specsim.oracle.mutants import loops
from specsim.oracle.mutants.loops import LOOPS
from specsim.oracle.swapping import LoopFault


@pytest.mark.parametrize("kind", STATEMENTS)
def test_without_a_fault_every_statement_holds(kind: str) -> None:
    for trial in STATEMENTS[kind]():
        trial()


@pytest.mark.parametrize("fault", LOOPS, ids=lambda fault: fault.name)
def test_every_fault_breaks_a_statement(fault: LoopFault) -> None:
    assert statements.kill(fault)


@pytest.mark.parametrize(
    "fault", [f for f in LOOPS if f.kind == loops.DRAFT], ids=lambda fault: fault.name
)
def test_no_fault_of_a_draft_changes_the_text(fault: LoopFault) -> None:
    with fault.planted():
        for pair in (CHAIN, TREE, ("medusa", "target_only"), ("mtp", "chain")):
            trials.greedy_text_is_plain(*pair)


def test_what_was_planted_is_gone_again() -> None:
    fault = LOOPS[0]
    with fault.planted():
        assert decoding.until(frozenset({1}), [0, 1, 2]) == [0, 1, 2]
    assert decoding.until(frozenset({1}), [0, 1, 2]) == [0, 1]


def test_no_two_faults_are_the_same_change() -> None:
    assert len({fault.name for fault in LOOPS}) == len(LOOPS)
    assert len({(fault.file, fault.old, fault.new) for fault in LOOPS}) == len(LOOPS)
