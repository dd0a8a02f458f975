"""One model on so many threads, in a process whose libraries were told so."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from time import thread_time

import torch

from specsim.generation import clock
from specsim.generation.models import Part
from tools.league import cells, ours, theirs
from tools.league.cells import Cell, Method, Place
from tools.league.prompts import Prompt, prompts
from tools.league.subject import Subject, subject


def main() -> None:
    """Measure what is not in the file, and add it."""
    args = parser(add_help=True).parse_args()
    (args.threads,) = args.threads
    torch.set_num_threads(args.threads)
    if args.threads == 1:  # while others hold the processor no time passes
        clock.now = thread_time
    made = described(args)
    known = {(cell.place, cell.method) for cell in cells.read(args.output).cells}
    left = [each for each in wanted(made, args) if (each[1], each[2]) not in known]
    for number, (prompt, place, method) in enumerate(left, 1):
        cell = measured(made, prompt.text, place, method, args.rounds)
        cells.add(args.output, cell)
        speedup = max(cell.speedups)
        print(f"{number} of {len(left)}", *place, *method, f"{speedup:.2f}", flush=True)


def described(args: argparse.Namespace) -> Subject:
    """The models that were asked for."""
    given: dict[Part, Path | None] = {"eagle": args.eagle, "heads": args.medusa}
    parts = {part: file for part, file in given.items() if file}
    return subject(args.model, args.target, parts)


def wanted(
    made: Subject, args: argparse.Namespace
) -> Iterator[tuple[Prompt, Place, Method]]:
    """Every method in every place."""
    methods = [*ours.methods(made), *theirs.methods(made)]
    for temperature in args.temperatures:
        for prompt in prompts():
            where = args.model, args.threads, prompt.kind, prompt.name, temperature
            for method in methods:
                yield prompt, Place(*where), method


def measured(
    made: Subject, prompt: str, place: Place, method: Method, rounds: int
) -> Cell:
    """By whom it is."""
    if method.by == theirs.THEIRS:
        return theirs.measured(made, prompt, place, method)
    return ours.measured(made, prompt, place, method, rounds)


def parser(add_help: bool = False) -> argparse.ArgumentParser:
    """What it is told."""
    made = argparse.ArgumentParser(add_help=add_help)
    made.add_argument("--output", type=Path, required=True, metavar="FILE.jsonl")
    made.add_argument("--model", default="embedded", help="its name in the file")
    made.add_argument("--target", type=Path, metavar="FOLDER")
    made.add_argument("--eagle", type=Path, metavar="FILE")
    made.add_argument("--medusa", type=Path, metavar="FILE")
    made.add_argument("--threads", type=int, nargs="+", default=[1, 2], metavar="N")
    made.add_argument("--rounds", type=int, default=3)
    made.add_argument(
        "--temperatures", type=float, nargs="+", default=[0.0, 0.7, 1.0], metavar="T"
    )
    return made


if __name__ == "__main__":
    main()
