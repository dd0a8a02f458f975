"""llama.cpp's server, a whole engine.

`specsim check specsim.oracle.engines.llama_cpp:Server` starts the llama-server that is
on PATH, one for each mode, with caches in 32-bit floats. It always stops at the end
token.
"""

import shutil
import socket
import subprocess
import time
from contextlib import suppress
from functools import cache
from typing import Any, ClassVar

from specsim.errors import Bad
from specsim.oracle.endtoend.request import SURFACE, Request
from specsim.oracle.http.server import Server as Served
from specsim.oracle.http.server import found
from specsim.oracle.http.whole import Session
from specsim.oracle.probe.pair import END, VOCAB

Asked = dict[str, Any]
DRAFTED = "3"
DRAFT_MODEL = ["--spec-type", "draft-simple", "--spec-draft-n-max", DRAFTED]
WAYS: dict[str, list[str]] = {
    "plain": [],
    "draft-model": DRAFT_MODEL,
    "draft-model-sampled": [*DRAFT_MODEL, "--spec-draft-sampling", "probabilistic"],
    "ngram": [
        *("--spec-type", "ngram-simple", "--spec-draft-n-max", DRAFTED),
        *("--spec-ngram-simple-size-n", "2", "--spec-ngram-simple-size-m", DRAFTED),
        *("--spec-ngram-simple-min-hits", "1"),
    ],
}
"""How a server is told to decode."""
EXACT = [
    *("--threads", "1", "--threads-batch", "1", "--flash-attn", "off"),
    *("--cache-type-k", "f32", "--cache-type-v", "f32"),
]
EXACT_DRAFT = ["-ctkd", "f32", "-ctvd", "f32"]
SECONDS = 60.0
"""A server may take so long to start, or to answer."""


class Server:
    """Many requests in flight at once."""

    format = "gguf"
    order = "llama.cpp"
    modes: ClassVar[dict[str, Any]] = {way: {} for way in WAYS}
    surface = SURFACE - {"stop_token_ids"}
    ends = (END,)

    def generate(
        self, requests: list[Asked], *, mode: str, target: str, draft: str
    ) -> list[dict[str, Any]]:
        session = Session(started(mode, target, draft))
        answers = session.generate([*map(Request.from_dict, requests)])
        return [answer.as_dict() for answer in answers]


@cache
def started(mode: str, target: str, draft: str) -> Served:
    """The server of a mode. Bad: it is not on PATH, or does not come up."""
    model = ["--spec-draft-model", draft, *EXACT_DRAFT]
    way = [*WAYS[mode], *(model if "draft" in mode else [])]
    port = str(free_port())
    command = [program("llama-server"), "--model", target, "--port", port, *EXACT]
    command += ["--ctx-size", "2048", "--parallel", "4", "--no-warmup", *way]
    nowhere = subprocess.DEVNULL
    process = subprocess.Popen(command, stdin=nowhere, stdout=nowhere, stderr=nowhere)
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        with suppress(Bad):
            return found(f"http://127.0.0.1:{port}", "", SECONDS, VOCAB)
        time.sleep(0.2)
    raise Bad(f"llama-server does not come up; try {' '.join(command)}")


def program(name: str) -> str:
    """Where a program lies. Bad: it is not on PATH."""
    path = shutil.which(name)
    if path is None:
        raise Bad(f"{name} is not on PATH; build llama.cpp and add its build/bin")
    return path


def free_port() -> int:
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        return int(made.getsockname()[1])
