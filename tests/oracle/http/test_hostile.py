"""Whatever a server does, one clear line."""

import json
from pathlib import Path

import pytest

from specsim.__main__ import main
from specsim.errors import Bad
from specsim.oracle.http import client, judge
from specsim.oracle.http.client import Client
from specsim.oracle.http.server import found
from tests.oracle.http import hostile
from tests.oracle.http.hostile import choice, completion, lying, saying

LOGPROBS = {
    "tokens": ["token_id:4", "token_id:5"],
    "token_logprobs": [-1.0, float("nan")],
    "top_logprobs": None,
}
WRONG = {
    "status 500": (hostile.status(500), "status 500"),
    "status 302": (hostile.status(302), "status 302"),
    "stalls": (hostile.stalls, "it stalls: no whole answer within 0.3 s"),
    "drips": (hostile.drips, "it stalls: no whole answer within 0.3 s"),
    "closes mid-answer": (hostile.closes, "closed 490 bytes before the end"),
    "no HTTP": (hostile.dies, "no answer"),
    "no JSON": (saying(b"<html>"), "no JSON in the answer"),
    "deep JSON": (saying(b"[" * 100_000), "no JSON in the answer"),
    "a list": (saying(b"[1]"), "no JSON object"),
    "no choices": (saying(b"{}"), "choices: None is no list"),
    "choices of numbers": (saying(b'{"choices": [1]}'), "no object"),
    "no text": (saying(completion({"text": 3})), "text: 3 is no text"),
    "too many": (saying(completion(choice([4]), choice([5]))), "2 answers where 1"),
    "ids below 0": (saying(completion(choice([4, -1]))), "-1 is no token id"),
    "ids as text": (saying(completion(choice(["4"]))), "is no token id"),
    "ids beyond": (saying(completion(choice([4, 16]))), "16 is not in a vocabulary"),
    "NaN": (saying(completion(choice([4, 5], logprobs=LOGPROBS))), "nan is no logprob"),
}


@pytest.mark.parametrize("name", WRONG)
def test_one_line_says_what_is_wrong(name: str) -> None:
    say, what = WRONG[name]
    with lying(say) as url, pytest.raises(Bad) as raised:
        found(url, vocab=16, timeout=0.3 if "stalls" in what else 60.0)
    line = str(raised.value)
    assert what in line
    assert url in line
    assert "\n" not in line
    assert len(line) < 400


def test_an_answer_may_be_so_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "MOST_BYTES", 10_000)
    with lying(saying(b" " * 100_000)) as url, pytest.raises(Bad, match="over 10,000"):
        Client(url, 5.0).post("/v1/completions", {})


@pytest.mark.parametrize("url", ["http://", "ftp://x", "http://h:port", "http://[x"])
def test_an_address_that_is_none(url: str) -> None:
    with pytest.raises(Bad, match="server"):
        Client(url)


def test_text_without_ids_is_told_and_not_guessed() -> None:
    made = completion({"text": "abc", "finish_reason": "length"})
    with lying(saying(made)) as url:
        report = judge.check(url, budget="smoke")
    unsupported = {t.name: t.detail for t in report.tiers if t.verdict == "unsupported"}
    assert "ids" in unsupported["http/length"]
    assert report.verdict == "unsupported"
    assert report.exit_code == 2
    assert judge.NO_IDS in report.trouble
    assert report.trouble.count("token ids") == 1


def test_what_was_found_before_it_broke_is_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "kept.json"
    with lying(hostile.right_then(hostile.status(503), 200)) as url:
        code = main(["check", url, "--budget", "smoke", "--json", str(kept)])
    said = capsys.readouterr().err.splitlines()
    assert code == 2
    assert len(said) == 1
    assert "status 503" in said[0]
    tiers = json.loads(kept.read_text())["tiers"]
    assert [tier["verdict"] for tier in tiers][:1] == ["not_rejected"]
    assert tiers[-1]["name"] == "contract"


def test_ids_that_cease_to_come_are_an_error() -> None:
    bare = saying(completion({"text": "abc", "finish_reason": "length"}))
    with lying(hostile.right_then(bare, 30)) as url:
        report = judge.check(url, budget="smoke")
    assert report.verdict == "errored"
    assert "text without token ids" in report.trouble


def test_a_server_is_not_asked_for_coins(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "http://127.0.0.1:9", "--rule", "chain"]) == 2
    assert "--rule" in capsys.readouterr().err
    assert main(["check", "any:engine", "--plain-url", "http://127.0.0.1:9"]) == 2
    assert "for servers" in capsys.readouterr().err
