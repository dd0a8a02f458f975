"""specsim calibrate, as it is typed."""

import json
from pathlib import Path

import pytest

from specsim import __main__ as line
from specsim.commands import calibrate as command
from specsim.errors import Bad
from specsim.progress import Progress
from specsim.roofline import calibration
from specsim.roofline.calibration import load
from specsim.roofline.calibration.result import Calibration
from specsim.roofline.calibration.rounds import Say
from tests.roofline.calibration import machines


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Instead of measuring: a machine that is known; holds what was asked."""
    asked: list[object] = []

    def calibrate(
        device: str, threads: int | None, seconds: float, say: Say, backend: str | None
    ) -> Calibration:
        asked.extend([device, threads, seconds, backend])
        say("measuring")
        return machines.calibration()

    monkeypatch.setattr(calibration, "calibrate", calibrate)
    monkeypatch.setattr(line, "COMMANDS", (command,))
    return asked


def test_text_on_output_and_progress_on_error(
    capsys: pytest.CaptureFixture[str], quick: list[object]
) -> None:
    words = "calibrate --threads 1 --seconds 3 --backend numpy"
    assert line.main(words.split()) == 0
    said = capsys.readouterr()
    assert said.out.startswith("Synthetic, 1 thread, nothing 1.0, 3 rounds in 2 s\n")
    line_ = "8 tokens cost 1.13 times one; up to 6 cost 1.1 times, up to 25 twice"
    assert line_ in said.out
    assert "note: a note" in said.out
    assert said.err == "measuring\n"
    assert quick == ["cpu", 1, 3.0, "numpy"]


def test_json_alone_on_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert line.main(["calibrate", "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(
        json.dumps(machines.calibration().as_dict())
    )


def test_its_file_is_loaded(tmp_path: Path) -> None:
    file = tmp_path / "here.json"
    assert line.main(["calibrate", "--output", str(file)]) == 0
    assert load(file) == machines.calibration()


def test_where_nothing_can_be_written_nothing_is_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], quick: list[object]
) -> None:
    for option in ("--output", "--plot"):
        wrong = str(tmp_path / "no" / "here.txt")
        assert line.main(["calibrate", option, wrong]) == 2
        assert capsys.readouterr().err.startswith("specsim calibrate: ")
    assert not quick


def test_the_picture(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    file = tmp_path / "here.png"
    assert line.main(["calibrate", "--plot", str(file)]) == 0
    assert file.read_bytes().startswith(b"\x89PNG")


def test_a_picture_that_cannot_be_written(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from specsim.roofline.calibration import plot

    with pytest.raises(Bad, match="--plot"):
        plot.draw(machines.calibration(), tmp_path / "no" / "here.png")


class Terminal:
    """Remembers what was printed on it."""

    def __init__(self, tty: bool) -> None:
        self.tty, self.text = tty, ""

    def isatty(self) -> bool:
        return self.tty

    def write(self, text: str) -> None:
        self.text += text

    def flush(self) -> None: ...


def test_progress_rewrites_its_line_on_a_terminal_and_clears_it() -> None:
    screen = Terminal(True)
    with Progress(screen) as say:  # type: ignore[arg-type]
        say("one")
        say("two")
    assert screen.text == "\r\x1b[Kone\r\x1b[Ktwo\r\x1b[K"


def test_progress_elsewhere_is_a_line_now_and_then() -> None:
    log = Terminal(False)
    with Progress(log) as say:  # type: ignore[arg-type]
        say("one")
        say("two")
    assert log.text == "one\n"
