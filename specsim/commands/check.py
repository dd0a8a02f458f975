"""specsim check: is it right?"""

import sys
from argparse import Namespace

from specsim.commands import Add
from specsim.commands.saying import say


def add(command: Add) -> None:
    """Declare `check`."""
    made = command("check", check, "judge an engine, or without ENGINE specsim itself")
    judged = made.add_mutually_exclusive_group()
    judged.add_argument("engine", nargs="?", metavar="ENGINE", help="module:attribute")
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


def check(args: Namespace) -> int:
    if args.engine is None and args.mutant is None:
        return check_ourselves(args)
    from specsim.oracle import judge
    from specsim.oracle.engines import planted

    report = judge.check(
        planted.spec(args.mutant) if args.engine is None else args.engine,
        rule=args.rule,
        false_alarm=args.false_alarm,
        budget=args.budget,
        seed=args.seed,
    )
    say(args, report.as_dict(), report.text)
    if report.exit_code == 2:
        print(f"specsim check: {report.trouble}", file=sys.stderr)
    return report.exit_code


def check_ourselves(args: Namespace) -> int:
    from specsim.oracle import suite

    result = suite.run(args.budget in ("full", "nightly"), args.rule)
    say(args, result.as_dict(), result.text)
    return 1 if result.verdict == "rejected" else 0
