"""Predictions against published decode rates, and against cases worked by others.

The rows are those shipped (data/measurements/decode.csv); tools/decode_rows.py says
which of them are at odds with themselves. Most constants were fitted to these rows, so
the test that weighs is the slow one: each model, device, engine and source in turn is
predicted with constants fitted to the others.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest

from specsim.roofline import predict
from specsim.roofline.validation import decode
from specsim.roofline.validation.cells import Skip
from specsim.roofline.work import Work
from tools import fit_decode
from tools.decode_rows import Row, rows

Span = tuple[float, float, float]


@cache
def predicted() -> dict[str, Span]:
    """Low, expected and high milliseconds of each row."""
    every = rows()
    answers = decode.predicted([row.question for row in every])
    spans = {}
    for row, answer in zip(every, answers, strict=True):
        assert not isinstance(answer, Skip), row.id
        spans[row.id] = answer["decode"]
    return spans


def sound(which: Callable[[Row], bool] = lambda _: True) -> list[Row]:
    return [row for row in rows() if not row.doubt and which(row)]


def single(row: Row) -> bool:
    return row.question.batch == 1


def errors(chosen: Sequence[Row]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Signed errors as fractions of the measured time."""
    return np.array([predicted()[row.id][1] / row.ms - 1 for row in chosen])


def test_every_shipped_row_is_predicted() -> None:
    spans = predicted()
    assert len(spans) == len(rows()) > 500
    for low, expected, high in spans.values():
        assert 0 < low < expected < high


def test_one_sequence() -> None:
    off = errors(sound(single))
    assert len(off) > 390
    assert np.mean(np.abs(off)) < 0.075
    assert np.median(np.abs(off)) < 0.05
    assert abs(np.mean(off)) < 0.02


def test_several_sequences() -> None:
    off = errors(sound(lambda row: not single(row)))
    assert len(off) > 50
    assert np.mean(np.abs(off)) < 0.09


def test_rows_in_doubt_do_not_move_the_median() -> None:
    assert np.median(np.abs(errors(rows()))) < 0.06


@pytest.mark.parametrize(
    ("engine", "most"),
    [
        ("autoawq", 0.08),
        ("autoawq-0.1", 0.14),
        ("exllamav2", 0.06),
        ("gpt-fast", 0.08),
        ("hf", 0.09),
        ("llama.cpp", 0.08),
        ("llama.cpp-2024", 0.09),
        ("lmdeploy", 0.09),
        ("mlc", 0.05),
        ("sglang-0.4", 0.11),
        ("trtllm-0.6", 0.07),
        ("vllm-0.6", 0.05),
    ],
)
def test_each_engine(engine: str, most: float) -> None:
    chosen = sound(lambda row: row.engine == engine)
    assert len(chosen) > 5
    assert np.mean(np.abs(errors(chosen))) < most


def test_the_interval_holds_nine_measurements_in_ten() -> None:
    chosen = sound()
    spans = predicted()
    inside = [spans[row.id][0] <= row.ms <= spans[row.id][2] for row in chosen]
    assert 0.9 <= np.mean(inside) < 0.97


def test_the_interval_is_no_wider_than_it_need_be() -> None:
    widths = [predicted()[row.id][2] / predicted()[row.id][0] for row in sound()]
    assert np.median(widths) < 1.6
    assert np.quantile(widths, 0.9) < 2.3


def test_the_datasheet_alone_is_a_third_off() -> None:
    chosen = sound(single)
    ideal = [
        1e3 * row.deployment.run(Work(1, 1, row.question.context)).ideal_s / row.ms - 1
        for row in chosen
    ]
    assert np.mean(np.abs(ideal)) > 4 * np.mean(np.abs(errors(chosen)))


def test_the_tool_computes_as_the_code_does() -> None:
    chosen = sound()[::7]
    ours = [predicted()[row.id][1] for row in chosen]
    theirs = fit_decode.predicted(fit_decode.sheet(chosen), {})
    assert theirs == pytest.approx(ours, rel=1e-9)


@pytest.mark.slow
def test_the_constants_are_those_the_tool_finds() -> None:
    present = fit_decode.now()
    for name, value in fit_decode.fitted(sound()).items():
        assert present[name] == pytest.approx(value, rel=0.1), name


LEFT_OUT: list[tuple[str, Callable[[Row], str], float]] = [
    ("model", lambda row: row.model, 0.10),
    ("device", lambda row: row.device, 0.20),
    ("engine", lambda row: row.engine, 0.20),
    ("source", lambda row: row.source, 0.20),
]


@pytest.mark.slow
@pytest.mark.parametrize(("what", "key", "most"), LEFT_OUT, ids=lambda x: str(x)[:6])
def test_left_out(what: str, key: Callable[[Row], str], most: float) -> None:
    parts = [ratio for _, ratio in fit_decode.left_out(sound(single), key)]
    off = np.concatenate(parts) - 1
    assert np.mean(np.abs(off)) < most, what


CASES: list[tuple[tuple[str, str], dict[str, Any], float, float]] = [
    (("llama2-7b", "a100"), {"context": 1024}, 6.75, 10.3),
    (("llama2-7b", "a100"), {"context": 1024, "batch": 32}, 15.05, 20.9),
    (("70b", "a100"), {"gpus": 4}, 17.15, 27.1),
    (("8b", "h100"), {"context": 1024, "weights": "fp8"}, 2.44, 4.6),
    (("8b", "h100"), {"batch": 64, "weights": "fp8"}, 7.68, 11.2),
    (("8b", "h100"), {}, 4.56, 6.4),
    (("mixtral-8x7b", "h100"), {"gpus": 2, "batch": 16, "context": 1024}, 14.3, 17.6),
    (("llama2-7b", "4090"),
     {"context": 1024, "weights": "q4_0", "engine": "llama.cpp-2024"}, 4.2, 6.7),
    (("70b", "a100"), {"gpus": 1, "context": 1024}, 68.4, 92.6),
]  # fmt: skip
"""Ideal and expected milliseconds worked out by others before there was this code."""


@pytest.mark.parametrize(("asked", "options", "ideal", "expected"), CASES)
def test_cases_worked_by_others(
    asked: tuple[str, str], options: dict[str, Any], ideal: float, expected: float
) -> None:
    made = predict(*asked, **options)
    assert made.ideal_ms == pytest.approx(ideal, rel=0.03)
    assert made.step_ms == pytest.approx(expected, rel=0.12)
