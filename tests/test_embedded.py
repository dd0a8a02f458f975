"""The models in the wheel are whole, small, belong together, and draft well."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors import safe_open

from specsim import drafters, embedded, pretrained, seam, weights
from specsim.embedded import Embedded
from specsim.errors import Bad
from specsim.generation.models import Models
from specsim.generation.scene import pair, stage
from specsim.training.data import digest

FILES = sorted(embedded.FOLDER.glob("*.safetensors"))
README = (embedded.FOLDER / "README.md").read_text()
MOST_BYTES = 8_000_000
PROMPT = '''class Ledger:
    """Keep a list of entries, each with a name and an amount."""

    def __init__(self, entries=None):
        self.entries = entries or []

    def add(self, name, amount):
        """Add an entry to the list."""
        self.entries.append((name, amount))

    def total(self):
'''
"""Nobody's code before: no model has read it."""


@pytest.fixture(scope="module")
def made() -> Embedded:
    return embedded.load()


@pytest.fixture(scope="module")
def models(made: Embedded) -> Models:
    return Models(
        name="embedded",
        target=made.target,
        vocab=made.target.config.vocab,
        words=made.tokenizer,
        draft=made.draft,
        heads=made.heads.rows,
        tree=made.tree,
        eagle=made.eagle,
        mtp=made.mtp,
    )


def test_they_are_small() -> None:
    assert len(FILES) == 5
    assert sum(file.stat().st_size for file in FILES) <= MOST_BYTES


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_they_are_in_half_precision_and_described_as_they_are(file: Path) -> None:
    with safe_open(file, framework="np") as opened:
        kinds = {
            opened.get_slice(name).get_dtype() for name in weights.read(file).arrays
        }
    assert kinds == {"F16"}
    row = next(line for line in README.splitlines() if file.name in line)
    arrays = weights.read(file).arrays.values()
    parameters = sum(array.size for array in arrays)
    for said in (f"{parameters:,}", f"{file.stat().st_size:,}", digest(*arrays)):
        assert f"| {said} |" in row


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_drafts_were_trained_for_the_target_beside_them(file: Path) -> None:
    settings = json.loads(weights.read(file).metadata["settings"])
    target = pretrained.load(embedded.FOLDER / embedded.TARGET).arrays
    whom = {} if file.name == embedded.TARGET else target
    assert settings["target"] == digest(*whom.values())


def test_one_text_taught_them_all() -> None:
    texts = {
        json.loads(weights.read(file).metadata["settings"])["text"] for file in FILES
    }
    assert len(texts) == 1


def test_the_target_knows_some_python(made: Embedded) -> None:
    """A byte of code that is new to it takes less than two and a half bits."""
    tokens = made.tokenizer.encode(PROMPT)
    made.target.clear()
    logits, _ = made.target.extend(tokens, range(-1, len(tokens) - 1))
    log_p = np.log(seam.reference("logits").softmax(logits[1:-1]))
    bits = -log_p[np.arange(len(tokens) - 1), tokens[1:]].sum() / np.log(2)
    assert bits / len(PROMPT) < 2.5


@pytest.mark.parametrize(
    "drafter",
    [row.name for row in drafters.DRAFTERS.values() if row.needs != "nothing"],
)
def test_drafts_are_kept_and_the_text_is_the_targets(
    drafter: str, models: Models, made: Embedded
) -> None:
    """At temperature 0 a step emits more than one token and a half."""
    scene = stage(pair(drafter, "greedy"), PROMPT, target=models, temperature=0)
    run = scene.speculative()
    assert run.tally.tokens_per_step > 1.5
    text = list(scene.request.prompt)
    made.target.clear()
    parents: Any = range(-1, len(text) - 1)
    new = text
    for token in run.tokens:
        logits, _ = made.target.extend(new, parents)
        assert token == int(logits[-1].argmax())
        made.target.keep(range(len(new)))
        new, parents = [token], [-1]


def test_distillation_was_worth_it() -> None:
    """As the README has it: more tokens a step after it than before, at both."""
    for temperature in ("0", "1"):
        after, before = (
            float(
                re.findall(
                    rf"^\| {name} \| {temperature} \| \w+ \| ([\d.]+) ", README, re.M
                )[0]
            )
            for name in ("draft-model", "draft-model, not distilled")
        )
        assert after > before > 1


@pytest.mark.torch
def test_torch_reads_the_same(made: Embedded) -> None:
    pytest.importorskip("torch")
    twin = embedded.load(seam.gpu("model.alone").alone)
    tokens = made.tokenizer.encode(PROMPT)
    for name in ("target", "draft"):
        both = []
        for one in (made, twin):
            network = getattr(one, name)
            network.clear()
            both.append(network.extend(tokens, range(-1, len(tokens) - 1))[0])
        np.testing.assert_allclose(both[0], both[1], rtol=0, atol=1e-3)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "weights"
    shutil.copytree(embedded.FOLDER, folder)
    (folder / embedded.EAGLE).unlink()
    with pytest.raises(Bad, match=r"eagle\.safetensors: no such file"):
        embedded.load(folder=folder)
