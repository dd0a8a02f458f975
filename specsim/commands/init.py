"""specsim init: a first engine in your language, to be made your own."""

from argparse import Namespace
from pathlib import Path

from specsim.commands import Add
from specsim.commands.saying import say

LANGUAGES = "python", "rust", "go", "cpp", "js"


def add(command: Add) -> None:
    """Declare `init`."""
    made = command("init", init, "a small engine that passes, to put your verifier in")
    made.add_argument("language", choices=LANGUAGES)
    made.add_argument("folder", nargs="?", default=".", metavar="FOLDER")


def init(args: Namespace) -> int:
    from specsim.oracle.wire import stubs

    written = stubs.write(args.language, Path(args.folder))
    steps = stubs.STUBS[args.language].steps
    if args.folder != ".":
        steps = [f"cd {args.folder}", *steps]
    told = [f"wrote {written}", "", "next", *(f"  {step}" for step in steps)]
    say(args, {"file": str(written), "next": steps}, lambda: "\n".join(told))
    return 0
