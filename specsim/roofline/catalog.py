"""The two tables, data/gpus.csv and data/models.csv, as frozen rows.

A field is a column of the same name; empty cells are None. Numbers carry their unit in
the name of the column, and each row its source.
"""

import csv
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar

from specsim.errors import Bad


@dataclass(frozen=True)
class Gpu:
    """One accelerator: dense rates (no sparsity), decimal units, memory in GiB."""

    name: str
    aliases: tuple[str, ...]
    vendor: str
    arch: str
    year: int
    mem_gb: float
    mem_type: str
    mem_bw_gbs: float
    fp32_tflops: float | None
    tf32_tflops: float | None
    fp16_tflops: float | None
    bf16_tflops: float | None
    fp8_tflops: float | None
    int8_tops: float | None
    fp4_tflops: float | None
    int4_tops: float | None
    fp16_fp32acc_tflops: float | None
    l2_mb: float | None
    llc_mb: float | None
    interconnect: str
    ic_total_gbs: float | None
    ic_per_dir_gbs: float | None
    pcie: str | None
    pcie_per_dir_gbs: float | None
    tdp_w: float | None
    confidence: str
    source: str
    notes: str | None
    xcheck: str | None

    @property
    def names(self) -> tuple[str, ...]:
        """Everything it is called."""
        return self.name, *self.aliases

    @property
    def about(self) -> tuple[str, ...]:
        """Words that may narrow a search."""
        return self.mem_type, self.arch, self.interconnect


@dataclass(frozen=True)
class Model:
    """One decoder-only language model: its shape, and parameters counted exactly.

    params_total counts every parameter of the language model, the input embedding and,
    where it is not tied to it, the head; draft (MTP) layers and vision are left out.
    """

    hf_id: str
    aliases: tuple[str, ...]
    family: str
    params_total: int
    params_active: int
    params_note: str | None
    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    intermediate: int | None
    mlp_matrices: int
    vocab: int
    tied_embeddings: bool
    attention: str
    mla_kv_lora_rank: int | None
    mla_q_lora_rank: int | None
    mla_qk_nope: int | None
    mla_qk_rope: int | None
    mla_v_dim: int | None
    sliding_window: int | None
    window_pattern: str | None
    linear_attn_layers: int | None
    moe_experts: int | None
    moe_topk: int | None
    moe_shared: int | None
    moe_intermediate: int | None
    moe_shared_intermediate: int | None
    moe_first_dense: int | None
    moe_layer_step: int | None
    max_context: int | None
    native_dtype: str
    kv_bytes_per_token_fp16: int | None
    params_check: str | None
    source: str
    notes: str | None

    @property
    def name(self) -> str:
        """Its name without its owner's."""
        return self.hf_id.rpartition("/")[2]

    @property
    def names(self) -> tuple[str, ...]:
        """Everything it is called."""
        return self.hf_id, self.name, *self.aliases

    @property
    def about(self) -> tuple[str, ...]:
        """Words that may narrow a search."""
        return (self.family,)


def _filled(cell: str) -> str:
    if not cell:
        raise ValueError("an empty cell where one is needed")
    return cell


def _truth(cell: str) -> bool:
    if cell not in ("True", "False"):
        raise ValueError(f"{cell!r} is neither True nor False")
    return cell == "True"


_CELLS: dict[Any, Callable[[str], Any]] = {
    bool: _truth,
    int: int,
    float: float,
    str: _filled,
    tuple[str, ...]: lambda cell: tuple(cell.split(";")) if cell else (),
    int | None: lambda cell: int(cell) if cell else None,
    float | None: lambda cell: float(cell) if cell else None,
    str | None: lambda cell: cell or None,
}

Row = TypeVar("Row", Gpu, Model)


def read(kind: type[Row], lines: Iterable[str], file: str) -> list[Row]:
    """The rows of a CSV whose header names exactly the fields of `kind`, in order."""
    table = csv.reader(lines)
    names = [field.name for field in fields(kind)]
    if (header := next(table, [])) != names:
        wrong = sorted(set(header) ^ set(names)) or ["their order"]
        raise Bad(f"{file}: wrong columns: {', '.join(wrong)}")
    cells = [_CELLS[field.type] for field in fields(kind)]
    rows = []
    for number, row in enumerate(table, 2):
        try:
            values = [value(cell) for value, cell in zip(cells, row, strict=True)]
        except ValueError as error:
            raise Bad(f"{file}, line {number}: {error}") from None
        rows.append(kind(*values))
    return rows


def _table(kind: type[Row], file: str) -> tuple[Row, ...]:
    with (files("specsim") / "data" / file).open(encoding="utf-8") as lines:
        return tuple(read(kind, lines, file))


@cache
def gpus() -> tuple[Gpu, ...]:
    """Every row of gpus.csv, in order."""
    return _table(Gpu, "gpus.csv")


@cache
def models() -> tuple[Model, ...]:
    """Every row of models.csv, in order."""
    return _table(Model, "models.csv")
