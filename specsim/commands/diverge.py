"""specsim diverge: is this divergence a bug or a tie?"""

from argparse import Namespace

from specsim.commands import Add
from specsim.commands.saying import say


def add(command: Add) -> None:
    """Declare `diverge`."""
    made = command("diverge", diverge, "is this divergence a bug or a tie?")
    made.epilog = "how the files are written: docs/diverge.md"
    made.add_argument("plain", metavar="PLAIN", help="greedy runs without speculation")
    made.add_argument("spec", metavar="SPEC", help="a greedy run with speculation")
    made.add_argument(
        "--reference",
        metavar="MODEL",
        help='a folder or file, or "probe": says the row where no file does',
    )
    made.add_argument(
        "--tolerance",
        type=float,
        metavar="NATS",
        help="what numerics may turn (default: as measured, else 0.25)",
    )


def diverge(args: Namespace) -> int:
    from specsim.oracle import divergence, transcripts

    made = divergence.diverge(
        *transcripts.pair(args.plain, args.spec, args.reference, args.tolerance)
    )
    say(args, made.as_dict(), made.text)
    return made.exit_code
