"""Each fault of the stub is found by the checks that are there for it."""

import pytest

from specsim.oracle.http.checks import drafts
from specsim.oracle.http.stub.faults import FAULTS
from tests.oracle.http.stubs import LARGE, ROWS, SMALL, bench, served

KILLED = {
    "end-inside-a-block-missed": ["stop-tokens", "end-token"],
    "draft-charged-before-it-is-kept": ["length"],
    "stop-string-across-tokens-missed": ["stop-strings"],
    "tokens-after-the-stop-string": ["stop-strings/tokens"],
    "nothing-forgotten": ["blocks"],
    "one-too-many-forgotten": ["blocks"],
    "filters-on-the-last-row-alone": ["bans", "choice"],
    "temperature-alone": ["limits-of-filters", "bans"],
    "block-not-in-the-penalties": ["repetition-penalty"],
    "last-token-counted-twice": ["presence-and-frequency-penalty"],
    "refused-drafts-penalised": ["repetition-penalty"],
    "processed-a-row-late": ["presence-and-frequency-penalty"],
    "length-in-whole-blocks": ["length"],
    "parameters-of-the-first-request": ["canaries"],
    "prompt-of-a-neighbour": ["state/together"],
    "seed-ignored": ["seeds"],
    "seed-ignored-by-the-draft": ["seeds"],
    "state-of-the-last-request-kept": ["state/afterwards"],
    "draft-worse-by-the-hour": ["drift"],
    "bonus-row-unprocessed": ["bans"],
    "penalties-on-the-last-row-alone": ["repetition-penalty"],
    "logprob-of-accepted-tokens-zero": ["logprobs"],
    "logprobs-a-row-late": ["logprobs"],
    "counters-count-the-bonus": ["metrics"],
    "bonus-counted-as-accepted": ["metrics"],
}
LLAMA = {"bonus-counted-as-accepted"}
"""Those of the other dialect."""


def test_every_fault_has_a_check_that_is_there_for_its_kind() -> None:
    assert KILLED.keys() == FAULTS.keys()
    for name, fault in FAULTS.items():
        assert fault.kind in ROWS[KILLED[name][0]].kinds, name


@pytest.mark.parametrize("fault", FAULTS)
def test_fault_is_found(fault: str) -> None:
    dialect = "llama.cpp" if fault in LLAMA else "openai"
    with served(fault, dialect=dialect) as url:
        asked = bench(url, scale=LARGE if "drift" in KILLED[fault] else SMALL)
        if "drift" in KILLED[fault]:
            drafts.look(asked)
        for name in KILLED[fault]:
            found = ROWS[name].run(asked)
            assert found.verdict == "rejected", (name, found)
