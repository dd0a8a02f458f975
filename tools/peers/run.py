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

from tools.peers import rows, score, table
from tools.peers.cases import CASES
from tools.peers.measure import Report, answered, asked, known, measure
from tools.peers.registry import OURS, PEERS, Peer
from tools.peers.rows import Item


def report(
    peers: Sequence[Peer],
    directory: Path,
    items: Sequence[Item],
    limit_s: float,
    earlier: Report | None = None,
) -> Report:
    """All of them, specsim first, scored beside it.

    earlier: a report whose answers are taken where the same was asked of the same.
    """
    made = []
    for peer in [OURS, *(peer for peer in peers if peer is not OURS)]:
        print(f"{peer.name} ...", file=sys.stderr, flush=True)
        old = known(peer, earlier) if earlier else {}
        made.append(measure(peer, directory, items, limit_s, old))
    ours = answered(made[0], items)
    for row in made:
        scored = score.scores(items, answered(row, items), ours)
        row["scores"] = {name: asdict(each) for name, each in scored.items()}
    return {
        "date": date.today().isoformat(),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "items": asked(items),
        "peers": made,
    }


def questions(directory: Path, each: int, seed: int) -> list[Item]:
    """The cases, the decode rows and the sample of served rows."""
    cases = [Item(case.name, "cases", case.question, case.truth_ms) for case in CASES]
    return [*cases, *rows.decode(directory), *rows.served(directory, each, seed)]


def main(arguments: Sequence[str] | None = None) -> None:
    options = _options(arguments)
    named = {peer.name: peer for peer in PEERS}
    peers = [named[name] for name in options.peer or named]
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
        help="what --json wrote: its answers to the same questions stand",
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


if __name__ == "__main__":
    main()
