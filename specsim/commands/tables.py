"""specsim list: the tables, and the rules side by side."""

from argparse import Namespace
from pathlib import Path

from specsim.commands import Add
from specsim.commands.saying import picture, say
from specsim.errors import Bad


def add(command: Add) -> None:
    """Declare `list`."""
    made = command("list", tables, "print a table")
    made.add_argument(
        "what", choices=["rules", "drafters", "models", "gpus", "mutants"]
    )
    made.add_argument(
        "--compare", action="store_true", help="rules: tokens per step on every draft"
    )
    compared = made.add_argument_group("with --compare")
    compared.add_argument("--plot", metavar="FILE", help="draw it there, as .png ...")
    compared.add_argument("--vocab", type=int, help="words, 2 to 8; default: 3")
    compared.add_argument(
        "--worlds", type=int, help="random ones, seconds each, or 0; default: 5"
    )
    compared.add_argument("--seed", type=int)


def tables(args: Namespace) -> int:
    from specsim import tables

    names = "vocab", "worlds", "seed"
    asked = {name: vars(args)[name] for name in names if vars(args)[name] is not None}
    if args.compare:
        return compare_rules(args, asked)
    if asked or args.plot:
        raise Bad("--plot, --vocab, --worlds and --seed go with --compare: add it")
    rows, text = tables.TABLES[args.what]
    say(args, rows(), text)
    return 0


def compare_rules(args: Namespace, asked: dict[str, int]) -> int:
    from specsim import compare
    from specsim.tables import comparison_text

    if args.what != "rules":
        raise Bad(f"--compare is for rules, not {args.what}: list rules --compare")
    drawing = picture(args, "specsim.plot")
    made = compare.compare(**asked)
    if drawing:
        drawing.draw(made, Path(args.plot))
    say(args, made.as_dict(), lambda: comparison_text(made))
    return 0
