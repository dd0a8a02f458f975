"""specsim check: is it right?"""

import sys
from argparse import Namespace

from specsim.commands import Add
from specsim.commands.saying import put, say, writable
from specsim.errors import Bad


def add(command: Add) -> None:
    """Declare `check`."""
    made = command("check", check, "judge an engine, or without ENGINE specsim itself")
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
    made.add_argument("--html", metavar="FILE", help="with ENGINE: a page in one file")
    made.add_argument("--junit", metavar="FILE", help="with ENGINE: JUnit XML")


def check(args: Namespace) -> int:
    if args.engine is None and args.mutant is None:
        if args.html or args.junit:
            raise Bad("--html and --junit are of an ENGINE: name one")
        return check_ourselves(args)
    writable(html=args.html, junit=args.junit)
    from specsim.oracle import judge
    from specsim.oracle.engines import planted
    from specsim.oracle.reporting import html, junit

    report = judge.check(
        planted.spec(args.mutant) if args.engine is None else args.engine,
        rule=args.rule,
        false_alarm=args.false_alarm,
        budget=args.budget,
        seed=args.seed,
        **_served(args),
    )
    if args.html:
        put("--html", args.html, html.page(report))
    if args.junit:
        put("--junit", args.junit, junit.document(report))
    say(args, report.as_dict(), report.text)
    if report.exit_code == 2:
        print(f"specsim check: {report.trouble}", file=sys.stderr)
    return report.exit_code


def _served(args: Namespace) -> dict[str, str]:
    """What was said of a server."""
    names = "plain_url", "reference", "model"
    return {name: value for name in names if (value := getattr(args, name))}


def check_ourselves(args: Namespace) -> int:
    from specsim.oracle import suite

    result = suite.run(args.budget in ("full", "nightly"), args.rule)
    say(args, result.as_dict(), result.text)
    return 1 if result.verdict == "rejected" else 0
