"""The far end: answers questions with one adapter, a line of JSON each.

python -m tools.peers.worker tools.peers.genz

Its first line says that the adapter and all that it imports are loaded. Whatever the
simulator prints goes to standard error.
"""

import importlib
import json
import os
import re
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from tools.peers.question import Answer, Cannot, Question

PATH = re.compile(r"(/[\w.+-]+){2,}")
"""Where something lies on this machine."""


def reply(answer: Callable[[Question], Answer], line: str) -> dict[str, Any]:
    """The answer to a line and the seconds it took, or the reason for none.

    Simulators refuse with exceptions of every kind, SystemExit among them.
    """
    asked = Question.of(json.loads(line))
    start = time.perf_counter()
    try:
        made = answer(asked)
    except Cannot as refusal:
        return {"refused": f"cannot express: {refusal}"}
    except (Exception, SystemExit) as error:
        first = (str(error).strip().splitlines() or [""])[0]
        said = PATH.sub("...", f"{type(error).__name__}: {first}")
        return {"refused": said[:160]}
    return {**asdict(made), "seconds": time.perf_counter() - start}


def main() -> None:
    protocol = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    adapter = importlib.import_module(sys.argv[1])
    print(json.dumps({"ready": True}), file=protocol, flush=True)
    for line in sys.stdin:
        print(json.dumps(reply(adapter.answer, line)), file=protocol, flush=True)


if __name__ == "__main__":
    main()
