"""specsim probe: the tiny target and draft that whole engines are judged on."""

from argparse import Namespace

from specsim.commands import Add
from specsim.commands.saying import say
from specsim.errors import Bad


def add(command: Add) -> None:
    """Declare `probe export`."""
    made = command("probe", probe, "the tiny models that whole engines are judged on")
    steps = made.add_subparsers(dest="do", parser_class=type(made))
    export = steps.add_parser("export", help="write them")
    export.add_argument("--format", required=True, metavar="hf|gguf|onnx|openvino")
    export.add_argument("directory")


def probe(args: Namespace) -> int:
    if args.do is None:
        raise Bad("say what to do: specsim probe export --format hf DIRECTORY")
    from specsim.oracle.probe import export

    made = export.export(args.format, args.directory)
    files = {name: str(path) for name, path in made.items()}
    say(args, files, lambda: "\n".join(f"{k:7} {v}" for k, v in files.items()))
    return 0
