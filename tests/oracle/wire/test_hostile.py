"""Programs that break the protocol: one clear line each, exit 2, none left running."""

import json
import sys
from pathlib import Path

import pytest

from specsim.__main__ import main
from specsim.errors import Bad
from specsim.oracle import judge, sampling, trial
from specsim.oracle.engines import process
from specsim.oracle.wire import batches
from specsim.oracle.wire.faults import RIGHT

HERE = Path(__file__).parent
TELL = {
    "protocol": "speaks protocol 2, where only 1 is known",
    "no-protocol": "speaks protocol null",
    "record": "$.operations.verify[0]: 'telepathy' is none of",
    "boast": "$: fastest is unknown",
    "list": "which is no JSON object",
    "greeting": "said 'Loading model...', which is no JSON object",
    "half-start": "hangs: no answer but half a line within",
    "text-bad": "said 'hello' of itself: write key=value",
    "text-protocol": 'speaks protocol "seven"',
    "binary": "which is no JSON object",
    "deep": "which is no JSON object",
    "mute": "hangs: no answer within",
    "dead": "its process died (exit code 1); it said weights not found",
    "closes": "closed its standard output",
    "hang": "hangs: no answer within",
    "flood": "floods: over 1 MB that begin 'all work and no play",
    "complains": "hangs: no answer within 0.5 s",
    "trickles": "hangs: no answer but half a line within",
    "deaf": "hangs: no answer within",
    "dies": "its process died (exit code 9); it said ?[31mout of memory",
    "dies-in-a-line": "its process died (exit code 0, in the middle of a line)",
    "killed": "its process died (signal 11)",
    "half": "hangs: no answer but half a line within",
    "log": "said 'INFO: verifying', which is no JSON object: on standard output only",
    "seq": "to request 1",
    "no-seq": "answered seq None to request 1",
    "true": "answered seq True to request 1",
    "few": "answered 0 blocks to",
    "no-blocks": "answered no blocks to",
    "nan": "returned [nan], not a list of ints",
    "huge": "returned token 1000000000000000000000000000000, not in 0..",
    "nested": "not a list of ints",
    "empty": "returned 0 tokens for",
    "bools": "returned [True], not a list of ints",
    "string": "returned '0', not a list of token ids",
    "errs": "errored: no KV",
    "errs-oddly": "errored: [1, 1, 1",
}


def command(way: str) -> str:
    return f"{sys.executable} -S -E {HERE / 'hostile.py'} {way}"


@pytest.mark.parametrize(("way", "told"), TELL.items())
def test_it_is_told_so_on_one_line(
    way: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "MOST_BYTES", 2**20)
    monkeypatch.setattr(process, "GRACE", 0.2)
    monkeypatch.setitem(sampling.SECONDS, "smoke", 0.1)
    monkeypatch.setattr(sampling, "suspects", lambda *_: [])
    if "hangs" in told:
        monkeypatch.setitem(judge.TIMEOUT, "smoke", 0.5)
    report = judge.check(command(way), budget="smoke")
    assert (report.verdict, report.exit_code) == ("errored", 2), report.text()
    assert told in report.trouble
    assert report.trouble.isprintable()
    assert len(report.trouble) < 500


def test_what_is_skipped_is_unsupported_with_its_reason() -> None:
    report = judge.check(command("skips"), budget="smoke")
    assert (report.verdict, report.exit_code) == ("unsupported", 2)
    assert report.trouble.startswith("skips all ")
    assert " worlds: no sampling yet (https://example.org/7)" in report.trouble


def test_what_it_offers_besides_is_noted() -> None:
    report = judge.check(command("others"), budget="smoke")
    assert (report.verdict, report.exit_code) == ("unsupported", 2)
    assert "offers draft, generate, and no operation that is judged" in report.trouble
    assert "calls itself" not in report.trouble


def test_a_lossy_engine_is_judged_all_the_same() -> None:
    report = judge.check(command("lossy"), budget="smoke")
    assert report.verdict == "rejected"
    assert any("says that it is lossy" in note for note in report.notes)


def test_seeds_alone_are_drawn_with() -> None:
    report = judge.check(command("seed"), budget="smoke")
    assert report.verdict == "rejected"
    assert report.tiers[0].name == "verify/seed/drawn"
    assert report.tiers[0].verdict == "rejected"


DIES_LATE = RIGHT.replace(
    "for line in sys.stdin:\n",
    "for n, line in enumerate(sys.stdin):\n        if n == 300:\n"
    "            sys.exit('out of memory')\n",
)
WRONG_TOO = DIES_LATE.replace("draw(left if any(left) else p[i]", "draw(p[i]")


@pytest.mark.parametrize(
    ("source", "kept"), [(DIES_LATE, "inconclusive"), (WRONG_TOO, "rejected")]
)
def test_what_was_found_before_it_died_is_kept(
    source: str, kept: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert source.count("n == 300") == 1
    (tmp_path / "engine.py").write_text(source)
    engine = f"{sys.executable} -S -E {tmp_path}/engine.py"
    assert main(["check", engine, "--budget", "smoke", "--json", "-"]) == 2
    shown = capsys.readouterr()
    report = json.loads(shown.out)
    tiers = {tier["name"]: tier["verdict"] for tier in report["tiers"]}
    assert tiers["verify/coins/law"] == kept
    assert tiers["contract"] == report["verdict"] == "errored"
    assert bool(report["witness"]) == (kept == "rejected")
    assert shown.err.count("\n") == 1
    assert "exit code 1); it said out of memory" in shown.err


@pytest.mark.parametrize(
    ("engine", "told"),
    [
        ("./nowhere", "there is no program"),
        ("./nowhere --mode 'x", "no closing quotation"),
        ("nowhere now", "cannot be started: No such file or directory"),
        ("{}/plain", "cannot be started: Permission denied; make it executable"),
        ("{}/odd", "cannot be started: Exec format error; begin it with a #! line"),
        ("{}", "there is no program"),
    ],
)
def test_what_is_no_program_is_bad_usage(
    engine: str, told: str, tmp_path: Path
) -> None:
    (tmp_path / "plain").write_text("x")
    (tmp_path / "odd").write_text("x")
    (tmp_path / "odd").chmod(0o755)
    with pytest.raises(Bad, match="engine ") as caught:
        judge.check(engine.format(tmp_path))
    assert told in str(caught.value)


def test_a_slow_program_is_asked_less_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = RIGHT.replace("    for i, x", "    time.sleep(0.02)\n    for i, x")
    (tmp_path / "engine.py").write_text(slow.replace("import sys", "import sys, time"))
    monkeypatch.setitem(trial.LAW_SECONDS, "smoke", (0.1, 0.2))
    monkeypatch.setattr(batches, "SECONDS", 0.1)
    monkeypatch.setitem(sampling.SECONDS, "smoke", 0.1)
    monkeypatch.setitem(judge.TIMEOUT, "smoke", 2.0)
    report = judge.check(f"{sys.executable} -S -E {tmp_path}/engine.py", budget="smoke")
    assert (report.verdict, report.exit_code) == ("inconclusive", 3), report.text()
