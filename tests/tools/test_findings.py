"""The page of findings is what its tool makes of the results that are kept."""

from pathlib import Path

from tools import findings


def test_the_page_is_made_of_the_results() -> None:
    text = findings.PAGE.read_text()
    assert findings.page(text, findings.results()) == text, "run tools/findings.py"


def test_every_function_was_run_and_none_twice() -> None:
    keys = [findings.key(subject) for subject in findings.subjects()]
    assert len(keys) == len({*keys})
    assert {*keys} == findings.results().keys()


def test_lossy_functions_are_rejected() -> None:
    kept = findings.results()
    lossy = [s for s in findings.subjects() if s.get("lossy")]
    assert lossy
    assert {kept[findings.key(s)]["verdict"] for s in lossy} == {"rejected"}


def test_what_is_rejected_comes_with_a_case_and_how_to_see_it() -> None:
    text = findings.PAGE.read_text()
    for name, found in findings.results().items():
        assert (found["witness"] is not None) == (found["verdict"] == "rejected"), name
        assert found["command"] in text
        assert found["date"] in text


def test_a_subject_that_is_not_here_is_told(tmp_path: Path) -> None:
    packaged = {"package": "no-such-package-of-ours==1", "engine": "a:b"}
    assert findings.missing(packaged, tmp_path) == (
        "pip install --no-deps no-such-package-of-ours==1"
    )
    numpy = {"package": "numpy==0.0.1", "engine": "a:b"}
    assert findings.missing(numpy, tmp_path).endswith("not 0.0.1")
    checkout = {"checkout": "owner/name at 0123", "engine": "a:b"}
    assert findings.missing(checkout, tmp_path) == "run it in a checkout of name"
    there = tmp_path / "name"
    assert not findings.missing(checkout, there)
