"""An environment for each simulator, made when it is first needed."""

import os
import subprocess
import sys
import venv
from pathlib import Path

MARK = "pins.txt"
"""Holds what was installed; written last, so a broken installation is made again."""


class Failed(Exception):
    """An installation did not succeed; the message is pip's last line."""


def python(directory: Path, name: str, pins: tuple[str, ...], limit_s: float) -> str:
    """The interpreter of an environment with the pins; without pins this one."""
    if not pins:
        return sys.executable
    home = directory.resolve() / name
    binaries = "Scripts" if os.name == "nt" else "bin"
    interpreter = str(home / binaries / "python")
    mark = home / MARK
    if not (mark.exists() and mark.read_text() == "\n".join(pins)):
        venv.create(home, clear=True, with_pip=True)
        _install(interpreter, pins, limit_s)
        mark.write_text("\n".join(pins))
    return interpreter


def _install(interpreter: str, pins: tuple[str, ...], limit_s: float) -> None:
    command = [interpreter, "-m", "pip", "install", "--quiet", *pins]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit_s)
    except subprocess.TimeoutExpired:
        raise Failed(f"pip took more than {limit_s:g} s") from None
    if done.returncode:
        raise Failed((done.stderr.strip().splitlines() or ["pip failed"])[-1][:200])


def installed(interpreter: str) -> list[str]:
    """What pip finds there, as `name==version`."""
    command = [interpreter, "-m", "pip", "list", "--format=freeze"]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout.split()
