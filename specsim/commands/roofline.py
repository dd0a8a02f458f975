"""specsim roofline: how long one step takes, and what speculation makes of it."""

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from specsim.commands import Add
from specsim.commands.saying import picture, say
from specsim.errors import Bad

WORDS = "gpus", "batch", "context", "weights", "kv", "engine"
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
    made.add_argument("--batch", type=int, default=1)
    made.add_argument("--context", type=int, default=2048, help="tokens in the cache")
    made.add_argument("--weights", help="format of the weights; default: native")
    made.add_argument("--kv", help="format of the cache; default: native")
    made.add_argument("--engine", default="typical", help="vllm, sglang, gpt-fast ...")
    made.add_argument(
        "--over", metavar="NAME=LOW:HIGH", help="a table over batch, context, gpus"
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
    from specsim.roofline.prediction import predict
    from specsim.roofline.rendering import text

    _configured(args)
    if args.model is None:
        raise Bad("--model: say which, or give --from a configuration that does")
    drawing = picture(args, "specsim.roofline.pictures")
    if args.over is not None:
        return sweep(args, drawing)
    made = predict(args.model, args.gpu, **_asked(args))
    told, said = made.as_dict(), [text(made, explain=args.explain)]
    if args.drafter is not None:
        from specsim.roofline import speculation

        report = _speculated(args, made)
        told |= {"speculation": report.as_dict()} | report.as_dict()
        said += ["", speculation.text(report)]
    if drawing:
        drawing.roofline(made, Path(args.plot))
    say(args, told, lambda: "\n".join(said))
    return 0


def sweep(args: Namespace, drawing: Any) -> int:
    from specsim.roofline import sweep

    made = sweep.over(args.over, args.model, args.gpu, **_asked(args))
    if drawing:
        drawing.sweep(made, Path(args.plot))
    say(args, made.as_dict(), made.text)
    return 0


def _asked(args: Namespace) -> dict[str, Any]:
    """The keywords of `predict`."""
    from specsim.roofline.question import plan

    words = {name: getattr(args, name) for name in WORDS}
    return words | plan(words.pop("gpus"), *(getattr(args, name) for name in DEGREES))


def _configured(args: Namespace) -> None:
    """What the configuration says, where the command line does not."""
    if args.source is None:
        return
    from specsim.roofline import configurations

    setup = configurations.parse(args.source)
    given = {
        "drafter": setup.drafter,
        "k": setup.k,
        "tree": setup.tree and setup.tree.nodes,
        "draft_model": setup.draft_model if setup.drafter == "draft-model" else None,
        "model": setup.target,
        "gpus": setup.tensor_parallel if args.tp is None else None,
    }
    for name, value in given.items():
        if getattr(args, name) is None:
            setattr(args, name, value)


def _speculated(args: Namespace, made: Any) -> Any:
    from specsim.roofline import speculation

    if args.alpha is None:
        raise Bad("--drafter needs --alpha: how often a token is kept, from 0 to 1")
    chain = args.k is not None and args.tree is None
    return speculation.report(
        made.deployment,
        args.drafter,
        alpha=args.alpha,
        draft_model=args.draft_model,
        k=args.k,
        tree=0 if chain else args.tree,
        batch=args.batch,
        context=args.context,
        gpu_hour=args.gpu_hour,
    )
