"""specsim advise: should I speculate here, with what, and how far ahead?"""

from argparse import Namespace

from specsim.commands import Add
from specsim.commands.saying import say

WORDS = (
    "task", "temperature", "batch", "context", "slo_ms", "engine", "gpus", "emit",
)  # fmt: skip


def add(command: Add) -> None:
    """Declare `advise`."""
    made = command("advise", advise, "whether to speculate, which drafter, which k")
    made.add_argument("--model", required=True, help="70b, a hub id, a config.json")
    made.add_argument("--gpu", required=True, help="a100, h100, 4090, mi300x ...")
    made.add_argument("--gpus", type=int, help="default: least that fit")
    made.add_argument(
        "--task", default="mixed", help="chat, code, maths, rag, edit ..."
    )
    made.add_argument("--temperature", type=float, default=0.0)
    made.add_argument("--batch", type=int, default=1)
    made.add_argument("--context", type=int, default=2048, help="tokens in the cache")
    made.add_argument("--slo-ms", type=float, help="wanted between two tokens")
    made.add_argument("--engine", default="typical", help="vllm, sglang, trtllm ...")
    made.add_argument("--emit", metavar="ENGINE", help="its configuration, ready")


def advise(args: Namespace) -> int:
    from specsim.roofline import advice
    from specsim.roofline.advice.rendering import text

    asked = {name: getattr(args, name) for name in WORDS}
    made = advice.advise(args.model, args.gpu, **asked)
    say(args, made.as_dict(), lambda: text(made))
    return 0
