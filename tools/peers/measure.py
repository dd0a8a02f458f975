"""One simulator: what it takes, and its outcome for each item."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import median
from typing import Any

from tools.peers import score, talk, venvs
from tools.peers.registry import Peer
from tools.peers.rows import Item
from tools.peers.talk import Outcome

Report = dict[str, Any]
Known = Mapping[str, Outcome]
"""Outcomes of an earlier run by `digest`."""

UNASKED = Outcome(refused="not asked: specsim's tables lack the model or the GPU")
STARTS = 3
INSTALL_S = 1800.0


def measure(
    peer: Peer, directory: Path, items: Sequence[Item], limit_s: float, known: Known
) -> Report:
    """What one simulator takes and answers; `failed` says why it did not run."""
    row = named(peer)
    try:
        python = venvs.python(directory, peer.name, peer.pins, INSTALL_S)
        start_s = talk.start_seconds(python, peer.module, STARTS)
    except (venvs.Failed, talk.Lost) as failure:
        return row | {"failed": str(failure)}
    outcomes = _outcomes(python, peer.module, items, limit_s, known)
    seconds = [outcome.seconds for outcome in outcomes if outcome.seconds]
    return row | {
        "start_s": start_s,
        "first_s": seconds[0] if seconds else None,
        "query_s": median(seconds[1:]) if seconds[1:] else None,
        "installed": venvs.installed(python) if peer.pins else [],
        "refusals": score.refusals(items, outcomes),
        "answers": [asdict(outcome) for outcome in outcomes],
    }


def named(peer: Peer) -> Report:
    """How a row begins: who was asked, in which version and in what words."""
    version = peer.pins[0].partition("==")[2] if peer.pins else "this checkout"
    sources = (talk.ROOT / f"{name.replace('.', '/')}.py" for name in _words(peer))
    read = (path.read_text(encoding="utf-8") for path in sources if path.exists())
    adapter = _hash("".join(read))
    return {"name": peer.name, "version": version, "adapter": adapter, "failed": ""}


def asked(items: Sequence[Item]) -> list[Report]:
    """The items, as a report lists them."""
    return [
        {
            "name": item.name,
            "group": item.group,
            "ms": item.ms,
            "question": digest(item),
        }
        for item in items
    ]


def answered(row: Report, items: Sequence[Item]) -> list[Outcome]:
    """A row's outcomes; of one that failed, as many refusals."""
    if row["failed"]:
        return [Outcome(refused=row["failed"])] * len(items)
    return [Outcome(**answer) for answer in row["answers"]]


def known(peer: Peer, earlier: Report) -> Known:
    """What an earlier report has of it: same version, same adapter; never specsim's."""
    start = named(peer)
    for row in earlier["peers"]:
        if peer.pins and {name: row[name] for name in start} == start:
            answers = (Outcome(**answer) for answer in row["answers"])
            pairs = zip(earlier["items"], answers, strict=True)
            return {item["question"]: outcome for item, outcome in pairs}
    return {}


def digest(item: Item) -> str:
    """The same for the same question."""
    if item.question is None:
        return ""
    return _hash(json.dumps(item.question.as_dict(), sort_keys=True))


def _words(peer: Peer) -> list[str]:
    """The modules that put a question in its words."""
    return [peer.module, "tools.peers.question", "tools.peers.config"]


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _outcomes(
    python: str, module: str, items: Sequence[Item], limit_s: float, known: Known
) -> list[Outcome]:
    """An outcome for each item: known, new, or none for what cannot be put."""
    known = {"": UNASKED} | dict(known)
    new = {digest(item): item.question for item in items if item.question}
    put = {name: question for name, question in new.items() if name not in known}
    made = talk.answers(python, module, list(put.values()), limit_s)
    every = known | dict(zip(put, made, strict=True))
    return [every[digest(item)] for item in items]
