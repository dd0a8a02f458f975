"""Counts of a run: defined once, and each told from its neighbours."""

from reference.acceptance import Tally
from reference.decode import Step
from reference.proposal import chain, trie


def test_chains_and_trees_are_counted_by_depth() -> None:
    tally = Tally()
    tree = trie([[1, 2], [3]])
    for step in (
        Step(chain([5, 6, 7]), [0, 1], [5, 6, 9], 0),
        Step(chain([5, 6, 7]), [0, 1, 2], [5, 6], 2),
        Step(chain([5, 6, 7]), [], [4], 0),
        Step(tree, [2], [3, 8], 0),
        Step(tree, [0], [1, 8], 0),
        Step(chain([]), [], [4], 0),
    ):
        tally.saw(step)
    assert (tally.steps, tally.emitted, tally.drafted) == (6, 11, 15)
    assert (tally.accepted, tally.truncated, tally.bonus) == (7, 2, 2)
    assert tally.reached == {0: 5, 1: 3 + 0, 2: 2}
    assert tally.acceptance == [4 / 5, 2 / 3, 1 / 2]
    assert tally.tokens_per_step == 11 / 6


def test_nothing_yet() -> None:
    assert Tally().tokens_per_step == 0
    assert Tally().acceptance == []
