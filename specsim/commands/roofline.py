"""specsim roofline: how long one step takes, and what speculation makes of it."""

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from specsim.commands import Add
from specsim.commands.configured import configured
from specsim.commands.saying import picture, say
from specsim.errors import Bad

WORDS = "gpus", "weights", "kv", "engine"
SIZES = {"batch": 1, "context": 2048}
DRAFTING = "alpha", "k", "tree", "draft_model", "gpu_hour"
DEGREES = {
    "tp": "tensor parallel, as --gpus",
    "pp": "stages of layers",
    "ep": "groups that experts are dealt to",
    "dp": "replicas of attention",
}


def add(command: Add) -> None:
    """Declare `roofline`."""
    made = command("roofline", roofline, "how long one decode step takes, and why")
    made.add_argument("--model", help="70b, a hub id, a config.json; see list models")
    made.add_argument("--gpu", required=True, help="a100, h100, 4090, mi300x ...")
    made.add_argument(
        "--gpus", type=int, help="tensor parallel; default: least that fit"
    )
    for name, help in DEGREES.items():
        made.add_argument(f"--{name}", type=int, metavar="N", help=help)
    made.add_argument("--batch", type=int, help="sequences; default: 1")
    made.add_argument("--context", type=int, help="tokens in the cache; default: 2048")
    made.add_argument("--weights", help="format of the weights; default: native")
    made.add_argument("--kv", help="format of the cache; default: native")
    made.add_argument("--engine", default="typical", help="vllm, sglang, gpt-fast ...")
    made.add_argument(
        "--over",
        metavar="NAME=LOW:HIGH",
        help="a table over batch, context or gpus; LOW:HIGH doubles, A,B,C does not",
    )
    made.add_argument("--plot", metavar="FILE", help="the roofline, or --over, as .png")
    made.add_argument("--explain", action="store_true", help="derive every number")
    _speculation(made)


def _speculation(made: ArgumentParser) -> None:
    group = made.add_argument_group("speculation")
    group.add_argument("--drafter", help="draft-model, eagle3, mtp, prompt-lookup ...")
    group.add_argument("--draft-model", help="the small model of draft-model")
    group.add_argument("--k", type=int, help="tokens drafted one after another")
    group.add_argument("--tree", type=int, metavar="N", help="nodes, if it branches")
    group.add_argument("--alpha", help="acceptance: 0.8, or 0.8,0.7,0.6, or a .json")
    group.add_argument("--from", dest="source", metavar="CONFIG",
                       help="an engine's own speculative configuration")  # fmt: skip
    group.add_argument("--gpu-hour", type=float, help="price, for dollars a token")


def roofline(args: Namespace) -> int:
    _refuse_empty(args)
    _refuse_twice(args)
    notes = configured(args)
    _refuse_unused(args)
    if args.model is None:
        raise Bad("--model: say which, or give --from a configuration that does")
    drawing = picture(args, "specsim.roofline.pictures")
    told, said = _swept(args, drawing) if args.over else _one(args, drawing)
    if notes:
        told["notes"] = [*told.get("notes", []), *notes]
        gap = [] if said.splitlines()[-1].startswith("note: ") else [""]
        said = "\n".join([said, *gap, *(f"note: {note}" for note in notes)])
    say(args, told, lambda: said)
    return 0


def _one(args: Namespace, drawing: Any) -> tuple[dict[str, Any], str]:
    """One step, and a speculative one; keys of the plain step stay what they are."""
    from specsim.roofline.prediction import predict
    from specsim.roofline.rendering import text

    made = predict(args.model, args.gpu, **_asked(args), **_sizes(args))
    told, said = made.as_dict(), text(made, explain=args.explain)
    if args.drafter is not None:
        from specsim.roofline import speculation

        report = speculation.report(
            made.deployment,
            args.drafter,
            **_drafting(args),
            **_sizes(args),
            gpu_hour=args.gpu_hour,
        )
        more = report.as_dict()
        notes = list(dict.fromkeys(told["notes"] + more["notes"]))
        told |= more | told | {"notes": notes, "speculation": more}
        said += "\n\n" + speculation.text(report)
    if drawing:
        drawing.roofline(made, Path(args.plot))
    return told, said


def _swept(args: Namespace, drawing: Any) -> tuple[dict[str, Any], str]:
    """The table of --over, with speculation beside each row if there is a drafter."""
    from specsim.roofline import sweep

    asked = _asked(args) | _sizes(args)
    made: Any = sweep.over(args.over, args.model, args.gpu, **asked)
    if drawing:
        drawing.sweep(made, Path(args.plot))
    if args.drafter is not None:
        from specsim.roofline.speculation.sweep import gains

        made = gains(made, args.drafter, **_drafting(args))
    return made.as_dict(), made.text()


def _asked(args: Namespace) -> dict[str, Any]:
    """The keywords of `predict`."""
    from specsim.roofline.question import plan

    words = {name: getattr(args, name) for name in WORDS}
    return words | plan(words.pop("gpus"), *(getattr(args, name) for name in DEGREES))


def _sizes(args: Namespace) -> dict[str, Any]:
    given = {name: getattr(args, name) for name in SIZES}
    return SIZES | {name: n for name, n in given.items() if n is not None}


def _drafting(args: Namespace) -> dict[str, Any]:
    """The keywords of `speculate`."""
    if args.alpha is None:
        raise Bad("--drafter needs --alpha: how often a token is kept, from 0 to 1")
    chain = args.k is not None and args.tree is None
    return {
        "alpha": args.alpha,
        "draft_model": args.draft_model,
        "k": args.k,
        "tree": 0 if chain else args.tree,
    }


def _refuse_empty(args: Namespace) -> None:
    for name, value in vars(args).items():
        if isinstance(value, str) and not value.strip():
            raise Bad(f"{_flag(name)} is empty: say something, or leave it out")


def _refuse_twice(args: Namespace) -> None:
    """Bad where --over says what another option says too."""
    if args.over is None:
        return
    swept = args.over.partition("=")[0]
    same = {"gpus": ("gpus", *DEGREES)} | {name: (name,) for name in SIZES}
    for name in same.get(swept, ()):
        if getattr(args, name) is not None:
            raise Bad(f"{_flag(name)} and --over {args.over}: give one of them")


def _refuse_unused(args: Namespace) -> None:
    """Bad where an option would have no effect."""
    if args.drafter is None:
        for name in DRAFTING:
            if getattr(args, name) is not None:
                raise Bad(f"{_flag(name)} is of speculation: name a --drafter as well")
    if args.over is None:
        return
    if args.explain:
        raise Bad("--explain is of one step: leave out --over")
    if args.gpu_hour is not None:
        raise Bad("--gpu-hour is of one step: leave out --over")
    if args.plot is not None and args.drafter is not None:
        raise Bad("--plot with --over draws plain steps: leave out --drafter")


def _flag(name: str) -> str:
    return "--from" if name == "source" else "--" + name.replace("_", "-")
