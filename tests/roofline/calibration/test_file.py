"""The file: what is written is read, and nothing else is."""

import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specsim.errors import Bad
from specsim.roofline import names
from specsim.roofline.calibration import files, load
from specsim.roofline.measured import Measured
from specsim.roofline.prediction import predict
from tests.roofline.calibration import machines

Data = dict[str, Any]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "here.json"
    machines.calibration().save(made)
    return made


def test_what_was_saved_is_loaded(file: Path) -> None:
    assert load(file) == machines.calibration()


def test_it_is_an_accelerator_by_its_path(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = names.gpu(str(file))
    assert isinstance(card, Measured)
    monkeypatch.chdir(file.parent)
    assert names.gpu("here.json") == names.gpu("./here.json") == card
    os.rename("here.json", "here")
    assert names.gpu("here") == names.gpu("./here") == card
    assert predict("8b", "./here").deployment.gpu == card


def test_what_was_wrong_when_it_was_measured_is_said(file: Path) -> None:
    busy = "this program had its processor for 22 % of the time"
    changed(file, lambda data: data.update(notes=[busy]))
    assert any(busy in note for note in predict("8b", str(file), gpus=1).notes)


def test_a_name_of_the_table_wins_over_a_file(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(file.parent)
    os.rename("here.json", "a100")
    assert names.gpu("a100").name == "A100-SXM4-80GB"
    assert names.gpu("./a100").name == "Synthetic, 1 thread"


def test_nothing_is_left_half_written(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = file.read_text()

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        machines.calibration().save(file)
    assert file.read_text() == before
    assert os.listdir(file.parent) == ["here.json"]


def test_a_file_that_cannot_be_written_is_bad(tmp_path: Path) -> None:
    for path, said in [
        (tmp_path / "no" / "here.json", "no such directory"),
        (tmp_path, "a directory"),
    ]:
        with pytest.raises(Bad, match=said):
            files.writable(path)
        with pytest.raises(Bad):
            machines.calibration().save(path)
    assert os.listdir(tmp_path) == []


def changed(file: Path, change: Callable[[Data], object]) -> Path:
    data = json.loads(file.read_text())
    change(data)
    file.write_text(json.dumps(data))
    return file


def refused(file: Path) -> str:
    with pytest.raises(Bad) as error:
        load(file)
    said = str(error.value)
    assert "\n" not in said
    assert str(file) in said
    assert len(said) < 400 + len(str(file))
    return said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not valid JSON"),
        ("{", "not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
        ("[]", "not a JSON object"),
        ("null", "not a JSON object"),
        ("{}", "specsim_calibration is None; it must be 1: calibrate again"),
        ('{"specsim_calibration": 2}', "specsim_calibration is 2"),
        ('{"specsim_calibration": true}', "specsim_calibration is True"),
        ('{"specsim_calibration": 1}', "gpu is missing"),
        (" " * 3_000_000, "over 2,000,000 bytes"),
    ],
)
def test_what_is_no_calibration_at_all(file: Path, text: str, said: str) -> None:
    file.write_text(text)
    assert said in refused(file)


def test_every_truncation_is_refused(file: Path) -> None:
    whole = file.read_text().rstrip()
    for length in range(0, len(whole), len(whole) // 50):
        file.write_text(whole[:length])
        refused(file)


def test_neither_bytes_nor_folders_nor_nothing(file: Path, tmp_path: Path) -> None:
    file.write_bytes(b"\xff\xfe{}")
    assert "not valid JSON" in refused(file)
    assert "not a file" in refused(tmp_path)
    assert "no such file" in refused(tmp_path / "other.json")


WRONG = [
    ("gpu.mem_bw_gbs", -1, "a finite number greater than 0"),
    ("gpu.mem_bw_gbs", 0, "a finite number greater than 0"),
    ("gpu.mem_bw_gbs", float("nan"), "a finite number greater than 0"),
    ("gpu.mem_bw_gbs", float("inf"), "a finite number greater than 0"),
    ("gpu.mem_bw_gbs", 10**400, "a finite number greater than 0"),
    ("gpu.mem_bw_gbs", "25", "a finite number greater than 0"),
    ("gpu.mem_bw_gbs", True, "a finite number greater than 0"),
    ("gpu.mem_bw_gbs", None, "a finite number greater than 0"),
    ("gpu.name", "two\nlines", "one line of at most 1000 characters"),
    ("gpu.name", "\x1b[2J", "one line of at most 1000 characters"),
    ("gpu.name", "x" * 2000, "one line of at most 1000 characters"),
    ("gpu.aliases", "a", "a list of at most 1000"),
    ("gpu.aliases", [1], "one line of at most 1000 characters"),
    ("gpu.year", 2026.5, "a whole number"),
    ("gpu", [], "an object"),
    ("kernels", {}, "an object of some of fp32, bf16"),
    ("kernels", {"fp17": {}}, "an object of some of fp32, bf16"),
    ("kernels.bf16", 3, "an object"),
    ("kernels.bf16.product_us", -1e-9, "a finite number from 0 on"),
    ("kernels.bf16.spread", {"low": 1.1, "high": 1.2}, "low <= 1 <= high"),
    ("kernels.bf16.spread", {"low": 0.9}, "high is missing"),
    ("kernels.bf16.factors", [], "pairs whose first numbers rise"),
    ("kernels.bf16.factors", [[2, 1], [1, 1]], "pairs whose first numbers rise"),
    ("kernels.bf16.factors", [[1, 1], [1, 1]], "pairs whose first numbers rise"),
    ("kernels.bf16.factors", [[1, 0]], "a finite number greater than 0"),
    ("kernels.bf16.factors", [[1, 1, 1]], "two numbers"),
    ("kernels.bf16.factors", [[1, 1]] * 2000, "a list of at most 1000"),
    ("threads", 0, "a whole number from 1"),
    ("rounds", 1.0, "a whole number from 1"),
    ("seconds", "2", "a finite number"),
    ("notes", {}, "a list"),
    ("device", 1, "one line"),
    ("points", None, "a list"),
    ("points.0.work.kind", "magic", "one of read, copy, product"),
    ("points.0.work.tokens", 1.5, "a whole number"),
    ("points.0.seconds", 0, "greater than 0"),
]


@pytest.mark.parametrize(("path", "value", "said"), WRONG)
def test_every_wrong_field_is_named(
    file: Path, path: str, value: object, said: str
) -> None:
    *inside, last = path.split(".")

    def change(data: Any) -> None:
        for name in inside:
            data = data[int(name) if name.isdigit() else name]
        data[last] = value

    complaint = refused(changed(file, change))
    assert said in complaint
    assert path in complaint


@pytest.mark.parametrize(
    "inside", ["", "gpu", "kernels.bf16", "points.0", "points.0.work"]
)
def test_a_key_too_many_or_too_few(file: Path, inside: str) -> None:
    def at(data: Any) -> Any:
        for name in inside.split(".") if inside else ():
            data = data[int(name) if name.isdigit() else name]
        return data

    whole = file.read_text()
    said = refused(changed(file, lambda data: at(data).update({"pace": 1})))
    assert "pace" in said
    assert "is not understood" in said
    keys = [key for key in at(json.loads(whole)) if key != "specsim_calibration"]
    for key in keys:
        file.write_text(whole)
        changed(file, lambda data: at(data).pop(key))  # noqa: B023
        if key in ("l2_mb", "llc_mb", "bf16_tflops", "fp32_tflops"):
            load(file)
        else:
            assert f"{key} is missing" in refused(file)


def test_a_row_without_any_rate_of_products(file: Path) -> None:
    def change(data: Data) -> None:
        del data["gpu"]["bf16_tflops"], data["gpu"]["fp32_tflops"]

    assert "gpu has none of bf16_tflops" in refused(changed(file, change))


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.text(max_size=5), inner, max_size=3)
        ),
        max_leaves=6,
    ),
    st.sampled_from(["gpu", "kernels", "points", "notes", "device", "seconds"]),
)
def test_anything_in_place_of_a_field_loads_or_is_bad(value: object, key: str) -> None:
    data = machines.calibration().as_dict() | {key: value}
    with TemporaryDirectory() as folder:
        file = Path(folder, "here.json")
        file.write_text(json.dumps(data))
        with suppress(Bad):
            made = load(file)
            predict("8b", made.gpu, gpus=1).as_dict()
            assert made.text()
