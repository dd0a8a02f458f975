"""Names as nobody wrote them yet: each row is predicted, or skipped for a reason."""

import math
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specsim.roofline.validation import reading
from specsim.roofline.validation.compare import compared
from specsim.roofline.validation.reading import Row

SHIPPED = {
    name: [row for row in reading.shipped() if row.format == name]
    for name in ("decode", "serving", "speculation")
}
NAMES = {
    "decode": ("model", "device", "weight_format", "engine"),
    "serving": ("model_path", "system", "precision", "backend"),
    "speculation": ("target", "device", "method", "engine"),
}
PREFIXES = "", "acme/", "TheBloke/", "NVIDIA ", "https://hub/x/", "the ", "\u00e9"
SUFFIXES = (
    "", "-Instruct", "-chat-hf", "-FP8", "-AWQ", "-GPTQ-Int4", " (preview)", "-2507",
    ":latest", "-v2", "  ", "-SXM", " 24-core", " x2", "?",
)  # fmt: skip


def recased(draw: st.DrawFn, name: str) -> str:
    """The same name in other letters, separators and company."""
    cases: list[Callable[[str], str]] = [str.lower, str.upper, str.title, str]
    case = draw(st.sampled_from(cases))
    old, new = draw(st.sampled_from([("-", "_"), (" ", "-"), ("-", " "), ("_", "")]))
    ends = draw(st.sampled_from(PREFIXES)), draw(st.sampled_from(SUFFIXES))
    return ends[0] + case(name).replace(old, new) + ends[1]


@st.composite
def perturbed(draw: st.DrawFn, name: str) -> Row:
    row = draw(st.sampled_from(SHIPPED[name]))
    column = draw(st.sampled_from(NAMES[name]))
    asked = dict(row.asked)
    asked[column] = recased(draw, asked.get(column, ""))
    return Row(row.format, row.id, asked, row.measured)


def accounted(rows: list[Row]) -> None:
    """Nothing is lost, and every prediction is a positive interval."""
    outcomes, skipped = compared(rows)
    assert len({each.id for each in outcomes} | {each.id for each in skipped}) == len(
        {row.id for row in rows}
    )
    assert all(each.reason for each in skipped)
    for each in outcomes:
        assert 0 < each.low <= each.predicted <= each.high
        assert math.isfinite(each.high)


@pytest.mark.parametrize("name", NAMES)
def test_perturbed_names(name: str) -> None:
    @settings(max_examples=150)
    @given(perturbed(name))
    def check(row: Row) -> None:
        accounted([row])

    check()


@pytest.mark.parametrize("name", NAMES)
def test_any_text_in_any_cell(name: str) -> None:
    cells = st.sampled_from(sorted(SHIPPED[name][0].asked))
    words = st.one_of(
        st.text(max_size=30), st.sampled_from(["-1", "1e308", "0", "nan"])
    )

    @settings(max_examples=150)
    @given(st.sampled_from(SHIPPED[name]), st.dictionaries(cells, words, max_size=4))
    def check(row: Row, changed: dict[str, str]) -> None:
        accounted([Row(row.format, row.id, {**row.asked, **changed}, row.measured)])

    check()


STRANGE = {
    "model": ["Acme-9B", "Acme 30B-A3B", "zoo/Lion-8x7B-Chat", "Unseen-70B-FP8"],
    "device": ["Acme X1", "Intel Arc Z9", "4x Unseen 80GB", "RTX 9090"],
}


def other(row: Row, column: str, cell: str) -> Row:
    return Row(row.format, row.id, {**row.asked, column: cell}, row.measured)


def test_nine_in_ten_decode_rows_survive_unknown_models_and_devices() -> None:
    columns = [("model", "device")[at % 2] for at in range(len(SHIPPED["decode"]))]
    rows = [
        other(row, column, STRANGE[column][at // 2 % 4])
        for at, (row, column) in enumerate(zip(SHIPPED["decode"], columns, strict=True))
    ]
    outcomes, skipped = compared(rows)
    assert len(outcomes) >= 0.9 * len(rows), skipped[:3]


def test_nine_in_ten_serving_rows_survive_unknown_models() -> None:
    strange = STRANGE["model"] * 50
    held = zip(SHIPPED["serving"], strange, strict=False)
    rows = [other(row, "model_path", name) for row, name in held]
    outcomes, _ = compared(rows)
    assert len({each.id for each in outcomes}) >= 0.9 * len({row.id for row in rows})
