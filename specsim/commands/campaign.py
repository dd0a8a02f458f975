"""specsim campaign: many checks, which may be killed and go on where they were."""

import os
import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from specsim.commands import Add
from specsim.commands.saying import say
from specsim.errors import Bad

if TYPE_CHECKING:
    from specsim.oracle.campaign.combined import Combined


def add(command: Add) -> None:
    """Declare `campaign`."""
    made = command("campaign", campaign, "check engines from many seeds, resumably")
    made.add_argument("engines", nargs="+", metavar="ENGINE", help="as check takes it")
    made.add_argument(
        "--store",
        required=True,
        metavar="FILE",
        help="where results are kept; the same command goes on from them",
    )
    made.add_argument("--seeds", type=int, default=10, metavar="N", help="of each")
    made.add_argument("--seed", type=int, default=0, help="the first one")
    made.add_argument("--rule", metavar="NAME", help="as check takes it")
    made.add_argument("--false-alarm", type=float, default=1e-9, metavar="ODDS")
    made.add_argument(
        "--budget", choices=["smoke", "quick", "full", "nightly"], default="nightly"
    )
    made.add_argument("--executor", choices=["local", "dask"], default="local")
    made.add_argument(
        "--workers", type=int, default=1, metavar="N", help="checks at once, locally"
    )
    made.add_argument("--scheduler-address", metavar="HOST:PORT", help="of dask")


def campaign(args: Namespace) -> int:
    from specsim.oracle.campaign import campaign as running
    from specsim.oracle.campaign.executors import EXECUTORS
    from specsim.oracle.campaign.store import Store
    from specsim.oracle.judge import WORST_FIRST

    if min(args.seeds, args.workers) < 1:
        raise Bad("--seeds and --workers: one at least")
    if not 0 < args.false_alarm < 1:
        raise Bad(f"--false-alarm {args.false_alarm}: it must lie between 0 and 1")
    seeds = range(args.seed, args.seed + args.seeds)
    names = "budget", "false_alarm", "rule"
    asked = {name: vars(args)[name] for name in names}
    every = [*running.tasks([*dict.fromkeys(args.engines)], seeds, **asked)]
    opened = EXECUTORS[args.executor](args.workers, args.scheduler_address)
    with Store(Path(args.store)) as store:
        try:
            with opened as executor:
                running.run(every, executor, store)
        except KeyboardInterrupt:
            print("\nstopped; the same command goes on from here", file=sys.stderr)
            os._exit(130)  # without it the tasks that run would be waited for
        found = running.verdicts(every, store, args.false_alarm)
    rows = [each.as_dict() for each in found]
    say(args, {"report": "specsim campaign", "engines": rows}, lambda: _text(found))
    worst = min(found, key=lambda each: WORST_FIRST.index(each.verdict))
    return worst.exit_code


def _text(found: "Sequence[Combined]") -> str:
    return "\n".join(each.text() for each in found)
