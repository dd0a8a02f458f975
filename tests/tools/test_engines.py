"""The page of whole engines is what its tool makes of the results that are kept."""

from tools import engines, findings


def test_the_page_is_made_of_the_results() -> None:
    text = findings.PAGE.read_text()
    assert engines.page(text, engines.results()) == text, "run tools/engines.py"


def test_results_are_of_engines_that_there_are() -> None:
    keys = [findings.key(subject) for subject in engines.subjects()]
    assert len(keys) == len({*keys})
    assert engines.results().keys() <= {*keys}


def test_both_tools_leave_the_part_of_the_other_alone() -> None:
    text = findings.PAGE.read_text()
    assert engines.page(findings.page(text, findings.results()), {}).count("## ") > 1
    assert findings.page(text, {}).count(engines.START) == 1


def test_modes_are_told_apart() -> None:
    tiers = [
        {"name": "generate/plain/greedy", "verdict": "not_rejected"},
        {"name": "generate/plain/contract", "verdict": "errored"},
        {"name": "generate/ngram/greedy", "verdict": "rejected"},
    ]
    made = engines.modes({"tiers": tiers})
    assert [tier["name"] for tier in made["plain"]] == ["greedy", "contract"]
    assert made["ngram"] == [{"name": "greedy", "verdict": "rejected"}]
