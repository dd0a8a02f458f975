"""The loop goes down, stops where it must, and goes on as if nothing had been."""

from typing import Any

import pytest

from specsim import seam
from tests.gpu.cases import torch

pytestmark = pytest.mark.torch
loop, windows = seam.gpu("train.loop"), seam.gpu("train.windows")
luck = seam.gpu("train.luck").luck
STEPS = 12


def weights() -> dict[str, Any]:
    drawn = luck("weights", 0)
    return {
        "matrix": torch.randn(4, 3, generator=drawn),
        "vector": torch.randn(3, generator=drawn),
    }


def loss(held: Any, step: int) -> Any:
    x = torch.randn(5, 4, generator=luck("x", step))
    return ((x @ held["matrix"] * held["vector"] - 1) ** 2).mean()


def run(**how: Any) -> Any:
    return loop.Run(weights(), loss, loop.Schedule(STEPS, 0.1, 3), **how)


def test_it_learns() -> None:
    made = run()
    values = [made.go() for _ in range(STEPS)]
    assert values[-1] < values[0]
    assert made.step == STEPS


def test_what_was_given_is_left_alone() -> None:
    given = weights()
    made = loop.Run(given, loss, loop.Schedule(STEPS, 0.1, 3))
    made.go()
    assert torch.equal(given["matrix"], weights()["matrix"])
    assert not given["matrix"].requires_grad


def test_a_run_that_goes_on_ends_as_one_that_never_stopped() -> None:
    whole = run()
    expected = [whole.go() for _ in range(STEPS)]
    for broken in (0, 1, 7):
        first, second = run(), run()
        values = [first.go() for _ in range(broken)]
        saved = {name: tensor.numpy().copy() for name, tensor in first.state().items()}
        first.go()
        second.restore(saved, broken)
        values += [second.go() for _ in range(STEPS - broken)]
        assert values == expected
        for name, tensor in whole.state().items():
            assert torch.equal(tensor, second.state()[name])


def test_a_loss_that_is_no_number_is_refused_and_changes_nothing() -> None:
    made = loop.Run(
        weights(),
        lambda held, step: loss(held, step) * (torch.nan if step == 2 else 1),
        loop.Schedule(STEPS, 0.1, 3),
    )
    made.go()
    made.go()
    before = {name: w.detach().clone() for name, w in made.weights.items()}
    with pytest.raises(ValueError, match="the loss of step 2 is nan"):
        made.go()
    assert made.step == 2
    assert all(torch.equal(before[name], w) for name, w in made.weights.items())


def test_steps_are_those_of_adamw() -> None:
    """By the formulas, with decay on the matrix alone and the gradient clipped."""
    made = run(decay=0.5, clip=1e-3)
    w = {name: tensor.clone() for name, tensor in weights().items()}
    first = {name: torch.zeros_like(x) for name, x in w.items()}
    second = {name: torch.zeros_like(x) for name, x in w.items()}
    for step in range(4):
        leaves = {name: x.clone().requires_grad_() for name, x in w.items()}
        loss(leaves, step).backward()
        norm = torch.stack([x.grad.norm() for x in leaves.values()]).norm()
        rate = made.schedule.rate(step)
        for name, x in leaves.items():
            g = x.grad * min(1e-3 / (norm + 1e-6), 1)
            first[name] = 0.9 * first[name] + 0.1 * g
            second[name] = 0.98 * second[name] + 0.02 * g * g
            m = first[name] / (1 - 0.9 ** (step + 1))
            v = second[name] / (1 - 0.98 ** (step + 1))
            kept = 1 - rate * (0.5 if name == "matrix" else 0)
            w[name] = kept * w[name] - rate * m / (v.sqrt() + 1e-8)
        made.go()
        for name, x in w.items():
            torch.testing.assert_close(made.weights[name].detach(), x)


def test_some_weights_may_learn_more_slowly() -> None:
    fast, slow = run(decay=0.0), run(decay=0.0, slow={"vector": 0.25})
    fast.go()
    slow.go()
    for name, pace in {"matrix": 1.0, "vector": 0.25}.items():
        moved = [made.weights[name].detach() - weights()[name] for made in (slow, fast)]
        torch.testing.assert_close(moved[0], pace * moved[1])


def test_the_schedule_rises_straight_and_falls_to_a_tenth() -> None:
    made = loop.Schedule(100, 2.0, 10)
    rates = [made.rate(step) for step in range(101)]
    assert rates[:10] == pytest.approx([0.2 * n for n in range(1, 11)])
    assert rates[10] == 2.0
    assert rates[10:] == sorted(rates[10:], reverse=True)
    assert rates[55] == pytest.approx(1.1)
    assert rates[100] == pytest.approx(0.2)


def test_an_epoch_reads_everything_once() -> None:
    text = torch.arange(100, dtype=torch.int32)
    made = windows.Windows(text, 8, 3, seed=4)
    assert made.windows == 11
    for epoch in (0, 1):
        batches = [made.at(3 * epoch + place) for place in range(3)]
        assert all(batch.shape == (3, 9) for batch in batches)
        starts = torch.cat(batches)[:, 0]
        assert len(set(starts.tolist())) == 9
        assert len(set((starts % 8).tolist())) == 1
        for window in torch.cat(batches):
            assert torch.equal(window, window[0] + torch.arange(9))


def test_the_order_is_a_function_of_seed_and_step() -> None:
    text = torch.arange(1000)
    made = windows.Windows(text, 8, 2, seed=4)
    forwards = [made.at(step) for step in range(130)]
    again = windows.Windows(text, 8, 2, seed=4)
    for step in reversed(range(130)):
        assert torch.equal(again.at(step), forwards[step])
    assert not torch.equal(windows.Windows(text, 8, 2, seed=5).at(0), forwards[0])
    assert not torch.equal(forwards[0], forwards[62])
    assert len({int(batch[0, 0]) % 8 for batch in forwards}) > 1


def test_a_text_too_short_is_refused() -> None:
    windows.Windows(torch.arange(32), 8, 3, seed=0).at(0)
    with pytest.raises(ValueError, match="31 tokens are too few: 32 are needed"):
        windows.Windows(torch.arange(31), 8, 3, seed=0)


def test_fixed_windows_are_in_the_same_places_in_each_epoch() -> None:
    made = windows.Windows(torch.arange(43), 8, 2, seed=1, fixed=True)
    epochs = [
        [window[0].item() for step in (first, first + 1) for window in made.at(step)]
        for first in (0, 2, 4)
    ]
    assert all(sorted(starts) == [0, 8, 16, 24] for starts in epochs)
    assert len({*map(tuple, epochs)}) > 1


def test_luck_is_told_apart_by_its_whole_name() -> None:
    names = ("a", 1), ("a", 2), ("b", 1), ("a", 1, 2), ("a", 12), ("a", 2**32 + 1)
    drawn = [torch.rand(4, generator=luck(*name)).tolist() for name in names]
    assert len({*map(tuple, drawn)}) == len(names)
    assert torch.rand(4, generator=luck("a", 1)).tolist() == drawn[0]
