"""specsim calibrate: measure this machine."""

from argparse import Namespace
from pathlib import Path

from specsim.commands import Add
from specsim.commands.saying import picture, say


def add(command: Add) -> None:
    """Declare `calibrate`."""
    made = command(
        "calibrate", calibrate, "measure this machine, for roofline --gpu FILE.json"
    )
    made.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    made.add_argument(
        "--backend",
        choices=["numpy", "torch"],
        help="numpy: what generate runs on; default: torch where it is installed",
    )
    made.add_argument("--threads", type=int, help="of torch; default: what it takes")
    made.add_argument("--seconds", type=float, default=15.0, help="about; default: 15")
    made.add_argument("--output", metavar="FILE.json", help="the machine's row")
    made.add_argument(
        "--plot", metavar="FILE", help="what 1 to 64 tokens cost, as .png ..."
    )


def calibrate(args: Namespace) -> int:
    from specsim.progress import Progress
    from specsim.roofline import calibration

    drawing = picture(args, "specsim.roofline.calibration.plot")
    if args.output is not None:
        calibration.writable(args.output)
    with Progress() as said:
        made = calibration.calibrate(
            args.device, args.threads, args.seconds, said, args.backend
        )
    if args.output is not None:
        made.save(args.output)
    if drawing:
        drawing.draw(made, Path(args.plot))
    say(args, made.as_dict(), made.text)
    return 0
