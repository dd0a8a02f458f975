"""The tables are whole, and what is computed from a shape equals what is published."""

from dataclasses import fields

import pytest

from specsim.errors import Bad
from specsim.roofline import catalog, shapes
from specsim.roofline.catalog import Gpu, Model

UNMODELLED = {
    "opt-350m",
    "DeepSeek-V4-Flash",
    "NVIDIA-Nemotron-3-Nano-30B-A3B-BF16",
}


def test_every_row_has_a_source_and_possible_rates() -> None:
    assert len(catalog.gpus()) > 100
    assert len(catalog.models()) > 100
    for gpu in catalog.gpus():
        assert gpu.source
        assert 10 < gpu.mem_bw_gbs <= 10_000
        assert 8 <= gpu.mem_gb <= 2_000
    for model in catalog.models():
        assert model.source
        assert 0 < model.params_active <= model.params_total
        assert model.heads % model.kv_heads == 0


@pytest.mark.parametrize("rows", [catalog.gpus(), catalog.models()], ids=["g", "m"])
def test_no_two_rows_share_a_name(rows: tuple[Gpu | Model, ...]) -> None:
    names = [{name.lower() for name in row.names} for row in rows]
    assert sum(map(len, names)) == len(set().union(*names))


@pytest.mark.parametrize("model", catalog.models(), ids=lambda m: m.name)
def test_matrices_are_nearly_all_of_the_published_total(model: Model) -> None:
    if model.name in UNMODELLED:
        with pytest.raises(Bad, match="not modelled"):
            shapes.remainder(model)
    elif model.attention in shapes.PLAIN:
        assert 0 <= shapes.remainder(model) < 0.014 * model.params_total
        cache = shapes.kv_values(model) * 2 * model.layers
        assert cache == model.kv_bytes_per_token_fp16


def test_dense_llamas_to_the_last_parameter() -> None:
    llamas = [m for m in catalog.models() if m.family.startswith("Llama")]
    dense = [m for m in llamas if not m.moe_experts]
    assert len(dense) > 10
    for model in dense:
        norms = (2 * model.layers + 1) * model.hidden
        assert shapes.counted(model) + norms == model.params_total


@pytest.mark.parametrize(
    ("name", "windowed"),
    [
        ("Mistral-7B-v0.1", 32),
        ("gemma-2-9b", 21),
        ("gemma-3-27b-it", 52),
        ("Llama-4-Scout-17B-16E", 36),
        ("gpt-oss-120b", 18),
        ("Llama-3.1-8B", 0),
    ],
)
def test_windowed_layers(name: str, windowed: int) -> None:
    model = next(m for m in catalog.models() if m.name == name)
    assert shapes.windowed_layers(model) == windowed


def header() -> list[str]:
    return [field.name for field in fields(Gpu)]


def test_an_unknown_or_missing_column_is_an_error() -> None:
    with pytest.raises(Bad, match="wrong columns: tops"):
        catalog.read(Gpu, [",".join([*header(), "tops"])], "x.csv")
    with pytest.raises(Bad, match="wrong columns: vendor"):
        catalog.read(Gpu, [",".join(set(header()) - {"vendor"})], "x.csv")
    with pytest.raises(Bad, match="their order"):
        catalog.read(Gpu, [",".join(reversed(header()))], "x.csv")


@pytest.mark.parametrize(
    ("column", "cell", "said"),
    [("mem_gb", "many", "many"), ("source", "", "empty"), ("year", "", "int")],
)
def test_a_bad_cell_is_an_error_with_its_line(
    column: str, cell: str, said: str
) -> None:
    first = catalog.gpus()[0]
    row = [str(getattr(first, name) or "") for name in header()]
    row[header().index("aliases")] = ""
    row[header().index(column)] = cell
    with pytest.raises(Bad, match=f"x.csv, line 2: .*{said}"):
        catalog.read(Gpu, [",".join(header()), ",".join(row)], "x.csv")
