"""The comparison with other simulators: complete, sound, and hard to bring down.

No other simulator is needed: a fake one stands in for them.
"""

import ast
import csv
import json
import math
import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from specsim.errors import Bad
from tools.peers import ours, rows, run, score, table, talk, venvs
from tools.peers.cases import CASES, Case
from tools.peers.measure import measure
from tools.peers.question import Answer, Cannot, Question, composed
from tools.peers.registry import OURS, PEERS, Peer
from tools.peers.rows import Item
from tools.peers.talk import Outcome

ROOT = Path(__file__).parents[1]

FAKE = """
import os, sys, time
from tools.peers.question import Answer, Cannot

def answer(asked):
    print("simulators chatter")
    if asked.batch == 2:
        time.sleep(600)
    if asked.batch == 3:
        print("out of cheese", file=sys.stderr, flush=True)
        os._exit(3)
    if asked.batch == 4:
        return Answer(float("nan"))
    if asked.batch == 5:
        raise Cannot("five")
    if asked.batch == 6:
        sys.exit("six is too many")
    if asked.batch == 7:
        return Answer("seven")
    return Answer(20.0)
"""
SEEN = {
    1: None,
    2: "no answer in 1.5 s",
    3: "died: out of cheese",
    4: "answered nan",
    5: "cannot express: five",
    6: "SystemExit: six is too many",
    7: "answered 'seven'",
    8: None,
}
"""By batch: why there is no answer."""


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Peer:
    (tmp_path / "fake.py").write_text(FAKE)
    (tmp_path / "broken.py").write_text("import no_such_simulator\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return Peer("fake", "fake")


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """Environments are empty directories."""
    monkeypatch.setattr("venv.create", lambda home, **_: home.mkdir(exist_ok=True))


def items(*batches: int) -> list[Item]:
    made = [Case("", "70b", "a100", 64, 1, gpus=2, batch=batch) for batch in batches]
    return [Item(str(case.batch), "decode", case.question, 10) for case in made]


def functions(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_every_adapter_is_registered_and_has_an_answer() -> None:
    folder = ROOT / "tools" / "peers"
    not_one = {"question", "worker"}
    adapters = {
        f"tools.peers.{path.stem}"
        for path in folder.glob("*.py")
        if "answer" in functions(path) and path.stem not in not_one
    }
    assert adapters == {peer.module for peer in PEERS}
    assert len({peer.name for peer in PEERS}) == len(PEERS)


def test_every_version_is_pinned_and_the_extra_has_those_that_coexist() -> None:
    pins = {pin for peer in PEERS for pin in peer.pins}
    assert all(pin.count("==") == 1 for pin in pins)
    assert all(peer.pins[0].startswith(peer.name) for peer in PEERS if peer.pins)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extra = project["project"]["optional-dependencies"]["peers"]
    apart = {"llm-analysis==0.2.2"}
    assert set(extra) == pins - apart


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_cases_have_the_ideal_that_specsim_works_out(case: Case) -> None:
    made = ours.predicted(case.question)
    if case.kind == "decode":
        mixture = case.question.model.moe_experts
        near = 0.12 if mixture else 0.03  # how many distinct experts is a model's word
        assert made.ideal_ms == pytest.approx(case.ideal_ms, rel=near)


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.truth], ids=lambda case: case.name
)
def test_cases_agree_with_specsim_within_their_bounds(case: Case) -> None:
    assert case.truth_ms
    assert case.truth_ms > case.ideal_ms
    assert ours.answer(case.question).ms == pytest.approx(
        case.truth_ms, rel=case.within
    )


def test_a_truth_is_moved_to_the_context_of_its_case() -> None:
    case = CASES[0]
    assert case.truth
    cache = (1024 - 105) * 32 * 2 * 4096 * 2
    assert case.truth_ms == pytest.approx(case.truth.ms + cache / (0.8 * 2039e6))


def test_there_are_twelve_cases_and_six_truths() -> None:
    assert len(CASES) == 12
    assert len({case.name for case in CASES}) == 12
    assert sum(case.truth is not None for case in CASES) == 6


def test_a_question_survives_its_journey() -> None:
    for case in CASES:
        line = json.dumps(case.question.as_dict())
        assert Question.of(json.loads(line)) == case.question


@pytest.mark.parametrize(
    ("words", "form"),
    [
        ("Q4_K_M", "int4"),
        ("AWQ-4b g128 (GEMM)", "int4"),
        ("GPTQ-Int4", "int4"),
        ("GPTQ-Int8", "int8"),
        ("int8 wo", "int8"),
        ("bfloat16", "bf16"),
        ("F16", "fp16"),
        ("fp8_block", "fp8"),
        ("nvfp4 MoE + bf16 attention", "nvfp4"),
        ("Q6_K", ""),
        ("EXL2 3.0bpw", ""),
    ],
)
def test_words_for_weights(words: str, form: str) -> None:
    assert rows.plain(words) == form


def test_decode_rows_are_those_at_batch_1_without_a_flag() -> None:
    made = rows.decode()
    with (rows.MEASUREMENTS / "decode.csv").open(encoding="utf-8") as lines:
        plain = [row for row in csv.DictReader(lines) if not row["flag"]]
    assert [item.name for item in made] == [
        row["id"] for row in plain if row["batch"] == "1"
    ]
    asked = [item.question for item in made if item.question]
    assert len(asked) > 0.9 * len(made) > 300
    assert all(question.batch == 1 for question in asked)
    split = [question for question in asked if question.stages > 1]
    assert split
    assert all(question.gpus == 1 for question in split)


def test_the_sample_of_served_rows_is_settled_by_its_seed() -> None:
    first, again, other = (rows.served(each=20, seed=seed) for seed in (0, 0, 1))
    assert first == again != other
    assert [item.group for item in first] == ["served dense"] * 20 + ["served MoE"] * 20
    for item in first:
        assert item.question
        assert item.question.gpus <= 8
        assert item.ms
        assert item.ttft_ms


def test_no_rows_no_items(tmp_path: Path) -> None:
    assert rows.decode(tmp_path) == rows.served(tmp_path) == []


def load() -> Question:
    lone = Case("", "70b", "a100", 64, 1, batch=4, kind="served").question
    return replace(lone, output=50)


def test_a_load_of_a_simulator_that_knows_none() -> None:
    seen = []

    def lone(asked: Question) -> Answer:
        seen.append((asked.kind, asked.batch, asked.prompt))
        return Answer(len(seen))

    assert composed(load(), lone) == Answer(1, 2)
    assert seen == [("decode", 4, 89), ("prefill", 1, 64)]


def test_a_load_without_prefill() -> None:

    def steps_only(asked: Question) -> Answer:
        if asked.kind == "prefill":
            raise Cannot("prefill")
        return Answer(1)

    assert composed(load(), steps_only) == Answer(1)


def test_whatever_it_does_each_question_has_a_row(
    fake: Peer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = run.report([fake], tmp_path, items(*SEEN), limit_s=1.5)
    first, row = made["peers"]
    assert first["name"] == OURS.name
    assert not row["failed"]
    assert [answer["refused"] for answer in row["answers"]] == list(SEEN.values())
    assert row["scores"]["decode"]["answered"] == 2
    assert row["scores"]["decode"]["mape"] == pytest.approx(1)
    assert json.loads(json.dumps(made, allow_nan=False)) == made
    shown = table.text(made) + capsys.readouterr().err
    assert "| fake | 2 of 8 | 100 % | 100 % | 100 % |" in shown
    assert "- 1 x died: out of cheese" in shown
    assert "Traceback" not in shown


def test_earlier_answers_to_the_same_questions_stand(
    fake: Peer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(venvs, "python", lambda *_: sys.executable)
    pinned = replace(fake, pins=("fake==1",))
    before = run.report([pinned], tmp_path, items(1, 4), 60)
    before["peers"][1]["answers"][0]["ms"] = 15.0
    newer = replace(fake, pins=("fake==2",))
    for peer, expected in [(pinned, [15, None, 20]), (newer, [20, None, 20])]:
        made = run.report([peer], tmp_path, items(1, 4, 8), 60, before)
        assert [answer["ms"] for answer in made["peers"][1]["answers"]] == expected
    assert made["peers"][0]["scores"]["decode"]["answered"] == 3


def test_it_is_given_up_after_three_losses_in_a_row(fake: Peer) -> None:
    asked = [item.question for item in items(1, 3, 3, 3, 1) if item.question]
    python = venvs.python(Path(), fake.name, fake.pins, 1)
    made = talk.answers(python, fake.module, asked, limit_s=60)
    assert made[0].ms == 20
    assert made[3].refused == "died: out of cheese"
    assert made[4].refused == "given up: lost 3 times in a row"


@pytest.mark.usefixtures("fake")
def test_an_adapter_that_does_not_load_is_a_row(tmp_path: Path) -> None:
    row = measure(Peer("broken", "broken"), tmp_path, items(1), 60, {})
    assert row["failed"].startswith("died: ModuleNotFoundError: ")


@pytest.mark.usefixtures("bare")
def test_one_that_does_not_install_is_a_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise venvs.Failed("no matching distribution")

    monkeypatch.setattr(venvs, "_install", fail)
    unpublished = Peer("unpublished", "fake", ("unpublished==1",))
    made = run.report([unpublished], tmp_path, items(1), limit_s=60)
    row = made["peers"][1]
    assert row["failed"] == "no matching distribution"
    assert "| unpublished | 1 | no matching distribution |  |  |" in table.text(made)


@pytest.mark.usefixtures("bare")
def test_an_environment_is_made_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed: list[object] = []
    monkeypatch.setattr(venvs, "_install", lambda *how: installed.append(how[1]))
    one, other = ("one==1",), ("one==2",)
    made = [venvs.python(tmp_path, "one", pins, 60) for pins in (one, one, other)]
    assert installed == [one, other]
    assert len(set(made)) == 1


def test_pip_fails_in_one_line() -> None:
    interpreter = venvs.python(Path(), "none", (), 1)
    with pytest.raises(venvs.Failed) as failure:
        venvs._install(interpreter, ("--no-such-option",), 60)
    assert "\n" not in str(failure.value)


def test_scores_by_hand() -> None:
    asked = [Item(str(n), "decode", None, ms) for n, ms in enumerate((10, 10, 10, 10))]
    made = [Outcome(11), Outcome(8), Outcome(13), Outcome(refused="no")]
    beside = [Outcome(10), Outcome(refused="no"), Outcome(12), Outcome(30)]
    found = score.scores(asked, made, beside)["decode"]
    assert (found.asked, found.answered) == (4, 3)
    assert found.mape == pytest.approx(0.2)
    assert found.median == pytest.approx(0.2)
    assert found.bias == pytest.approx(0.2 / 3)
    assert found.reference == pytest.approx(0.1)
    assert score.refusals(asked, made)["decode"] == {"no": 1}


def test_times_to_the_first_token_are_a_set_of_their_own() -> None:
    asked = [Item("", "served MoE", None, 10, ttft_ms=100)]
    found = score.scores(asked, [Outcome(5, ttft_ms=150)], [Outcome(10)])
    assert found["served MoE"].bias == pytest.approx(-0.5)
    assert found["TTFT MoE"].bias == pytest.approx(0.5)
    assert found["TTFT MoE"].reference is None


def test_the_command_writes_what_it_prints(
    fake: Peer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(run, "PEERS", (OURS, fake))
    out = tmp_path / "out.json"
    run.main(["--venvs", str(tmp_path), "--rows", str(tmp_path), "--json", str(out)])
    made = json.loads(out.read_text())
    assert [peer["name"] for peer in made["peers"]] == ["specsim", "fake"]
    assert table.text(made) == capsys.readouterr().out.strip()
    times = (peer[name] for peer in made["peers"] for name in ("start_s", "query_s"))
    assert all(math.isfinite(time) and time > 0 for time in times)


def test_what_specsim_cannot_express_it_refuses() -> None:
    odd = Case("", "70b", "a100", 64, 1, weights="no such numbers").question
    with pytest.raises(Cannot):
        ours.answer(odd)
    with pytest.raises(Bad):
        _ = Case("", "no such model", "a100", 64, 1).question


def test_names_of_engines() -> None:
    assert ours.engine("") == ours.engine("an engine of ours") == "typical"
    assert ours.engine("vLLM 0.6.3").startswith("vllm")
    assert ours.engine("TensorRT-LLM").startswith("trtllm")
