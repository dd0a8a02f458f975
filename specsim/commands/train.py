"""specsim train: a target, or what drafts for one."""

from argparse import Namespace

from specsim.commands import Add
from specsim.commands.saying import say

GIVEN = (
    *("steps", "rate", "seed", "length", "batch"),
    *("divergence", "sampled", "heads", "cross_entropy", "vocabulary"),
)


def add(command: Add) -> None:
    """Declare `train`."""
    made = command("train", train, "train a draft, heads, or a small model")
    made.add_argument("kind", choices=["draft", "medusa", "eagle", "mtp", "target"])
    made.add_argument("--data", nargs="+", required=True, help="files, or folders")
    made.add_argument("--output", required=True, metavar="FILE.safetensors")
    made.add_argument("--target", help="whom to draft for; default: the embedded model")
    made.add_argument("--steps", type=int, help="default: the kind's own")
    made.add_argument("--rate", type=float, help="highest learning rate")
    made.add_argument("--seed", type=int)
    made.add_argument("--length", type=int, help="tokens of a window")
    made.add_argument("--batch", type=int, help="windows of a step")
    made.add_argument("--divergence", help="draft: forward-kl, acceptance ...")
    made.add_argument("--sampled", type=int, help="draft: tokens the target writes")
    made.add_argument("--heads", type=int, help="medusa: how many")
    made.add_argument("--joint", action="store_true", help="medusa: with the target")
    made.add_argument("--cross-entropy", type=float, help="eagle: what it counts")
    made.add_argument("--vocabulary", type=int, help="eagle, medusa: commonest words")
    made.add_argument(
        "--remember", action="store_true", help="the target reads windows once"
    )
    made.add_argument("--start", help="draft: a model to go on from")
    made.add_argument("--resume", action="store_true", help="after a broken run")
    made.add_argument("--device", choices=["cpu", "cuda"], default="cpu")


def train(args: Namespace) -> int:
    from specsim import training

    asked = {name: getattr(args, name) for name in (*GIVEN, "start")}
    made = training.train(
        args.kind,
        data=args.data,
        output=args.output,
        target=args.target,
        resume=args.resume,
        device=args.device,
        joint=args.joint,
        remember=args.remember,
        **{name: value for name, value in asked.items() if value is not None},
    )
    say(args, made.as_dict(), made.text)
    return 0
