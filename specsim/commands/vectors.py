"""specsim vectors: golden vectors for engines in any language."""

from argparse import Namespace
from pathlib import Path

from specsim.commands import Add
from specsim.commands.saying import say
from specsim.errors import Bad


def add(command: Add) -> None:
    """Declare `vectors export` and `vectors lint`."""
    made = command("vectors", vectors, "golden vectors for engines in any language")
    steps = made.add_subparsers(dest="do", required=True, parser_class=type(made))
    steps.add_parser("export", help="write them").add_argument("directory")
    steps.add_parser("lint", help="derive every expectation again, two ways")


def vectors(args: Namespace) -> int:
    from specsim.oracle import vectors

    if args.do == "export":
        if not args.directory:
            raise Bad("vectors export: name the directory to write to")
        try:
            files = [*map(str, vectors.export(Path(args.directory)))]
        except OSError as error:
            raise Bad(f"{args.directory}: {error.strerror}") from None
        say(args, {"files": files}, lambda: "\n".join(files))
        return 0
    problems = vectors.lint()
    say(args, {"problems": problems}, lambda: "\n".join(problems) or "nothing wrong")
    return 1 if problems else 0
