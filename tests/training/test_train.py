"""Every kind is trained, resumed after a kill, and refused where it cannot be."""

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from specsim import pretrained, seam, tokens, trained, weights
from specsim.errors import Bad
from specsim.training import KINDS, Options, Report, checkpoint, train
from specsim.training.options import DIVERGENCES
from tests.gpu.cases import torch
from tests.training.tiny import QUICK, SHAPE, TEXT, arrays, target, text

pytestmark = pytest.mark.torch
DRAFT = {"kind": "draft", "shape": SHAPE}
ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def one_thread() -> Any:
    """Bit for bit holds on one."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def trained_on(folder: Path, name: str = "made", **how: Any) -> Report:
    """A short run in the folder, of whose texts there is one."""
    asked = QUICK | {"kind": "draft", "target": target(folder)} | how
    kind = asked.pop("kind")
    if kind == "draft" and "start" not in asked:
        asked["shape"] = SHAPE
    output = folder / f"{name}.safetensors"
    return train(kind, data=[text(folder)], output=output, **asked)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_learns(tmp_path: Path, kind: str) -> None:
    made = trained_on(tmp_path, kind=kind, steps=60, rate=1e-2)
    assert made.loss_after < made.loss_before
    assert (made.kind, made.steps, made.tokens) == (kind, 60, 60 * 2 * 16)
    assert len(made.losses) == 20
    found = arrays(Path(made.output))
    assert sum(array.size for array in found.values()) == made.parameters
    assert made.as_dict()["loss_after"] == made.loss_after
    for said in (kind, f"{made.loss_after:.3f}", made.output):
        assert said in made.text()
    assert [file.name for file in tmp_path.glob("*.part")] == []
    assert not checkpoint.beside(Path(made.output)).exists()


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_is_a_function_of_its_seed(tmp_path: Path, kind: str) -> None:
    one, two, other = (
        arrays(Path(trained_on(tmp_path, f"made{i}", kind=kind, seed=seed).output))
        for i, seed in enumerate((3, 3, 4))
    )
    assert all(np.array_equal(one[name], two[name]) for name in one)
    assert any(not np.array_equal(one[name], other[name]) for name in one)


def test_files_are_those_that_drafters_are_made_of(tmp_path: Path) -> None:
    path = target(tmp_path)
    config, held = pretrained.load(path)
    model = seam.reference("model.transformer").Transformer(config, held)
    files = {
        kind: Path(trained_on(tmp_path, kind, kind=kind).output)
        for kind in KINDS
        if kind != "target"
    }
    assert pretrained.load(files["draft"]).config == config
    heads, tree = trained.medusa(files["medusa"], config, nodes=5)
    rates = json.loads(weights.read(files["medusa"]).metadata["rates"])
    assert tree == seam.reference("draft.medusa").likeliest(rates, 5)
    assert heads.rows(np.zeros(config.hidden, np.float32)).shape == (4, config.vocab)
    for made in (
        trained.eagle(files["eagle"], model),
        trained.mtp(files["mtp"], model),
    ):
        logits, _ = made.extend([1], [-1], np.zeros((1, config.hidden), np.float32))
        assert logits.shape == (1, config.vocab)


@pytest.mark.parametrize("kind", ["eagle", "medusa"])
def test_drafts_of_few_words_are_made_and_read_back(tmp_path: Path, kind: str) -> None:
    made = trained_on(tmp_path, kind=kind, vocabulary=9, steps=60, rate=1e-2)
    assert made.loss_after < made.loss_before
    counts = Counter(TEXT.encode()[: -2 * 16])
    common = sorted(counts, key=lambda token: (-counts[token], token))[:9]
    stored = weights.read(made.output).arrays
    found = stored["d2t"] + np.arange(9)
    assert sorted(common) == found.tolist()
    staged = staging(tmp_path, kind, made.output)
    assert staged.speculative().tokens == staged.plain(24).tokens


def staging(folder: Path, drafter: str, draft: str) -> Any:
    """The target with a draft that was made for it, at temperature 0."""
    from specsim.generation import scene

    return scene.stage(
        scene.pair(drafter, "greedy"),
        "line 7",
        target=target(folder),
        draft_model=draft,
        k=3,
        max_new_tokens=24,
    )


@pytest.mark.parametrize(
    ("kind", "d2t", "said"),
    [
        ("eagle", [0, 300], "d2t has word 1 at 301, not in"),
        ("eagle", [5, 2], "d2t has word 1 at 3, not above"),
        ("eagle", [0.5], "d2t is float64"),
        ("medusa", [0, 0], "is (9, 24), not (2, 24)"),
    ],
)
def test_a_vocabulary_that_is_none_is_refused(
    tmp_path: Path, kind: str, d2t: list[float], said: str
) -> None:
    path = Path(trained_on(tmp_path, kind=kind, vocabulary=9).output)
    stored = weights.read(path)
    weights.save(path, stored.arrays | {"d2t": np.array(d2t)}, stored.metadata)
    with pytest.raises(Bad) as caught:
        staging(tmp_path, kind, str(path))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", ["draft", "mtp", "target"])
def test_who_drafts_all_words_is_told_so(tmp_path: Path, kind: str) -> None:
    refused(tmp_path, "vocabulary", "eagle", kind=kind, vocabulary=9)


@pytest.mark.parametrize("kind", ["draft", "medusa", "eagle", "mtp"])
def test_a_target_that_reads_once_teaches_the_same(tmp_path: Path, kind: str) -> None:
    """Nearly: what it read is rounded, and the windows stay where they are."""
    how: dict[str, Any] = {"kind": kind, "steps": 60, "rate": 1e-2}
    once = trained_on(tmp_path, "once", remember=True, **how)
    always = trained_on(tmp_path, "always", **how)
    assert once.loss_before == pytest.approx(always.loss_before, rel=1e-3)
    assert once.loss_after == pytest.approx(always.loss_after, rel=0.2)
    assert once.losses != always.losses


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    config = pretrained.load(target(tmp_path)).config
    path = Path(trained_on(tmp_path, kind="eagle").output)
    with pytest.raises(Bad, match=r"made\.safetensors"):
        trained.medusa(path, config)
    stored = weights.read(trained_on(tmp_path, kind="medusa").output)
    weights.save(path, stored.arrays, {})
    with pytest.raises(Bad, match="lacks the heads' rates"):
        trained.medusa(path, config)


@pytest.mark.parametrize(
    "divergence", ["reverse-kl", "jsd", "total-variation", "acceptance"]
)
def test_a_draft_learns_by_any_divergence(tmp_path: Path, divergence: str) -> None:
    how: dict[str, Any] = {
        "divergence": divergence,
        "temperature": 0.8,
        "steps": 60,
        "rate": 1e-2,
    }
    made = trained_on(tmp_path, **how)
    assert made.loss_after < made.loss_before


def test_divergences_differ(tmp_path: Path) -> None:
    found = {trained_on(tmp_path, divergence=name).loss_before for name in DIVERGENCES}
    assert len(found) == len(DIVERGENCES)


def made_of(folder: Path, kind: str, **options: Any) -> Any:
    """What a kind makes of its task."""
    from specsim.training import kinds

    whom = pretrained.load(target(folder))
    asked = Options(**QUICK, **options)
    return kinds.KINDS[kind].make(kinds.Task(whom, torch.arange(200), asked, "cpu"))


def test_eagle_has_other_noise_at_each_step(tmp_path: Path) -> None:
    made, tokens = made_of(tmp_path, "eagle"), torch.arange(32).view(2, 16)
    first, second, again = (
        float(made.loss(made.weights, tokens, step)) for step in (0, 1, 0)
    )
    assert first != second
    assert first == again


def test_medusa_2_moves_the_target_slowly(tmp_path: Path) -> None:
    made = made_of(tmp_path, "medusa", joint=True)
    assert set(made.slow.values()) == {0.25}
    assert made.slow.keys() == pretrained.load(target(tmp_path)).arrays.keys()
    assert not made_of(tmp_path, "medusa").slow


def test_a_draft_goes_on_from_another_and_on_text_of_the_target(tmp_path: Path) -> None:
    first = trained_on(tmp_path, "first", steps=40, rate=1e-2)
    second = trained_on(tmp_path, "second", start=first.output, sampled=100)
    plain = trained_on(tmp_path, "plain", start=first.output)
    assert second.loss_before == pytest.approx(first.loss_after, rel=1e-2)
    assert second.losses != plain.losses


def test_medusa_2_trains_the_target_as_well(tmp_path: Path) -> None:
    made = trained_on(tmp_path, kind="medusa", joint=True, heads=2)
    with_it = pretrained.load(tmp_path / "made.target.safetensors")
    alone = pretrained.load(target(tmp_path))
    assert with_it.config == alone.config
    moved = [
        np.abs(with_it.arrays[name] - alone.arrays[name]).max() for name in alone.arrays
    ]
    assert min(moved) > 0
    heads, _ = trained.medusa(made.output, alone.config)
    assert len(heads.rows(np.zeros(alone.config.hidden, np.float32))) == 2


KILLED = """
import sys
from pathlib import Path
import torch
torch.set_num_threads(1)
from specsim.training import fit, train
from tests.training.tiny import QUICK, SHAPE
fit.KEEP_S = 0.0
kind, folder, remember = sys.argv[1], Path(sys.argv[2]), sys.argv[3] == "True"
shape = {"shape": SHAPE} if kind == "draft" else {}
train(kind, data=[folder / "text.txt"], output=folder / "killed.safetensors",
      target=folder / "target.safetensors", remember=remember,
      **QUICK | {"steps": 400} | shape)
"""


@pytest.mark.parametrize(
    ("kind", "remember"), [("draft", False), ("eagle", False), ("eagle", True)]
)
def test_what_is_killed_goes_on_to_the_same_end(
    tmp_path: Path, kind: str, remember: bool
) -> None:
    """SIGKILL in the middle of a run that writes a checkpoint at each step."""
    how: dict[str, Any] = {"kind": kind, "steps": 400, "remember": remember}
    whole = trained_on(tmp_path, "whole", **how)
    path = tmp_path / "killed.safetensors"
    command = [sys.executable, "-c", KILLED, kind, str(tmp_path), str(remember)]
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL)
    beside = checkpoint.beside(path)
    while not beside.exists() or len(arrays(beside)["losses"]) < 5:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not path.exists()
    done = len(arrays(beside)["losses"])
    assert 5 <= done < 400
    again = trained_on(tmp_path, "killed", resume=True, **how)
    one, two = arrays(Path(whole.output)), arrays(path)
    assert all(np.array_equal(one[name], two[name]) for name in one)
    assert again.losses == whole.losses
    assert again.loss_before == whole.loss_before


def interrupted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that was broken off after three steps."""
    loop = seam.gpu("train.loop")
    go = loop.Run.go

    def three(run: Any) -> float:
        if run.step == 3:
            raise KeyboardInterrupt
        loss: float = go(run)
        return loss

    with monkeypatch.context() as patched:
        patched.setattr(loop.Run, "go", three)
        with pytest.raises(KeyboardInterrupt):
            trained_on(folder)


def test_an_interrupt_leaves_a_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = trained_on(tmp_path, "whole")
    interrupted(tmp_path, monkeypatch)
    assert len(arrays(checkpoint.beside(tmp_path / "made.safetensors"))["losses"]) == 3
    assert trained_on(tmp_path, resume=True).losses == whole.losses


def test_a_finished_run_is_not_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = trained_on(tmp_path)
    monkeypatch.delattr(seam.gpu("train.loop").Run, "go")
    again = trained_on(tmp_path, resume=True)
    assert again.losses == first.losses
    with pytest.raises(AttributeError):
        trained_on(tmp_path, resume=True, seed=1)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"seed": 7}, "seed was 0 and now is 7"),
        ({"steps": 9}, "steps was 6 and now is 9"),
        ({"divergence": "jsd"}, "divergence was"),
    ],
)
def test_a_checkpoint_of_other_settings_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed: dict[str, Any], said: str
) -> None:
    interrupted(tmp_path, monkeypatch)
    with pytest.raises(Bad, match=said) as caught:
        trained_on(tmp_path, resume=True, **changed)
    assert "without --resume" in str(caught.value)
    trained_on(tmp_path, **changed)


def test_a_checkpoint_that_is_none_is_refused(tmp_path: Path) -> None:
    path = target(tmp_path)
    path.rename(checkpoint.beside(tmp_path / "made.safetensors"))
    with pytest.raises(Bad, match="no checkpoint of a run"):
        trained_on(tmp_path, resume=True)
    checkpoint.beside(tmp_path / "made.safetensors").write_bytes(b"x" * 50)
    with pytest.raises(Bad, match="truncated"):
        trained_on(tmp_path, resume=True)


def refused(folder: Path, *words: str, **how: Any) -> None:
    with pytest.raises(Bad) as caught:
        trained_on(folder, **how)
    assert "\n" not in str(caught.value)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"kind": "dreams"}, ["dreams", "draft, medusa, eagle, mtp, target"]),
        ({"steps": 0}, ["steps is 0", "at least 1"]),
        ({"rate": float("nan")}, ["rate is nan"]),
        ({"heads": 0, "kind": "medusa"}, ["heads is 0"]),
        ({"joint": True, "remember": True, "kind": "medusa"}, ["joint", "learns"]),
        ({"remember": True, "kind": "target"}, ["target", "learns"]),
        ({"vocabulary": -1, "kind": "eagle"}, ["vocabulary is -1"]),
        ({"cross_entropy": -1.0, "kind": "eagle"}, ["cross_entropy is -1"]),
        ({"divergence": "kl"}, ["'kl'", "forward-kl"]),
        ({"batch": 500}, ["tokens of text are too few", "16,017"]),
        ({"device": "tpu"}, ["device 'tpu'", "there is cpu"]),
        ({"rate": 1e30, "steps": 40}, ["the loss of step", "nan"]),
        ({"target": "/nowhere/x.safetensors"}, ["x.safetensors", "no such file"]),
    ],
)
def test_what_cannot_be_is_refused(
    tmp_path: Path, how: dict[str, Any], words: list[str]
) -> None:
    refused(tmp_path, *words, **how)


def test_what_is_held_out_is_not_trained_on() -> None:
    from specsim.training.fit import _split

    options = Options(steps=1, rate=1.0, length=8, batch=3)
    text, held = _split(torch.arange(57), options)
    assert text.tolist() == [*range(32)]
    assert held[:, 0].tolist() == [32, 40, 48]
    assert held[:, -1].tolist() == [40, 48, 56]
    with pytest.raises(Bad, match="56 tokens of text are too few"):
        _split(torch.arange(56), options)


def test_a_draft_of_other_words_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    file = target(tmp_path / "other")
    stored = weights.read(file)
    given = json.loads(stored.metadata["config"]) | {"vocab_size": 260}
    more = np.zeros((260, SHAPE["hidden_size"]), np.float32)
    name = "model.embed_tokens.weight"
    weights.save(file, stored.arrays | {name: more}, {"config": json.dumps(given)})
    refused(tmp_path, "has 260 tokens, the target 256", start=file)


def test_a_target_without_a_tokenizer_is_refused(tmp_path: Path) -> None:
    path = target(tmp_path)
    (tmp_path / tokens.FILE).unlink()
    with pytest.raises(Bad, match=r"no tokenizer\.json"):
        train(
            "draft",
            data=[text(tmp_path)],
            output=tmp_path / "x.safetensors",
            target=path,
        )


def test_a_new_target_has_its_tokenizer_beside_it(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    new.mkdir()
    output = new / "x.safetensors"
    train("target", data=[text(old)], output=output, target=target(old), **QUICK)
    assert (new / tokens.FILE).read_bytes() == (old / tokens.FILE).read_bytes()
    assert pretrained.load(output).config == pretrained.load(target(old)).config


@pytest.mark.cuda
def test_a_device_will_do(tmp_path: Path) -> None:
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    for kind in KINDS:
        how: dict[str, Any] = {
            "kind": kind,
            "steps": 60,
            "rate": 1e-2,
            "device": "cuda",
        }
        if kind == "draft":
            how["sampled"] = 100
        made = trained_on(tmp_path, kind, **how)
        assert made.loss_after < made.loss_before


@pytest.mark.parametrize(
    ("name", "said"),
    [("x.bin", r"must end in \.safetensors"), ("no/x.safetensors", "no such folder")],
)
def test_where_nothing_can_be_written_is_known_at_once(
    tmp_path: Path, name: str, said: str
) -> None:
    with pytest.raises(Bad, match=said):
        train("draft", data=["none"], output=tmp_path / name)


def test_a_published_tokenizer_will_do(tmp_path: Path) -> None:
    library = pytest.importorskip("tokenizers")
    words = {chr(n): n for n in range(256)}
    made = library.Tokenizer(library.models.WordLevel(words, unk_token="a"))
    made.pre_tokenizer = library.pre_tokenizers.Split("", "isolated")
    path = target(tmp_path)
    made.save(str(tmp_path / tokens.FILE))
    output = tmp_path / "x.safetensors"
    how = QUICK | {"shape": SHAPE}
    train("draft", data=[text(tmp_path)], output=output, target=path, **how)
    settings = json.loads(weights.read(output).metadata["settings"])
    from specsim.training import data

    expected = np.array([*TEXT.encode()], dtype=np.int32)
    assert settings["text"] == data.digest(expected)
