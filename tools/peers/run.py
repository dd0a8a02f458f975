"""Run every simulator on the same questions, and print errors and times.

python -m tools.peers.run --venvs DIR --json out.json
"""

import argparse
import json
import platform
import sys
from collections.abc import Sequence
from dataclasses import asdict
from datetime import date
from pathlib import Path
from statistics import median
from typing import Any

from tools.peers import rows, score, table, talk, venvs
from tools.peers.cases import CASES
from tools.peers.registry import OURS, PEERS, Peer
from tools.peers.rows import Item
from tools.peers.talk import Outcome

UNASKED = Outcome(refused="not asked: specsim's tables lack the model or the GPU")
STARTS = 3
INSTALL_S = 1800.0


def measure(
    peer: Peer, directory: Path, items: Sequence[Item], limit_s: float
) -> dict[str, Any]:
    """What one simulator takes and answers; `failed` says why it did not run."""
    row = {"name": peer.name, "version": _version(peer), "failed": ""}
    try:
        python = venvs.python(directory, peer.name, peer.pins, INSTALL_S)
        start_s = talk.start_seconds(python, peer.module, STARTS)
    except (venvs.Failed, talk.Lost) as failure:
        return row | {"failed": str(failure)}
    outcomes = _outcomes(python, peer.module, items, limit_s)
    seconds = [outcome.seconds for outcome in outcomes if outcome.seconds]
    return row | {
        "start_s": start_s,
        "first_s": seconds[0] if seconds else None,
        "query_s": median(seconds[1:]) if seconds[1:] else None,
        "installed": venvs.installed(python) if peer.pins else [],
        "refusals": score.refusals(items, outcomes),
        "answers": [asdict(outcome) for outcome in outcomes],
    }


def report(
    peers: Sequence[Peer],
    directory: Path,
    items: Sequence[Item],
    limit_s: float,
    earlier: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """All of them, specsim first, scored beside it.

    earlier: another report, whose simulators are not run again if they were asked the
        same in the same version; specsim always is.
    """
    asked = [{"name": item.name, "group": item.group, "ms": item.ms} for item in items]
    known = {}
    if earlier and earlier["items"] == asked:
        known = {(row["name"], row["version"]): row for row in earlier["peers"]}
    made = []
    for peer in [OURS, *(peer for peer in peers if peer is not OURS)]:
        row = known.get((peer.name, _version(peer))) if peer.pins else None
        if row is None:
            print(f"{peer.name} ...", file=sys.stderr, flush=True)
            row = measure(peer, directory, items, limit_s)
        made.append(row)
    ran = [row for row in made if not row["failed"]]
    ours = _answers(made[0], items)
    for row in ran:
        scored = score.scores(items, _answers(row, items), ours)
        row["scores"] = {name: asdict(each) for name, each in scored.items()}
    return {
        "date": date.today().isoformat(),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "items": asked,
        "peers": made,
    }


def questions(directory: Path, each: int, seed: int) -> list[Item]:
    """The cases, the decode rows and the sample of served rows."""
    cases = [Item(case.name, "cases", case.question, case.truth_ms) for case in CASES]
    return [*cases, *rows.decode(directory), *rows.served(directory, each, seed)]


def main(arguments: Sequence[str] | None = None) -> None:
    options = _options(arguments)
    known = {peer.name: peer for peer in PEERS}
    peers = [known[name] for name in options.peer or known]
    items = questions(options.rows, options.served, options.seed)
    earlier = json.loads(options.reuse.read_text()) if options.reuse else None
    made = report(peers, options.venvs, items, options.limit, earlier)
    if options.json:
        options.json.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    print(table.text(made))


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tools.peers.run", description=__doc__.splitlines()[0]
    )
    add = parser.add_argument
    add("--venvs", type=Path, required=True, help="where environments are kept")
    add("--json", type=Path, help="write everything there")
    add(
        "--reuse",
        type=Path,
        metavar="FILE",
        help="what --json wrote: run again only specsim, and what was asked otherwise",
    )
    add(
        "--peer",
        action="append",
        choices=[peer.name for peer in PEERS],
        help="only this one, beside specsim; may be repeated",
    )
    add(
        "--rows",
        type=Path,
        default=rows.MEASUREMENTS,
        help="directory of decode.csv and serving.csv",
    )
    add(
        "--served",
        type=int,
        default=100,
        metavar="N",
        help="served rows of dense models, and of mixtures (100)",
    )
    add("--seed", type=int, default=0, help="of the sample of served rows (0)")
    add("--limit", type=float, default=60, metavar="S",
        help="seconds an answer may take (60)")  # fmt: skip
    return parser.parse_args(arguments)


def _outcomes(
    python: str, module: str, items: Sequence[Item], limit_s: float
) -> list[Outcome]:
    """An outcome for each item, also for those that cannot be put."""
    put = [item.question for item in items if item.question]
    made = iter(talk.answers(python, module, put, limit_s))
    return [next(made) if item.question else UNASKED for item in items]


def _answers(row: dict[str, Any], items: Sequence[Item]) -> list[Outcome]:
    if row["failed"]:
        return [Outcome(refused=row["failed"])] * len(items)
    return [Outcome(**answer) for answer in row["answers"]]


def _version(peer: Peer) -> str:
    return peer.pins[0].partition("==")[2] if peer.pins else "this checkout"


if __name__ == "__main__":
    main()
