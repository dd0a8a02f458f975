"""A program asked over pipes: written to and read from at once, timed, and ended."""

import contextlib
import errno
import os
import select
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence

from specsim.errors import Bad
from specsim.oracle.engines.contract import printable
from specsim.oracle.engines.problems import Broken

MOST_BYTES = 2**26
"""The longest answer there is; whoever says more is said to flood."""
CHUNK = 2**16
LAST_WORDS = 2_000
"""How much of what went to standard error is kept."""
TICK = 0.005
"""Seconds between two looks at whether a program has ended."""
MOMENT = 0.2
"""Seconds a program has to end by itself once nothing more is asked."""
GRACE = 1.0
"""Seconds between the end of a program's output and the end of the program."""

MENDS = {
    errno.EACCES: "; make it executable with chmod +x",
    errno.ENOEXEC: "; begin it with a #! line or name what runs it before it",
}
"""What to do where a program cannot be started."""


class Process:
    """One line, or bytes, in; one line out. POSIX only.

    what:    how complaints call it.
    timeout: seconds one answer may take before it is said to hang.
    Bad: it cannot be started.
    """

    def __init__(
        self,
        command: Sequence[str],
        what: str,
        timeout: float,
        env: Mapping[str, str] | None = None,
    ):
        self.what, self.timeout = what, timeout
        pipe = subprocess.PIPE
        try:
            self._process = subprocess.Popen(
                command,
                stdin=pipe,
                stdout=pipe,
                stderr=pipe,
                env=env,
                start_new_session=True,
                bufsize=0,
            )
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or str(error)
            mend = MENDS.get(getattr(error, "errno", 0), "")
            raise Bad(f"{what}: cannot be started: {why}{mend}") from None
        every = self._process.stdin, self._process.stdout, self._process.stderr
        self._in, self._out, self._err = (end.fileno() for end in every if end)
        os.set_blocking(self._in, False)
        self._said, self._complained = bytearray(), b""
        self._searched = 0

    def end_input(self) -> None:
        """Say that nothing more is asked, and give it a moment to end by itself."""
        if self._process.stdin:
            self._process.stdin.close()
        self._exit(MOMENT)

    def close(self) -> None:
        """End the process and whatever it started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        pipes = self._process.stdin, self._process.stdout, self._process.stderr
        for pipe in filter(None, pipes):
            pipe.close()

    def ask(self, request: bytes) -> str:
        """The line that answers. Broken: it hangs, floods, or is dead."""
        deadline = time.monotonic() + self.timeout
        left = memoryview(request)
        while True:
            line = None if left else self._line()
            if line is not None:
                return line
            self._check_length()
            ready = self._ready(bool(left), deadline)
            if self._err in ready:
                self._listen_to_complaints()
            if self._in in ready:
                left = self._write(left)
            if self._out in ready and not self._read():
                raise self._ended()

    def _line(self) -> str | None:
        """The first whole line that was said and not yet taken."""
        end = self._said.find(b"\n", self._searched)
        if end < 0:
            self._searched = len(self._said)
            return None
        line = bytes(self._said[:end])
        del self._said[: end + 1]
        self._searched = 0
        return line.decode(errors="replace")

    def _check_length(self) -> None:
        if len(self._said) > MOST_BYTES:
            start = printable(self._said[:40].decode(errors="replace"))
            raise Broken(
                f"{self.what}: floods: over {MOST_BYTES >> 20} MB that begin "
                f"{start!r}, where one line was asked for"
            )

    def _ready(self, writing: bool, deadline: float) -> set[int]:
        """The ends of pipes at which something can be done now."""
        poll = select.poll()
        for end in (self._out, self._err):
            if end >= 0:
                poll.register(end, select.POLLIN)
        if writing:
            poll.register(self._in, select.POLLOUT)
        left = deadline - time.monotonic()
        found = poll.poll(max(0.0, left * 1000))
        if not found or left < 0:
            half = " but half a line" if self._said else ""
            raise Broken(
                f"{self.what}: hangs: no answer{half} within {self.timeout:g} s"
                f"{self._last_words()}"
            )
        return {end for end, _ in found}

    def _write(self, left: memoryview) -> memoryview:
        try:
            return left[os.write(self._in, left[:CHUNK]) :]
        except BlockingIOError:
            return left
        except BrokenPipeError:
            return left[:0]

    def _read(self) -> bool:
        chunk = os.read(self._out, CHUNK)
        self._said += chunk
        return bool(chunk)

    def _listen_to_complaints(self) -> None:
        chunk = os.read(self._err, CHUNK)
        self._complained = (self._complained + chunk)[-LAST_WORDS:]
        if not chunk:
            self._err = -1

    def _ended(self) -> Broken:
        """What to say of a program that will say no more."""
        half = ", in the middle of a line" if self._said else ""
        if (how := self._exit(GRACE)) is None:
            return Broken(f"{self.what}: closed its standard output{half}")
        while self._err >= 0 and select.select([self._err], [], [], 0)[0]:
            self._listen_to_complaints()
        return Broken(
            f"{self.what}: its process died ({how}{half}){self._last_words()}"
        )

    def _exit(self, seconds: float) -> str | None:
        """How it ended, if it does within so many seconds.

        It is not waited for: while it is a zombie its number is nobody else's, so that
        `close` can still kill what it started.
        """
        until = time.monotonic() + seconds
        options = os.WEXITED | os.WNOHANG | os.WNOWAIT
        while not (ended := os.waitid(os.P_PID, self._process.pid, options)):
            if time.monotonic() > until:
                return None
            time.sleep(TICK)
        by_itself = ended.si_code == os.CLD_EXITED
        return f"{'exit code' if by_itself else 'signal'} {ended.si_status}"

    def _last_words(self) -> str:
        lines = self._complained.decode(errors="replace").split("\n")
        said = [line.strip() for line in lines if line.strip()]
        return f"; it said {printable(said[-1])}" if said else ""
