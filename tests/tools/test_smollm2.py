"""A model out of a GGUF file, prompts for it, and what it writes after them."""

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from specsim import pretrained, seam, trained
from specsim.generation import words
from tests.gpu.cases import torch
from tests.training.tiny import target

KINDS = {"control": 3, "text": 1}
WORDS = ["<|end|>", "a", "b", "ab", "1", "2", "Ġ"]


def test_rotated_pairs_become_halves() -> None:
    pytest.importorskip("gguf")
    from tools.smollm2.convert import unpaired

    rows = np.arange(8, dtype=np.float32)[:, None] * np.ones(3, np.float32)
    assert unpaired(rows, 4)[:, 1].tolist() == [0, 2, 1, 3, 4, 6, 5, 7]


def written_gguf(path: Path) -> dict[str, Any]:
    """A tiny model of one layer; its tensors by the names of the file."""
    gguf = pytest.importorskip("gguf")
    made = gguf.GGUFWriter(path, "llama")
    made.add_vocab_size(len(WORDS))
    made.add_embedding_length(32)
    made.add_feed_forward_length(64)
    made.add_block_count(1)
    made.add_head_count(2)
    made.add_head_count_kv(1)
    made.add_rope_dimension_count(16)
    made.add_context_length(64)
    made.add_layer_norm_rms_eps(1e-5)
    made.add_rope_freq_base(1e4)
    made.add_bos_token_id(0)
    made.add_eos_token_id(0)
    made.add_token_list(WORDS)
    made.add_token_merges(["a b"])
    made.add_token_types([3, *[1] * (len(WORDS) - 1)])
    shapes = {
        "token_embd.weight": (len(WORDS), 32),
        "output_norm.weight": (32,),
        "blk.0.attn_norm.weight": (32,),
        "blk.0.ffn_norm.weight": (32,),
        "blk.0.attn_q.weight": (32, 32),
        "blk.0.attn_k.weight": (16, 32),
        "blk.0.attn_v.weight": (16, 32),
        "blk.0.attn_output.weight": (32, 32),
        "blk.0.ffn_gate.weight": (64, 32),
        "blk.0.ffn_up.weight": (64, 32),
        "blk.0.ffn_down.weight": (32, 64),
    }
    chance = np.random.default_rng(1)
    arrays = {
        name: chance.standard_normal(shape).astype(np.float32)
        for name, shape in shapes.items()
    }
    for name, array in arrays.items():
        made.add_tensor(name, array)
    made.write_header_to_file()
    made.write_kv_data_to_file()
    made.write_tensors_to_file()
    made.close()
    return arrays


def test_a_gguf_file_becomes_a_folder(tmp_path: Path) -> None:
    stored = written_gguf(tmp_path / "x.gguf")
    pytest.importorskip("tokenizers")
    from tools.smollm2.convert import convert, unpaired

    convert(tmp_path / "x.gguf", tmp_path)
    config, arrays = pretrained.load(tmp_path)
    assert (config.vocab, config.heads, config.kv_heads, config.head_dim) == (
        7,
        2,
        1,
        16,
    )
    assert (config.eps, config.theta, config.tied) == (1e-5, 1e4, True)
    same = {
        "model.embed_tokens.weight": "token_embd.weight",
        "model.norm.weight": "output_norm.weight",
        "model.layers.0.mlp.gate_proj.weight": "blk.0.ffn_gate.weight",
        "model.layers.0.self_attn.v_proj.weight": "blk.0.attn_v.weight",
        "model.layers.0.post_attention_layernorm.weight": "blk.0.ffn_norm.weight",
    }
    for ours, theirs in same.items():
        np.testing.assert_array_equal(arrays[ours], stored[theirs])
    for x in "qk":
        expected = unpaired(stored[f"blk.0.attn_{x}.weight"], 16)
        found = arrays[f"model.layers.0.self_attn.{x}_proj.weight"]
        np.testing.assert_array_equal(found, expected)
        assert (found != stored[f"blk.0.attn_{x}.weight"]).any()
    assert json.loads((tmp_path / "config.json").read_text())["eos_token_id"] == 0
    spoken = words.of(tmp_path)
    assert spoken.encode("ab12 b") == [3, 4, 5, 6, 2]
    assert spoken.encode("<|end|>a") == [0, 1]
    assert spoken.text([3, 0, 6, 4]) == "ab 1"


def test_prompts_are_a_function_of_their_seed(tmp_path: Path) -> None:
    from tools.smollm2.prompts import LONGEST, prompts
    from tools.smollm2.subjects import EDITS, SUBJECTS

    lines = [f"line {n} of the file\n" for n in range(60)]
    (tmp_path / "a.py").write_text("".join(lines))

    def made(seed: int) -> list[list[int]]:
        encode = lambda text: [*text.encode()]  # noqa: E731
        return [*islice(prompts([tmp_path / "a.py"], encode, seed), 12)]

    assert made(1) == made(1) != made(2)
    texts = [bytes(prompt).decode() for prompt in made(1)]
    plain = [text for text in texts if "<|im_start|>" not in text]
    assert all(len(text) <= LONGEST for text in plain)
    assert all(text[:20] in "".join(lines) for text in plain)
    asked = [text for text in texts if text not in plain]
    for text in asked:
        assert text.endswith("<|im_end|>\n<|im_start|>assistant\n")
        assert any(subject in text for subject in SUBJECTS) or any(
            edit in text for edit in EDITS
        )
    assert len(plain) >= 4
    assert len(asked) >= 4


def test_the_library_is_read_in_pages(tmp_path: Path) -> None:
    from tools.smollm2.prompts import PAGE, library

    files = [tmp_path / f"{n}.py" for n in range(3)]
    for file in files:
        file.write_text(file.stem * (PAGE + 1))

    def read(seed: int, count: int) -> str:
        found = library(files, lambda text: [*text.encode()], seed, count)
        return bytes(found).decode()

    assert len(read(1, PAGE + 1)) == 2 * PAGE
    assert len(read(1, 9 * PAGE)) == 3 * PAGE
    assert read(1, 9 * PAGE)[::PAGE] == read(1, 9 * PAGE)[PAGE - 1 :: PAGE]
    assert len({read(seed, 9 * PAGE) for seed in range(9)}) > 1


@pytest.fixture
def writing(monkeypatch: pytest.MonkeyPatch) -> Any:
    pytest.importorskip("torch")
    from tools.smollm2 import writing

    monkeypatch.setattr(writing, "BATCH", 4)
    monkeypatch.setattr(writing, "NEW", 9)
    return writing


def given() -> Iterator[list[int]]:
    """Prompts of all lengths, without end."""
    n = 0
    while True:
        n += 1
        yield [(7 * n + i) % 256 for i in range(1 + n % 5)]


@pytest.mark.torch
def test_every_second_text_is_greedy_and_read_as_it_was_written(
    tmp_path: Path, writing: Any
) -> None:
    from specsim.training.base import Base

    whom = pretrained.load(target(tmp_path))
    texts = [*writing.written(whom, given(), -1, 80, 5)]
    assert sum(len(own.tokens) for own in texts) >= 80
    base = Base(whom, "cpu")
    for n, (own, prompt) in enumerate(zip(texts, given(), strict=False)):
        assert own.tokens[: len(prompt)].tolist() == prompt
        assert len(own.tokens) == len(prompt) + 9
        hidden = base.hidden(own.tokens[None])[0]
        torch.testing.assert_close(own.hidden.float(), hidden, rtol=0.1, atol=0.1)
        logits = base.logits(hidden)[len(prompt) - 1 : -1]
        chosen = logits.gather(1, own.tokens[len(prompt) :, None])[:, 0]
        likeliest = (chosen > logits.max(-1).values - 0.1).all()
        assert likeliest == (n % 2 == 0)
    again = [*writing.written(whom, given(), -1, 80, 5)]
    assert all(
        torch.equal(a.tokens, b.tokens) for a, b in zip(texts, again, strict=True)
    )


@pytest.mark.torch
def test_a_text_ends_with_its_end(tmp_path: Path, writing: Any) -> None:
    whom = pretrained.load(target(tmp_path))
    endless = [*writing.written(whom, given(), -1, 1, 5)]
    end = int(endless[0].tokens[-4])
    (first, *_) = writing.written(whom, given(), end, 1, 5)
    assert first.tokens[-1] == end
    assert end not in first.tokens[2:-1]
    assert len(first.hidden) == len(first.tokens) < len(endless[0].tokens)


@pytest.mark.torch
def test_drafts_are_taught_and_not_taught_twice(
    tmp_path: Path, writing: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from specsim.training import shapes
    from tools.smollm2 import heads

    file = target(tmp_path)
    described = shapes.described(pretrained.load(file).config) | {"eos_token_id": 0}
    (tmp_path / "config.json").write_text(json.dumps(described))
    file.rename(tmp_path / "model.safetensors")
    small = {"OWN": 60, "OTHERS": 400, "LENGTH": 16}
    for name, value in small.items():
        monkeypatch.setattr(heads, name, value)
    monkeypatch.setitem(heads.COMMON, "vocabulary", 30)
    for options in heads.STAGES.values():
        monkeypatch.setitem(options, "steps", 2)
    first = [*heads.heads(tmp_path, tmp_path)]
    assert [report.kind for report in first] == ["eagle", "medusa"]
    model = seam.reference("model.transformer").Transformer
    network = model(*pretrained.load(tmp_path))
    assert len(trained.eagle(first[0].output, network).vocabulary.ids) == 30
    found, _ = trained.medusa(first[1].output, network.config)
    assert len(found.rows(np.zeros(24, np.float32))) == 3
    monkeypatch.delattr(seam.gpu("train.loop").Run, "go")
    again = [*heads.heads(tmp_path, tmp_path)]
    assert [one.losses for one in again] == [one.losses for one in first]


@pytest.mark.torch
def test_what_is_written_is_kept_and_taken_for_read(
    tmp_path: Path, writing: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from specsim.training.memory import Memory
    from tools.smollm2 import heads

    whom = pretrained.load(target(tmp_path))
    file = tmp_path / "own.safetensors"
    text = writing.kept(file, writing.written(whom, given(), -1, 40, 5))
    again = writing.kept(file, iter(()))
    assert torch.equal(text.tokens, again.tokens)
    assert torch.equal(text.hidden, again.hidden)
    monkeypatch.setattr(heads, "LENGTH", 8)
    memory = Memory()
    heads.remember(memory, text)
    windows = text.tokens.long().unfold(0, 9, 8)
    found = memory.hidden(lambda tokens: torch.zeros(0), windows)
    assert torch.equal(found[1], text.hidden[8:17].float())
