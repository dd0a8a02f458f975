"""specsim roofline: how long one step takes, and why."""

from argparse import Namespace
from pathlib import Path
from typing import Any

from specsim.commands import Add
from specsim.commands.saying import picture, say

WORDS = "gpus", "batch", "context", "weights", "kv", "engine"
DEGREES = "tp", "pp", "ep", "dp"


def add(command: Add) -> None:
    """Declare `roofline`."""
    made = command("roofline", roofline, "how long one decode step takes, and why")
    made.add_argument("--model", required=True, help="70b, a hub id, a config.json")
    made.add_argument("--gpu", required=True, help="a100, h100, 4090, mi300x ...")
    made.add_argument(
        "--gpus", type=int, help="tensor parallel; default: least that fit"
    )
    for name in DEGREES:
        made.add_argument(f"--{name}", type=int, metavar="N", help=_PARALLEL[name])
    made.add_argument("--batch", type=int, default=1)
    made.add_argument("--context", type=int, default=2048, help="tokens in the cache")
    made.add_argument("--weights", help="format of the weights; default: native")
    made.add_argument("--kv", help="format of the cache; default: native")
    made.add_argument("--engine", default="typical", help="vllm, sglang, gpt-fast ...")
    made.add_argument(
        "--over", metavar="NAME=LOW:HIGH", help="a table over batch, context, gpus"
    )
    made.add_argument("--plot", metavar="FILE", help="the roofline, or --over, as .png")
    made.add_argument("--explain", action="store_true", help="every operation")


_PARALLEL = {
    "tp": "tensor parallel, as --gpus",
    "pp": "stages of layers",
    "ep": "groups that experts are dealt to",
    "dp": "replicas of attention",
}


def asked(args: Namespace) -> dict[str, Any]:
    """The keywords of `predict`."""
    from specsim.roofline.question import plan

    words = {name: getattr(args, name) for name in WORDS}
    return words | plan(words.pop("gpus"), *(getattr(args, name) for name in DEGREES))


def roofline(args: Namespace) -> int:
    from specsim.roofline.prediction import predict
    from specsim.roofline.rendering import text

    drawing = picture(args, "specsim.roofline.pictures")
    if args.over is not None:
        return sweep(args, drawing)
    made = predict(args.model, args.gpu, **asked(args))
    if drawing:
        drawing.roofline(made, Path(args.plot))
    say(args, made.as_dict(), lambda: text(made, explain=args.explain))
    return 0


def sweep(args: Namespace, drawing: Any) -> int:
    from specsim.roofline import sweep

    made = sweep.over(args.over, args.model, args.gpu, **asked(args))
    if drawing:
        drawing.sweep(made, Path(args.plot))
    say(args, made.as_dict(), made.text)
    return 0
