"""The pair in every engine's form holds the same weights, whoever converted it."""

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reference.model.transformer import Transformer
from specsim import pretrained
from specsim.__main__ import main
from specsim.errors import Bad
from specsim.oracle.probe import converted, gguf, pair
from specsim.oracle.probe.export import FORMATS, PAIR, export

NAMES = sorted(PAIR)


@pytest.mark.parametrize("name", NAMES)
def test_hugging_face(name: str, tmp_path: Path) -> None:
    read = pretrained.load(export("hf", tmp_path)[name])
    assert read.config == pair.config()
    for key, array in PAIR[name]().arrays.items():
        np.testing.assert_array_equal(read.arrays[key], array)


@pytest.mark.torch
@pytest.mark.engine
@pytest.mark.parametrize("name", NAMES)
def test_transformers_computes_the_same(name: str, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    folder = export("hf", tmp_path)[name]
    model = transformers.AutoModelForCausalLM.from_pretrained(
        folder, dtype=torch.float32
    )
    text = [3, 4, 5, 6, 3, 4, 15]
    with torch.no_grad():
        theirs = model(torch.tensor([text])).logits[0].numpy()
    config, arrays = pretrained.load(folder)
    ours = Transformer(config, {k: v.astype(float) for k, v in arrays.items()})
    logits, _ = ours.extend(text, range(-1, len(text) - 1))
    np.testing.assert_allclose(theirs, logits[1:], atol=2e-5)
    words = transformers.AutoTokenizer.from_pretrained(folder)
    assert words("a b m </s>").input_ids == [3, 4, 15, 2]
    assert words.decode([3, 4]) == "a b"


class Reader:
    """As much of GGUF as was written, read back."""

    def __init__(self, content: bytes):
        self.content, self.at = content, 0

    def take(self, form: str) -> Any:
        value, *_ = struct.unpack_from(f"<{form}", self.content, self.at)
        self.at += struct.calcsize(f"<{form}")
        return value

    def text(self) -> str:
        size = self.take("Q")
        self.at += size
        return self.content[self.at - size : self.at].decode()

    def value(self, kind: int) -> Any:
        if kind == gguf.STRING:
            return self.text()
        if kind == gguf.ARRAY:
            inner, count = self.take("I"), self.take("Q")
            return [self.value(inner) for _ in range(count)]
        forms = {gguf.UINT32: "I", gguf.INT32: "i", gguf.FLOAT32: "f", gguf.BOOL: "?"}
        return self.take(forms[kind])

    def read(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        assert (self.take("4s"), self.take("I")) == (b"GGUF", 3)
        tensors, count = self.take("Q"), self.take("Q")
        fields = {self.text(): self.value(self.take("I")) for _ in range(count)}
        places = {}
        for _ in range(tensors):
            name, rank = self.text(), self.take("I")
            shape = [self.take("Q") for _ in range(rank)][::-1]
            assert self.take("I") == gguf.F32
            places[name] = (shape, self.take("Q"))
        start = -(-self.at // 32) * 32
        return fields, {
            name: np.frombuffer(
                self.content, "<f4", int(np.prod(shape)), start + offset
            ).reshape(shape)
            for name, (shape, offset) in places.items()
        }


@pytest.mark.parametrize("name", NAMES)
def test_gguf(name: str, tmp_path: Path) -> None:
    content = export("gguf", tmp_path)[name].read_bytes()
    fields, tensors = Reader(content).read()
    arrays = PAIR[name]().arrays
    assert fields["general.architecture"] == "llama"
    assert fields["tokenizer.ggml.tokens"] == [*pair.WORDS]
    assert len(tensors) == len(arrays)
    first = "model.layers.1.self_attn"
    np.testing.assert_array_equal(
        tensors["blk.1.attn_v.weight"], arrays[f"{first}.v_proj.weight"]
    )
    query = arrays[f"{first}.q_proj.weight"].reshape(2, 2, 16, 64)
    turned = tensors["blk.1.attn_q.weight"].reshape(2, 16, 2, 64)
    np.testing.assert_array_equal(turned, query.transpose(0, 2, 1, 3))


def test_the_gguf_package_reads_it(tmp_path: Path) -> None:
    package = pytest.importorskip("gguf")
    reader = package.GGUFReader(export("gguf", tmp_path)["target"])
    found = {tensor.name: tensor.data for tensor in reader.tensors}
    head = pair.target().arrays["lm_head.weight"]
    np.testing.assert_array_equal(found["output.weight"], head)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("format", ["onnx", "openvino"])
def test_conversions_hold_every_matrix_and_nothing_else(
    format: str, name: str, tmp_path: Path
) -> None:
    file, places, _ = converted.layout(format)
    content = (export(format, tmp_path)[name] / file).read_bytes()
    arrays = PAIR[name]().arrays
    placed = [each for place in places for each in place.names]
    assert sorted(placed) == sorted(k for k, w in arrays.items() if w.ndim == 2)
    for place in places:
        size = sum(arrays[each].size for each in place.names)
        block = np.frombuffer(content[place.start : place.start + 4 * size], "<f4")
        width = arrays[place.names[0]].shape[1]
        rows = block.reshape(width, -1).T if place.transposed else block
        parts = np.split(rows.reshape(-1, width), len(place.names))
        for each, part in zip(place.names, parts, strict=True):
            np.testing.assert_array_equal(part, arrays[each])


def test_a_damaged_conversion_is_told(tmp_path: Path) -> None:
    other = pair.draft()
    with pytest.raises(Bad, match="damaged"):
        converted.write(other, "target", "onnx", tmp_path)


def test_onnx_runtime_has_a_folder_for_each_way_to_speculate(tmp_path: Path) -> None:
    made = export("onnx", tmp_path)
    described = {
        name: json.loads((path / "genai_config.json").read_text())
        for name, path in made.items()
    }
    assert "speculative" not in described["target"]
    assert described["ngram"]["speculative"]["ngram_size"] == 2
    speculating = described["draft-model"]
    assert speculating["speculative"] == {"max_draft_tokens": 3}
    draft = made["draft-model"] / speculating["model"]["draft"]["filename"]
    assert draft.read_bytes() == (made["draft"] / "model.onnx").read_bytes()
    constants = "model.onnx.data"
    assert (draft.parent / constants).read_bytes() == (
        made["draft"] / constants
    ).read_bytes()


def test_exporting_again_gives_the_same_bytes(tmp_path: Path) -> None:
    for format in FORMATS:
        once, again = tmp_path / format, tmp_path / f"{format}-again"
        assert export(format, once).keys() == export(format, again).keys()
        first = [each.read_bytes() for each in files(once)]
        assert [each.read_bytes() for each in files(again)] == first


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["probe", "export", "--format", "gguf", str(tmp_path / "new")]) == 0
    assert "target" in capsys.readouterr().out
    asked = ["probe", "export", "--json", "-", "--format", "hf", str(tmp_path)]
    with pytest.raises(SystemExit):
        main(asked)  # --json belongs before the step
    assert main(["probe", "--json", "-", *asked[1:2], *asked[4:]]) == 0
    said = json.loads(capsys.readouterr().out)
    assert Path(said["draft"]).is_dir()


@pytest.mark.parametrize(
    ("format", "folder", "said"),
    [("exl2", "x", "choose from hf, gguf, onnx, openvino"), ("hf", "file/x", "file")],
)
def test_what_cannot_be_written_is_told(
    format: str, folder: str, said: str, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Bad, match=said):
        export(format, tmp_path / folder)


@pytest.mark.parametrize(("format", "there"), [("hf", "draft"), ("gguf", "draft.gguf")])
def test_nothing_is_overwritten(format: str, there: str, tmp_path: Path) -> None:
    (tmp_path / there).write_text("mine")
    with pytest.raises(Bad, match=f"{there} is in the way; nothing is overwritten"):
        export(format, tmp_path)
    assert [*tmp_path.iterdir()] == [tmp_path / there]
    assert (tmp_path / there).read_text() == "mine"
