"""specsim speedup: the closed forms."""

from argparse import Namespace

from specsim.commands import Add
from specsim.commands.saying import say


def add(command: Add) -> None:
    """Declare `speedup`."""
    made = command("speedup", speedup, "what speculation buys, in closed form")
    made.add_argument("--alpha", type=float, help="acceptance given those before")
    made.add_argument("--accepted", type=float, help="instead: tokens accepted ...")
    made.add_argument("--drafted", type=float, help="... of so many drafted")
    made.add_argument("--k", type=int, required=True, help="tokens drafted a step")
    made.add_argument(
        "--draft-cost", type=float, required=True, help="of one drafted token, in steps"
    )


def speedup(args: Namespace) -> int:
    from specsim import closed_forms

    made = closed_forms.speedup(
        args.alpha,
        k=args.k,
        draft_cost=args.draft_cost,
        accepted=args.accepted,
        drafted=args.drafted,
    )
    say(args, made.as_dict(), lambda: closed_forms.text(made))
    return 0
