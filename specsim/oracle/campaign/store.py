"""Results on disk, a line of JSON each: whatever kills a campaign, they stay."""

import fcntl
import json
import os
from pathlib import Path
from types import TracebackType
from typing import Any

from specsim.errors import Bad
from specsim.oracle.campaign.task import Outcome, Task
from specsim.roofline.fields import short_path

FORMAT = 1


class Store:
    """A file of lines {"format", "key", "task", "report" or "raised"}.

    A line is written at once and brought to the disk before the next task counts as
    done; half a line at the end is what a killed campaign left, and is cut off. Of
    several lines with one key the last holds.

    Bad: the file cannot be opened, is none of ours, or another campaign writes it.
    """

    def __init__(self, file: Path):
        self.named = short_path(file)
        try:
            self._file = open(file, "a+b")  # noqa: SIM115
        except OSError as error:
            raise Bad(f"--store {self.named}: {error.strerror}") from None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.close()
            raise Bad(
                f"--store {self.named}: another campaign writes there; "
                "wait for it or name another file"
            ) from None
        try:
            self._kept = self._read()
        except Bad:
            self._file.close()
            raise

    def __enter__(self) -> "Store":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def __getitem__(self, task: Task) -> Outcome:
        return self._kept[task.key]

    def __contains__(self, task: Task) -> bool:
        return task.key in self._kept

    def done(self, task: Task) -> bool:
        """Whether there is a report; what raised may be tried again."""
        return "report" in self._kept.get(task.key, {})

    def keep(self, task: Task, outcome: Outcome) -> None:
        """Write it down."""
        row = {"format": FORMAT, "key": task.key, "task": vars(task), **outcome}
        self._file.write(json.dumps(row, allow_nan=False).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())
        self._kept[task.key] = outcome

    def _read(self) -> dict[str, Outcome]:
        self._file.seek(0)
        kept: dict[str, Outcome] = {}
        whole = 0
        for number, line in enumerate(self._file, 1):
            if not line.endswith(b"\n"):
                self._file.truncate(whole)
                break
            whole += len(line)
            row = self._row(line, number)
            kept[row["key"]] = {k: row[k] for k in ("report", "raised") if k in row}
        return kept

    def _row(self, line: bytes, number: int) -> dict[str, Any]:
        where = f"--store {self.named}, line {number}"
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if not isinstance(row, dict) or not isinstance(row.get("key"), str):
            raise Bad(f"{where}: no result of a campaign; name a new file")
        if row.get("format") != FORMAT:
            raise Bad(f"{where}: another format; name a new file")
        if not isinstance(row.get("report", {}), dict):
            raise Bad(f"{where}: its report is none; delete the line")
        return row
