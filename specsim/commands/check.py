"""specsim check: is it right?"""

import sys
from argparse import Namespace
from typing import TYPE_CHECKING, Any

from specsim.commands import Add
from specsim.commands.saying import put, say, writable
from specsim.errors import Bad

if TYPE_CHECKING:
    from specsim.oracle.report import Report


EXITS = (
    "Exit codes: 0 right; 1 rejected; 2 a broken engine, nothing to judge, or bad "
    "usage, with the reason on standard error; 3 not enough evidence."
)


def add(command: Add) -> None:
    """Declare `check`."""
    made = command("check", check, "judge an engine, or without ENGINE specsim itself")
    made.epilog = EXITS
    judged = made.add_mutually_exclusive_group()
    judged.add_argument(
        "engine",
        nargs="?",
        metavar="ENGINE",
        help="module:attribute, ./program or http://host:port",
    )
    judged.add_argument("--mutant", metavar="NAME", help="a planted bug, to see red")
    made.add_argument(
        "--rule",
        metavar="NAME",
        help="without ENGINE judge that rule alone; else compare coins with it",
    )
    made.add_argument("--false-alarm", type=float, default=1e-9, metavar="ODDS")
    made.add_argument(
        "--budget", choices=["smoke", "quick", "full", "nightly"], default="quick"
    )
    made.add_argument("--seed", type=int, default=0)
    made.add_argument(
        "--plain-url", metavar="URL", help="the same server without speculation"
    )
    made.add_argument(
        "--reference",
        metavar="MODEL",
        help='what a server serves: a folder, a file or "probe"; gives the exact law',
    )
    made.add_argument("--model", metavar="NAME", help="what to ask a server for")
    made.add_argument(
        "--device", choices=["cpu", "cuda"], default="cpu", help="of our own twins"
    )
    made.add_argument(
        "--executor", choices=["local", "dask"], help="where an ENGINE is judged"
    )
    made.add_argument("--scheduler-address", metavar="HOST:PORT", help="of dask")
    made.add_argument("--html", metavar="FILE", help="with ENGINE: a page in one file")
    made.add_argument("--junit", metavar="FILE", help="with ENGINE: JUnit XML")


def check(args: Namespace) -> int:
    if args.engine is None and args.mutant is None:
        if args.html or args.junit or args.executor:
            raise Bad("--html, --junit and --executor are of an ENGINE: name one")
        return check_ourselves(args)
    writable(html=args.html, junit=args.junit)
    from specsim.oracle.reporting import html, junit

    report = elsewhere(args) if args.executor else here(args)
    if args.html:
        put("--html", args.html, html.page(report))
    if args.junit:
        put("--junit", args.junit, junit.document(report))
    say(args, report.as_dict(), report.text)
    if report.exit_code == 2:
        print(f"specsim check: {report.trouble}", file=sys.stderr)
    return report.exit_code


def here(args: Namespace) -> "Report":
    from specsim.oracle import judge

    return judge.check(**_asked(args))


def elsewhere(args: Namespace) -> "Report":
    """By an executor, in a process of its own, wherever that is."""
    from specsim.oracle.campaign.executors import EXECUTORS
    from specsim.oracle.campaign.task import work
    from specsim.oracle.reporting import results

    with EXECUTORS[args.executor](1, args.scheduler_address) as executor:
        outcome = executor.submit(work, _asked(args)).result()
    if "raised" in outcome:
        raise Bad(outcome["raised"])
    return results.made(outcome["report"])


def _asked(args: Namespace) -> dict[str, Any]:
    """What `judge.check` is to be asked."""
    from specsim.oracle.engines import planted

    engine = planted.spec(args.mutant) if args.engine is None else args.engine
    names = "rule", "false_alarm", "budget", "seed"
    return {"engine": engine, **{n: getattr(args, n) for n in names}, **_served(args)}


def _served(args: Namespace) -> dict[str, str]:
    """What was said of a server."""
    names = "plain_url", "reference", "model"
    return {name: value for name in names if (value := getattr(args, name))}


def check_ourselves(args: Namespace) -> int:
    from specsim.oracle import suite

    full = args.budget in ("full", "nightly")
    result = suite.run(full, args.rule, args.device)
    say(args, result.as_dict(), result.text)
    return 1 if result.verdict == "rejected" else 0
