"""A text as it comes, coloured by what became of the draft; and what it took."""

import os
import sys
from collections.abc import Iterator
from typing import TextIO

from specsim.generation.generated import Generated
from specsim.generation.run import Emitted, Origin

COLOURS: dict[Origin, str] = {
    "accepted": "32",
    "corrected": "31",
    "bonus": "36",
    "plain": "0",
}
"""Of terminals: green, red, cyan, none."""
DIM = "2"
MEANINGS: dict[Origin, str] = {
    "accepted": "drafted and kept",
    "corrected": "the target's, where a draft was refused",
    "bonus": "the target's, after a draft that was kept to its end",
}
CONTROLS = {code: "\ufffd" for code in [*range(32), *range(127, 160)]} | {
    ord(kept): kept for kept in "\n\t"
}
"""What a model writes never steers the terminal."""


def coloured(stream: TextIO) -> bool:
    """Whether it is a terminal, and NO_COLOR (https://no-color.org) is not set."""
    return stream.isatty() and not os.environ.get("NO_COLOR")


class Printer:
    """Writes tokens to standard output as they come."""

    def __init__(self) -> None:
        self.coloured = coloured(sys.stdout)

    def __call__(self, emitted: Emitted) -> None:
        """The text of one token."""
        self._write(emitted.text, COLOURS[emitted.origin])

    def prompt(self, text: str) -> None:
        """What the text goes on from."""
        self._write(text, DIM)

    def legend(self) -> Iterator[str]:
        """What the colours mean, where there are any."""
        if self.coloured:
            pairs = ((what, COLOURS[origin]) for origin, what in MEANINGS.items())
            yield "; ".join(self._painted(*pair) for pair in pairs)

    def _write(self, text: str, colour: str) -> None:
        sys.stdout.write(self._painted(text.translate(CONTROLS), colour))
        sys.stdout.flush()

    def _painted(self, text: str, colour: str) -> str:
        return f"\x1b[{colour}m{text}\x1b[0m" if self.coloured and text else text


def summary(made: Generated) -> Iterator[str]:
    """How much was drafted and kept, and what the time went to."""
    scene, tally, timed = made.scene, made.run.tally, made.timed
    yield (
        f"{scene.drafter.name}, {scene.rule.name}, k {scene.request.k}: "
        f"{tally.emitted} tokens in {tally.steps} steps, {tally.tokens_per_step:.2f} "
        f"a step; {tally.accepted} kept of {tally.drafted} drafted"
    )
    rates = " ".join(f"{rate:.2f}" for rate in tally.acceptance)
    yield f"kept by depth, given those above: {rates or 'nothing was drafted'}"
    seconds = timed.seconds
    yield (
        f"{_ms(seconds.total)}: draft {_ms(seconds.draft)}, verify "
        f"{_ms(seconds.verify)}, the rest {_ms(seconds.overhead)}"
    )
    count = len(timed.runs)
    rounds = f"median of {count} rounds" if count > 1 else "one round"
    yield (
        f"plain decoding {_ms(timed.plain_seconds)}: {made.speedup:.2f} times as fast "
        f"({rounds}, side by side, the prompt left out)"
    )


def _ms(seconds: float) -> str:
    return f"{1000 * seconds:.1f} ms"
