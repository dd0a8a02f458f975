"""`specsim train` from the command line."""

import json
from pathlib import Path

import numpy as np
import pytest

from specsim import weights
from specsim.__main__ import main
from tests.training.tiny import target, text

pytestmark = pytest.mark.torch


def test_what_is_asked_for_is_what_is_done(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "made.safetensors"
    whom = str(target(tmp_path))
    command = ["train", "eagle", "--data", str(text(tmp_path)), "--target", whom]
    sizes = ["--steps", "3", "--length", "16", "--batch", "2", "--seed", "4"]
    few = ["--vocabulary", "7", "--remember", "--cross-entropy", "0.5"]
    asked = [*command, *sizes, *few, "--output", str(output), "--json", "-"]
    assert main(asked) == 0
    assert json.loads(capsys.readouterr().out)["steps"] == 3
    stored = weights.read(output)
    assert stored.arrays["d2t"].shape == (7,)
    assert stored.arrays["d2t"].dtype == np.int64
    found = json.loads(stored.metadata["settings"])
    expected = {"seed": 4, "vocabulary": 7, "remember": True, "cross_entropy": 0.5}
    assert found.items() >= expected.items()
    assert main([*asked, "--resume"]) == 0


def test_what_cannot_be_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = str(tmp_path / "x.safetensors")
    command = ["train", "mtp", "--data", "none", "--output", output]
    assert main([*command, "--vocabulary", "7"]) == 2
    said = capsys.readouterr().err
    assert "vocabulary is for eagle and medusa" in said
    assert said.count("\n") == 1
