"""A line of progress on standard error, rewritten where that is a terminal."""

import sys
import time
from types import TracebackType
from typing import TextIO

EVERY_S = 5.0
"""Elsewhere a new line, and not more often than this."""


class Progress:
    """Says how far something is; ends its line when it is left."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._last = -EVERY_S

    def __enter__(self) -> "Progress":
        return self

    def __call__(self, text: str) -> None:
        """Show it, if it is time."""
        if self._stream.isatty():
            print(f"\r\x1b[K{text}", end="", file=self._stream, flush=True)
        elif time.monotonic() - self._last >= EVERY_S:
            self._last = time.monotonic()
            print(text, file=self._stream, flush=True)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._stream.isatty():
            print("\r\x1b[K", end="", file=self._stream, flush=True)
