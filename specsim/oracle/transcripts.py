"""Transcripts of runs as JSON files; docs/diverge.md says how they are written."""

import math
from pathlib import Path
from typing import Any

from specsim import jsonfile
from specsim.errors import Bad
from specsim.oracle.divergence import Row, Transcript, agreed
from specsim.roofline.fields import short, short_path

MOST_BYTES = 256 * 2**20
KNOWN = "tokens", "rows", "narrow", "wide"


def pair(
    plain: str, spec: str, reference: str | None, tolerance: float | None
) -> tuple[list[Transcript], Transcript, Row | None, float | None]:
    """What `divergence.diverge` takes, from files.

    reference: a model that says the row at the first divergence; the files must then
               hold the prompt. Bad: whatever is wrong with them.
    """
    if tolerance is not None and not 0 <= tolerance < math.inf:
        raise Bad(f"--tolerance {tolerance}: give a number of nats from 0")
    runs, others = load(plain), load(spec)
    if len(others) > 1:
        raise Bad(
            f"{short_path(Path(spec))}: {len(others)} runs; give one speculative run"
        )
    _one_vocabulary((plain, runs), (spec, others))
    row = _row_of(reference, runs, others[0]) if reference else None
    return runs, others[0], row, tolerance


def _one_vocabulary(*files: tuple[str, list[Transcript]]) -> None:
    """Bad: whole rows of one file lack a token of the other."""
    for (path, runs), (_, others) in (files, files[::-1]):
        vocab = min((run.vocab for run in runs if run.vocab is not None), default=None)
        highest = max(token for run in others for token in run.tokens)
        if vocab is not None and highest >= vocab:
            raise Bad(
                f"{short_path(Path(path))}: a row of {vocab} logits, and the other "
                f"file holds token {highest}: give all logits, or an object by token id"
            )


def _row_of(model: str, plain: list[Transcript], spec: Transcript) -> Row | None:
    """The row of the model where the runs part, in nats; None where they do not."""
    from specsim.oracle.http.ask import Ask
    from specsim.oracle.http.reference import Reference

    nearest = max(plain, key=lambda run: agreed(run.tokens, spec.tokens))
    index = agreed(nearest.tokens, spec.tokens)
    if index == len(nearest.tokens):
        return None
    if not (prompt := nearest.prompt or spec.prompt):
        raise Bad("--reference: neither file holds the prompt; add it as token ids")
    text, known = (*prompt, *nearest.tokens[:index]), Reference(model)
    if max(text) >= known.vocab:
        raise Bad(f"token {max(text)}: the reference has only {known.vocab}")
    row = known.rows(Ask(prompt, 1), [nearest.tokens[:index]])
    (odds,) = row.values()
    return {i: math.log(w) for i, w in enumerate(odds.tolist()) if w > 0}


def load(path: str) -> list[Transcript]:
    """The transcripts in a JSON file; docs/diverge.md says how it is written."""
    file = Path(path).expanduser()
    given = jsonfile.read(file, MOST_BYTES, "see docs/diverge.md")
    runs = given.get("runs", [given]) if isinstance(given, dict) else given
    if not isinstance(runs, list) or not runs:
        raise Bad(f"{short_path(file)}: no runs in it; see docs/diverge.md")
    return [_read(f"{short_path(file)}: run {i}", run) for i, run in enumerate(runs)]


def _read(where: str, run: Any) -> Transcript:
    if not isinstance(run, dict):
        raise Bad(f"{where}: give an object with a list of tokens")
    if unknown := run.keys() - {"prompt", *KNOWN}:
        known = ", ".join(("prompt", *KNOWN))
        raise Bad(f"{where}: {short(min(unknown))} is not understood; use {known}")
    tokens, prompt = (
        _tokens(f"{where}: {name}", run.get(name, given))
        for name, given in (("tokens", None), ("prompt", []))
    )
    if not tokens:
        raise Bad(f"{where}: tokens: none are given; nothing was run")
    rows = [_rows(f"{where}: {name}", run.get(name), tokens) for name in KNOWN[1:]]
    return Transcript(tokens, prompt, *rows, vocab=_vocab(run))


def _vocab(run: dict[str, Any]) -> int | None:
    """The length of the shortest row that is a list."""
    rows = [row for name in KNOWN[1:] for row in run.get(name) or ()]
    return min((len(row) for row in rows if isinstance(row, list)), default=None)


def _tokens(where: str, given: Any) -> tuple[int, ...]:
    if not isinstance(given, list):
        raise Bad(f"{where}: give a list of token ids")
    if not all(type(token) is int and token >= 0 for token in given):
        raise Bad(f"{where}: token ids are whole numbers from 0")
    return tuple(given)


def _rows(where: str, given: Any, tokens: tuple[int, ...]) -> tuple[Row | None, ...]:
    """Rows as lists of logits, as objects by token id, or null."""
    if given is None:
        return ()
    if not isinstance(given, list):
        raise Bad(f"{where}: give a list with a row for each token")
    if len(given) != len(tokens):
        raise Bad(
            f"{where}: give a row or null for each of the {len(tokens)} tokens, "
            f"not {len(given)}"
        )
    highest = max(tokens)
    return tuple(_row(f"{where}[{i}]", row, highest) for i, row in enumerate(given))


def _row(where: str, given: Any, highest: int) -> Row | None:
    if given is None:
        return None
    if isinstance(given, list):
        if len(given) <= highest:
            raise Bad(
                f"{where}: {len(given)} logits, and the run holds token {highest}: "
                "give all logits, or an object by token id"
            )
        given = dict(enumerate(given))
    if not isinstance(given, dict):
        raise Bad(f"{where}: give a list of logits, or an object by token id")
    try:
        made = {int(token): float(value) for token, value in given.items()}
    except (TypeError, ValueError):
        raise Bad(
            f"{where}: {short(given)} holds something that is no number"
        ) from None
    if any(math.isnan(value) or value == math.inf for value in made.values()):
        raise Bad(f"{where}: NaN or infinity in a row: the run itself is broken")
    return made
