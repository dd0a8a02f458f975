"""Run by tox on the installed wheel, in a directory that owns reference/ and gpu/."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

ENGINE = """
def verify(p, q, tokens, *, rng):
    for i, x in enumerate(tokens):
        if rng.random() * q[i, x] >= p[i, x]:
            left = (p[i] - q[i]).clip(0)
            return [*tokens[:i], rng.choice(len(left), p=left / left.sum())]
    return [*tokens, rng.choice(p.shape[1], p=p[-1])]
"""
COMMANDS = {
    "list rules": 0,
    "roofline --model 70b --gpu a100 --json roofline.json": 0,
    "check engine:verify --json check.json": 0,
    "check --mutant residual-is-target": 1,
    "vectors lint": 0,
}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        for name in ("reference", "gpu"):
            (home / name).mkdir()
            (home / name / "__init__.py").write_text("raise ImportError('not ours')\n")
        (home / "engine.py").write_text(ENGINE)
        for command, code in COMMANDS.items():
            done = subprocess.run(
                [sys.executable, "-m", "specsim", *command.split()],
                cwd=home,
                capture_output=True,
                text=True,
                timeout=120,
            )
            print(f"specsim {command}: exit {done.returncode}")
            if done.returncode != code:
                sys.exit(done.stdout + done.stderr)
        assert json.loads((home / "check.json").read_text())["verdict"] == "exact"
        assert json.loads((home / "roofline.json").read_text())["step_ms"] > 0


if __name__ == "__main__":
    main()
