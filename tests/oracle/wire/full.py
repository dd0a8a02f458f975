"""An engine that does all there is on the wire, by our own rules, or one operation."""

import json
import sys
import traceback
from typing import Any, BinaryIO

import numpy as np

from specsim.oracle.engines import planted
from specsim.rules import RULES

VERIFY = planted.engine(RULES["chain"].verify, tree=False)
VERIFY_TREE = planted.engine(RULES["recursive"].verify, tree=True)
RECORD: dict[str, Any] = {
    "protocol": 1,
    "engine": {
        "name": "full",
        "version": "2",
        "language": "python",
        "issues": "https://example.org/issues",
    },
    "operations": {"verify": ["coins", "seed"], "verify_tree": ["coins", "seed"]},
    "accepts": ["k0"],
    "kinds": [*RULES["recursive"].kinds],
    "lossless": True,
    "frames": True,
}


def rows(given: Any, frames: list[bytes]) -> Any:
    if isinstance(given, dict):
        return np.frombuffer(frames[given["frame"]], "<f8").reshape(given["shape"])
    return np.array(given, dtype=float)


def answer(asked: dict[str, Any], stream: BinaryIO) -> dict[str, Any]:
    frames = [stream.read(n) for n in asked.get("frames", [])]
    luck = np.random.default_rng(asked.get("seed"))
    blocks = []
    for case in asked["cases"]:
        p, q = rows(case["p"], frames), rows(case["q"], frames)
        tokens = np.array(case["tokens"], dtype=int)
        given = (p, q, tokens)
        if asked["op"] == "verify_tree":
            given = (*given, np.array(case["parents"]), case["kind"])  # type: ignore[assignment]
        verify = VERIFY if asked["op"] == "verify" else VERIFY_TREE
        n = len(tokens)
        for i in range(case.get("count", len(case.get("accept", [])))):
            coins = (
                (luck.random(n), luck.random(n + 1))
                if "seed" in asked
                else (np.array(case["accept"][i]), np.array(case["sample"][i]))
            )
            block = verify(*given, accept=coins[0], sample=coins[1])
            blocks.append([int(x) for x in block])
    return {"seq": asked["seq"], "blocks": blocks}


if __name__ == "__main__":
    for operation in sys.argv[1:]:
        RECORD["operations"] = {operation: ["coins", "seed"]}
    for line in sys.stdin.buffer:
        message = json.loads(line)
        started = message["cmd"] == "start"
        try:
            made = RECORD if started else answer(message, sys.stdin.buffer)
        except Exception as error:
            context = {"message": str(error), "traceback": traceback.format_exc()}
            made = {"seq": message["seq"], "errored": True, "context": context}
        print(json.dumps(made), flush=True)
