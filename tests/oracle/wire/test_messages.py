"""What is written and read, held against the schema that ships."""

import json
import subprocess
import sys
from typing import Any

import jsonschema
import numpy as np
import pytest

from specsim.errors import Bad
from specsim.oracle import cases
from specsim.oracle.engines.contract import Call
from specsim.oracle.vectors.schema import violations
from specsim.oracle.wire import messages, record, stubs, text
from specsim.oracle.wire.messages import Case, Json, Run
from specsim.oracle.wire.program import drawn_case
from specsim.oracle.wire.text import Text
from tests.oracle.wire import full

RULES = jsonschema.Draft202012Validator(record.schema())


def conforms(message: Any, kind: str) -> None:
    """Valid as a whole, as the kind it is, and by our own small validator too."""
    RULES.validate(message)
    RULES.evolve(schema=record.schema()["$defs"][kind] | defs()).validate(message)
    assert not [*violations(message, record.schema()["$defs"][kind], record.schema())]


def defs() -> dict[str, Any]:
    return {"$defs": record.schema()["$defs"]}


def runs() -> list[Run]:
    rng = np.random.default_rng(0)
    chains = cases.calls(cases.chains()[12], "verify")[0]
    trees = cases.calls(cases.trees()[0], "verify_tree")[0]
    bare = Call("verify", [[0.5, 0.5], [0.1, 0.9]], None, [1], [-1], "fixed")
    none = Call("verify", [[1 / 3, 2 / 3]], [], [], [], "iid")
    made: list[Run] = []
    for calls in chains, trees, [bare], [none]:
        drawn = [drawn_case(call, 3, rng) for call in calls]
        made.append(Run(len(made) + 1, calls[0].operation, drawn))
        made.append(Run(len(made) + 1, calls[0].operation, drawn, seed=2**53 - 1))
    return made


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(record.schema())


@pytest.mark.parametrize(
    "run", runs(), ids=lambda run: f"{run.operation}-{run.mode}-{run.seq}"
)
def test_ours_conform_and_read_back_exactly(run: Run) -> None:
    conforms(messages.START, "start")
    read = json.loads(Json().run(run))
    conforms(read, "run")
    for case, sent in zip(run.cases, read["cases"], strict=True):
        assert (sent["p"], sent["q"]) == (case.call.p, case.call.q)
        if run.mode == "coins":
            assert (sent["accept"], sent["sample"]) == (case.accept, case.sample)
            assert "count" not in sent
        else:
            assert sent["count"] == case.count
        assert ("parents" in sent) == (run.operation == "verify_tree")


@pytest.mark.parametrize(
    "run", runs(), ids=lambda run: f"{run.operation}-{run.mode}-{run.seq}"
)
def test_text_says_the_same_as_json(run: Run) -> None:
    words = iter(Text().run(run).decode().split())
    head = ["run", str(run.seq), run.operation, run.mode]
    assert [next(words) for _ in head] == head
    assert run.seed is None or int(next(words)) == run.seed
    sent = json.loads(Json().run(run))["cases"]
    assert int(next(words)) == len(sent)
    for case in sent:
        n, vocab = int(next(words)), int(next(words))

        def row(size: int) -> list[float]:
            return [float(next(words)) for _ in range(size)]

        assert [row(vocab) for _ in range(n + 1)] == case["p"]
        if case["q"] is None:
            assert next(words) == "none"
        else:
            assert [row(vocab) for _ in range(n)] == case["q"]
        assert row(n) == case["tokens"]
        if run.operation == "verify_tree":
            assert row(n) == case["parents"]
            assert next(words) == case["kind"]
        blocks = int(next(words))
        if run.mode == "seed":
            assert blocks == case["count"]
            continue
        luck = [(row(n), row(n + 1)) for _ in range(blocks)]
        assert [accept for accept, _ in luck] == case["accept"]
        assert [sample for _, sample in luck] == case["sample"]
    assert next(words, None) is None


def test_frames_conform() -> None:
    p = np.full((2, messages.LARGE), 1 / messages.LARGE)
    call = Call("verify", p.tolist(), p[:1].tolist(), [7], [-1], "iid")
    sent = Json(frames=True).run(
        Run(1, "verify", [Case(call, [[0.1]], [[0.2, 0.3]], 1)])
    )
    line, newline, rest = sent.partition(b"\n")
    message = json.loads(line)
    conforms(message, "run")
    assert newline
    assert message["frames"] == [p.nbytes, p.nbytes // 2]
    assert rest == p.tobytes() + p[:1].tobytes()
    assert message["cases"][0]["q"] == {"frame": 1, "shape": [1, messages.LARGE]}


@pytest.mark.parametrize("said", [[0], [0.5, "0x1p-1"], -1])
def test_the_schema_refuses(said: Any) -> None:
    with pytest.raises(jsonschema.ValidationError):
        RULES.validate({"seq": 1, "blocks": said})


@pytest.mark.parametrize(
    "command",
    [
        [sys.executable, str(stubs.adapter("python"))],
        [sys.executable, "-m", "tests.oracle.wire.full"],
    ],
    ids=["stub", "full"],
)
def test_theirs_conform(command: list[str]) -> None:
    asked = [run for run in runs() if run.mode == "coins" and run.seq == 1]
    sent = [messages.line(messages.START), *map(Json().run, asked)]
    done = subprocess.run(
        command, input=b"".join(sent), capture_output=True, timeout=60, check=True
    )
    started, *answers = map(json.loads, done.stdout.splitlines())
    conforms(started, "started")
    assert len(answers) == len(asked)
    for answer in answers:
        conforms(answer, "blocks")


def test_other_answers_conform() -> None:
    conforms(full.RECORD, "started")
    for said, kind in {
        "skipped 3 https://example.org/1 not yet": "skipped",
        "skipped 3 - not yet": "skipped",
        "errored 3 out of memory": "errored",
        "blocks 3 2 0 1 1 5": "blocks",
        "blocks 3": "blocks",
    }.items():
        answer = Text().answer(said)
        conforms(answer, kind)
        assert answer["seq"] == 3
    assert Text().answer("blocks 3 2 0 1 1 5")["blocks"] == [[0, 1], [5]]


@pytest.mark.parametrize(
    "said",
    ["", "blocks", "blocks x", "blocks 1 2 0", "blocks 1 1 0.5", "ok 1", "skipped 1"],
)
def test_other_words_are_refused(said: str) -> None:
    with pytest.raises(Bad, match="no line of blocks, skipped or errored"):
        Text().answer(said)


def test_a_record_in_words_is_the_record_in_json() -> None:
    words = (
        "text protocol=1 name=full version=2 language=python "
        "issues=https://example.org/issues verify=coins,seed verify_tree=coins,seed "
        "accepts=k0 lossless=true kinds="
    )
    said = text.started(words + ",".join(full.RECORD["kinds"]))
    assert said == {k: v for k, v in full.RECORD.items() if k != "frames"}
    assert record.read(words + "iid").kinds == ["iid"]
