"""specsim generate: a text, drafted and verified, and how much faster that was."""

from argparse import Namespace
from typing import Any

from specsim.commands import Add
from specsim.commands.saying import say

SAMPLING = {
    "temperature": (float, "0 is greedy; default: 1"),
    "top-k": (int, "likeliest tokens to keep; 0 keeps all"),
    "top-p": (float, "mass of tokens to keep; 1 keeps all"),
    "min-p": (float, "keep tokens so likely, compared with the likeliest"),
    "repetition": (float, "divide logits of tokens seen by this"),
    "presence": (float, "taken off the logits of tokens generated"),
    "frequency": (float, "the same, for each time"),
}


def add(command: Add) -> None:
    """Declare `generate`."""
    made = command("generate", generate, "real decoding, with a draft and without")
    made.add_argument("--drafter", metavar="NAME", help="see list drafters")
    made.add_argument("--rule", metavar="NAME", help="default: usual for the drafter")
    made.add_argument("--k", type=int, default=4, help="how deep to draft; default: 4")
    made.add_argument(
        "--compare", action="store_true", help="every drafter and rule that fit"
    )
    made.add_argument("--target", metavar="PATH", help="a model; default: the embedded")
    made.add_argument("--draft-model", metavar="PATH", help="what it is made of")
    made.add_argument("--backend", choices=["numpy", "torch"], default="numpy")
    made.add_argument(
        "--calibration",
        metavar="FILE",
        help="what --compare predicts with: of calibrate --backend BACKEND --output",
    )
    _text(made.add_argument_group("text"))
    drawing = made.add_argument_group("how tokens are drawn")
    for name, (kind, help) in SAMPLING.items():
        drawing.add_argument(f"--{name}", type=kind, metavar="X", help=help)
    drawing.add_argument("--seed", type=int, default=0)


def _text(group: Any) -> None:
    asked = group.add_mutually_exclusive_group()
    asked.add_argument("--prompt", metavar="TEXT", help="what to go on from")
    asked.add_argument("--prompt-tokens", metavar="IDS", help="the same: 12,7,3")
    group.add_argument("--max-new-tokens", type=int, default=64, metavar="N")
    group.add_argument("--stop", action="append", metavar="TEXT", help="ends it")


def generate(args: Namespace) -> int:
    from specsim.generation import generated, scene, terminal

    asked = _asked(args)
    if args.compare:
        return compare(args, asked)
    pair = scene.pair(args.drafter or "draft-model", args.rule)
    made = scene.stage(pair, **asked)
    printer = None if args.json == "-" else terminal.Printer()
    if printer:
        printer.prompt(made.models.words.text(made.request.prompt))
    told = generated.generated(made, printer)
    lines = [*(printer.legend() if printer else ()), *terminal.summary(told)]
    say(args, told.as_dict(), lambda: "\n".join(["\n", *lines]))
    return 0


def compare(args: Namespace, asked: dict[str, Any]) -> int:
    from specsim.generation import league

    made = league.league(
        drafter=args.drafter, rule=args.rule, calibration=args.calibration, **asked
    )
    say(args, made.as_dict(), made.text)
    return 0


def _asked(args: Namespace) -> dict[str, Any]:
    """The keywords that both take."""
    from specsim.generation.request import ids

    tokens = args.prompt_tokens
    given = {name.replace("-", "_") for name in SAMPLING}
    sampling = {name: vars(args)[name] for name in given}
    return {
        "prompt": args.prompt if tokens is None else ids(tokens),
        "target": args.target,
        "draft_model": args.draft_model,
        "k": args.k,
        "max_new_tokens": args.max_new_tokens,
        "seed": args.seed,
        "stop": args.stop or (),
        "backend": args.backend,
    } | {name: value for name, value in sampling.items() if value is not None}
