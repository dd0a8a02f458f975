"""Number formats: their bits from first principles, and what unpacking them costs."""

import pytest

from specsim.errors import Bad
from specsim.roofline import costs, deploy, names, precisions, predict
from specsim.roofline.catalog import Model
from specsim.roofline.engines import ENGINES
from specsim.roofline.formats import FORMATS, GGUF, MADE, Format
from specsim.roofline.operation import Numbers
from specsim.roofline.plan import Plan
from specsim.roofline.work import Work

BF16 = FORMATS["bf16"]

BLOCKS = {
    # bytes of a block and its weights, ggml-common.h
    "q2_k": (84, 256), "q3_k": (110, 256), "q4_k": (144, 256), "q5_k": (176, 256),
    "q6_k": (210, 256), "q4_0": (18, 32), "q4_1": (20, 32), "q5_0": (22, 32),
    "q5_1": (24, 32), "q8_0": (34, 32), "iq4_xs": (136, 256), "iq4_nl": (18, 32),
    "iq3_s": (110, 256), "iq3_xxs": (98, 256), "iq2_s": (82, 256), "iq2_xs": (74, 256),
    "iq2_xxs": (66, 256), "iq1_m": (56, 256), "iq1_s": (50, 256),
}  # fmt: skip


def bits(kind: str) -> float:
    size, weights = BLOCKS[kind]
    return 8 * size / weights


def mixed(model: Model, base: str, others: dict[str, str | float]) -> float:
    """Bits a weight of a layer whose parts have other kinds, or bits, than the base."""
    hidden, inner = model.hidden, model.intermediate or 0
    queries, keys = (n * model.head_dim for n in (model.heads, model.kv_heads))
    parts = {
        "q": hidden * queries, "k": hidden * keys, "v": hidden * keys,
        "o": queries * hidden, "gate_up": 2 * hidden * inner, "down": inner * hidden,
    }  # fmt: skip
    total = 0.0
    for name, size in parts.items():
        other = others.get(name, base)
        total += size * (bits(other) if isinstance(other, str) else other)
    return total / sum(parts.values())


def half(one: str, other: str) -> float:
    return (bits(one) + bits(other)) / 2


MIXTURES: dict[str, tuple[str, dict[str, str | float]]] = {
    # llama-quant.cpp, of a model whose keys are shared by four heads
    "q2_k": ("q2_k", {"v": "q4_k", "o": "q3_k", "down": "q3_k"}),
    "q3_k_m": ("q3_k", {"v": "q4_k", "o": "q4_k", "down": "q4_k"}),
    "q3_k_l": ("q3_k", {"v": "q5_k", "o": "q5_k", "down": "q5_k"}),
    "q4_k_m": ("q4_k", {"v": half("q4_k", "q6_k"), "down": half("q4_k", "q6_k")}),
    "q5_k_m": ("q5_k", {"v": half("q5_k", "q6_k"), "down": half("q5_k", "q6_k")}),
    "q3_k_s": ("q3_k", {}),
    "q5_k_s": ("q5_k", {}),
}


@pytest.mark.parametrize("kind", [row.name for row in GGUF])
def test_bits_of_llama_cpp_from_its_blocks(kind: str) -> None:
    model = names.model("llama3-8b")
    if kind == "q4_k_s":  # the first eighth of v and down in Q5_K
        eighth = (7 * bits("q4_k") + bits("q5_k")) / 8
        due = mixed(model, "q4_k", {"v": eighth, "down": eighth})
    else:
        base, others = MIXTURES.get(kind, (kind, {}))
        due = mixed(model, base, others)
    assert FORMATS[kind].bytes * 8 == pytest.approx(due, rel=0.01)


@pytest.mark.parametrize(
    ("model", "kind", "size_gb"),
    [
        ("llama3-8b", "q4_k_m", 4.92),
        ("llama3-8b", "q8_0", 8.54),
        ("llama3-8b", "q6_k", 6.60),
        ("llama3-8b", "q5_k_m", 5.73),
        ("llama3-70b", "q4_k_m", 42.52),
        ("llama2-7b", "q4_0", 3.83),
        ("llama2-70b", "q4_0", 38.87),
    ],
)
def test_files_are_as_large_as_published(model: str, kind: str, size_gb: float) -> None:
    form = FORMATS[kind]
    held = costs.weight_bytes(names.model(model), Numbers(form, form, BF16))
    assert held / 1e9 == pytest.approx(size_gb, rel=0.03)


@pytest.mark.parametrize(
    ("words", "given", "name", "bits"),
    [
        ("Q4_K_M", 4.9, "q4_k_m", 4.80),
        ("W4 Q4_0", 4.5, "q4_0", 4.5),
        ("AWQ-4b g128 (GEMM)", 4.25, "int4", 4.25),
        ("GPTQ-Int8", 8.15, "int8", 8.15),
        ("EXL2 3.5bpw", None, "exl2", 3.5),
        ("q4f16_1 g32", None, "int4wo", 4.5),
        ("int4 g32", 5.0, "int4wo", 5.0),
        ("nf4-dq", None, "nf4", 4.12),
        ("uintx-4-64", None, "uintx", 4.5),
        ("int8dq", None, "int8dq", 8),
        ("HQQ", None, "int4", 4.25),
        ("W2 T-MAC", 2.1, "int2", 2.1),
        ("bfloat16", 17.2, "bf16", 16),
        ("", 4.25, "int4", 4.25),
    ],
)
def test_words_and_bits(
    words: str, given: float | None, name: str, bits: float
) -> None:
    form = precisions.form(words, given)
    assert form is not None
    assert form.name == name
    assert form.bytes * 8 == pytest.approx(bits)


def test_every_row_is_its_own_word() -> None:
    for name, row in FORMATS.items():
        assert precisions.form(name) is row


@pytest.mark.parametrize("words", ["q9", "banana", "int5", "", "8b", "1"])
def test_unknown_words_are_refused_with_what_is_understood(words: str) -> None:
    assert precisions.form(words) is None
    if words:
        said = r"choose from fp32, bf16.*q4_k_m.*AWQ, GPTQ-Int8, 4.0bpw"
        with pytest.raises(Bad, match=f"weights '{words}': {said}"):
            predict("8b", "h100", weights=words)


@pytest.mark.parametrize("form", [*MADE, *GGUF], ids=lambda row: row.name)
def test_rows_are_possible(form: Format) -> None:
    assert 0.15 < form.bytes <= 4
    assert form.unpack >= 0
    assert form.spread.low <= 1 <= form.spread.high
    assert (form.unpack > 0) == (form.bytes <= 1.1 and form.peak is None)
    assert form.source


def ends(weights: str) -> tuple[Format, Format]:
    """Formats of a layer's product and of the head."""
    made = deploy("llama3-8b", "4090", gpus=1, weights=weights)
    ops = {op.name: op for op in costs.ops(made.model, [Work()], Plan(), made.numbers)}
    return ops["gate_up"].format, ops["head"].format


def test_heads_are_quantised_by_the_formats_that_do() -> None:
    for name, head_bits in (
        ("q4_k_m", 6.5625),
        ("q8_0", 8.5),
        ("exl2", 6),
        ("int8wo", 8),
    ):
        assert ends(name)[1].bytes * 8 == head_bits
    for name in ("int4", "int8", "fp8", "nf4"):
        assert ends(name)[1].name == "bf16"


def step_ms(weights: str, gpu: str, engine: str = "ideal") -> float:
    return predict("llama2-7b", gpu, weights=weights, engine=engine, context=1).step_ms


def test_unpacking_binds_where_arithmetic_is_scarce() -> None:
    """Of 4 bits the time over that of their bytes, against bf16 on the same GPU."""
    for gpu, least, most in (("a100", 1.25, 1.7), ("4090", 1.0, 1.2)):
        ratio = step_ms("q4_k_m", gpu) / step_ms("bf16", gpu)
        share = 4.85 / 16
        assert least * share < ratio < most * share + 0.12


def test_fewer_bits_are_not_always_faster() -> None:
    """Q3_K costs thrice the instructions of Q4_K: on P40 it is slower, as measured."""
    assert step_ms("q3_k_s", "p40", "llama.cpp-2024") > step_ms(
        "q4_k_s", "p40", "llama.cpp-2024"
    )
    assert step_ms("int8dq", "a100", "gpt-fast") > 5 * step_ms("bf16", "a100")


def test_unpacking_is_of_each_weight_once() -> None:
    made = deploy("llama2-7b", "a100", gpus=1, weights="int4")
    one, many = (made.run(Work(batch)).timed for batch in (1, 16))
    spent = [sum(t.op.count * t.unpacking for t in each) for each in (one, many)]
    assert spent[0] == spent[1] > 0
    weights = 32 * (4 * 4096**2 + 3 * 4096 * 11008)
    rate = 19.5e12
    due = weights * FORMATS["int4"].unpack * ENGINES["typical"].unpack / rate
    assert spent[0] == pytest.approx(due)


def test_a_row_of_its_own_for_every_kind_of_file() -> None:
    assert len({row.name for row in (*MADE, *GGUF)}) == len(FORMATS)
    assert {"q2_k", "q3_k_m", "q4_0", "q4_k_m", "q5_k_m", "q6_k", "q8_0"} <= set(
        FORMATS
    )
