"""specsim validate: the roofline against measured rows."""

from argparse import Namespace

from specsim.commands import Add
from specsim.commands.saying import say


def add(command: Add) -> None:
    """Declare `validate`."""
    made = command("validate", validate, "predicted against measured rows")
    made.epilog = "the columns of the three formats of FILE.csv: docs/roofline.md"
    made.add_argument(
        "file", nargs="?", metavar="FILE.csv", help="default: the rows shipped"
    )


def validate(args: Namespace) -> int:
    from specsim.roofline import validation

    made = validation.validate(args.file)
    say(args, made.as_dict(), made.text)
    return 0
