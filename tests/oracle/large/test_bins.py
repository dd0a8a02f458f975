"""Partitions hold every token once, and the impossible apart."""

import numpy as np
import pytest

from specsim.oracle.large.bins import BINS, PARTITIONS, partition
from specsim.oracle.large.rows import Large, drafted

WORLD = Large(2_000, kept=500, padding=16)


@pytest.mark.parametrize("name", PARTITIONS)
def test_masses_are_those_of_the_labels_and_none_is_impossible(name: str) -> None:
    p, q = WORLD.rows
    labels, mass = partition(name, p[0], q[0])
    assert len(mass) == BINS + 1
    assert mass[BINS] == 0
    assert mass.sum() == pytest.approx(1)
    assert ((labels == BINS) == (p[0] == 0)).all()
    for bin in range(BINS):
        assert mass[bin] == pytest.approx(p[0][labels == bin].sum())


@pytest.mark.parametrize("name", ["p/q", "id"])
def test_some_partitions_have_bins_of_equal_mass(name: str) -> None:
    p, q = Large(4_000).rows
    _, mass = partition(name, p[0], q[0])
    assert mass.max() < p[0].max() + 2 / BINS


def test_ranks_begin_with_the_likeliest_alone() -> None:
    p, q = WORLD.rows
    labels, mass = partition("rank", p[0], q[0])
    assert mass[0] == p[0].max()
    order = np.argsort(-p[0][p[0] > 0])
    assert (np.diff(labels[p[0] > 0][order]) >= 0).all()


def test_rows_are_the_same_for_equal_worlds_and_end_in_padding() -> None:
    p, q = WORLD.rows
    assert WORLD.rows.p is Large(2_000, kept=500, padding=16).rows.p
    for row in (*p, *q):
        assert row.sum() == pytest.approx(1)
        assert (row > 0).sum() == 500
        assert not row[-16:].any()
    with pytest.raises(ValueError, match="read-only"):
        p[0, 0] = 1


def test_ids_are_in_random_order_and_other_rows_in_another() -> None:
    p, _ = Large(4_000).rows
    assert abs(np.corrcoef(np.arange(4_000), np.argsort(-p[0]))[0, 1]) < 0.1
    assert p[0].argmax() != p[1].argmax()


def test_drafts_are_drawn_from_q() -> None:
    drafts = np.array(drafted(WORLD, 20_000, np.random.default_rng(0)))[:, 0]
    q = WORLD.rows.q[0]
    likely = int(q.argmax())
    assert (drafts == likely).mean() == pytest.approx(q[likely], abs=0.02)
    assert (q[drafts] > 0).all()
