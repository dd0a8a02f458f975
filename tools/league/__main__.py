"""Measure what is missing, on each number of threads; then the page."""

import argparse
import os
import subprocess
import sys
from pathlib import Path

from specsim.roofline.calibration.bench import VARIABLES
from tools.league import cells, page
from tools.league.foretell import foretell
from tools.league.worker import described, parser


def main() -> None:
    """Children are told how many threads to take before they load any library."""
    made = argparse.ArgumentParser(
        description="Every drafter beside transformers.", parents=[parser()]
    )
    made.add_argument("--page", type=Path, metavar="FILE.md", help="only write it")
    made.add_argument(
        "--calibration", type=Path, metavar="FILE", help="only predict with it"
    )
    args = made.parse_args()
    if args.calibration:
        foretell(args.output, args.calibration, args.model, described(args).models)
    elif not args.page:
        measure(args.threads)
    if args.page:
        page.update(args.page, cells.read(args.output))


def measure(counts: list[int]) -> None:
    """A process for each."""
    for count in counts:
        threads = dict.fromkeys(VARIABLES, str(count))
        command = [sys.executable, "-m", "tools.league.worker", *sys.argv[1:]]
        subprocess.run(
            [*command, "--threads", str(count)], env=os.environ | threads, check=True
        )


if __name__ == "__main__":
    main()
