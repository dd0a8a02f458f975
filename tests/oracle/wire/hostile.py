"""Engines that break the wire protocol in one way each: `python hostile.py WAY`."""

import json
import os
import sys
import time
from typing import Any

way = sys.argv[1]
RECORD: dict[str, Any] = {
    "protocol": 1,
    "engine": {"name": "hostile"},
    "operations": {"verify": ["coins"]},
}
RECORDS: dict[str, Any] = {
    "protocol": RECORD | {"protocol": 2},
    "no-protocol": {"engine": {}, "operations": {}},
    "record": RECORD | {"operations": {"verify": ["telepathy"]}},
    "boast": RECORD | {"fastest": True},
    "seed": RECORD | {"operations": {"verify": ["seed"]}},
    "others": RECORD | {"operations": {"generate": ["seed"], "draft": ["seed"]}},
    "lossy": RECORD | {"lossless": False},
    "list": [RECORD],
}
SAID_AT_START = {
    "greeting": "Loading model...\n",
    "half-start": '{"protocol": 1, "eng',
    "text-bad": "text protocol=1 hello\n",
    "text-protocol": "text protocol=seven verify=coins\n",
    "binary": "\udcff\udcfe\x00\x1b[31m\n",
    "deep": "[" * 100_000 + "\n",
}


def write(text: str) -> None:
    os.write(1, text.encode(errors="surrogateescape"))


def start() -> None:
    if way in SAID_AT_START:
        write(SAID_AT_START[way])
    elif way == "mute":
        time.sleep(3600)
    elif way == "dead":
        sys.exit("weights not found")
    elif way == "closes":
        os.close(1)
        time.sleep(3600)
    else:
        write(json.dumps(RECORDS.get(way, RECORD)) + "\n")


def flood() -> None:
    while True:
        write("all work and no play " * 4000)


def run(seq: int, n: int) -> None:
    """The answer to one request for n blocks."""
    if way == "hang":
        time.sleep(3600)
    elif way == "flood":
        flood()
    elif way == "complains":
        while True:
            os.write(2, b"all work and no play\n" * 1000)
    elif way == "trickles":
        while True:
            write(" ")
            time.sleep(0.01)
    elif way == "deaf":
        os.close(0)
        time.sleep(3600)
    elif way == "dies":
        print("\x1b[31mout of\tmemory", file=sys.stderr)
        os._exit(9)
    elif way == "dies-in-a-line":
        write('{"seq": 1, "blo')
        os._exit(0)
    elif way == "killed":
        os.kill(os.getpid(), 11)
    elif way == "half":
        write('{"seq": 1, "blocks": [[0')
    elif way == "log":
        write("INFO: verifying\n")
    else:
        write(answer(seq, n) + "\n")


def answer(seq: int, n: int) -> str:
    blocks = [[0]] * n
    made: dict[str, Any] = {
        "seq": {"seq": seq + 7, "blocks": blocks},
        "no-seq": {"blocks": blocks},
        "true": {"seq": True, "blocks": blocks},
        "few": {"seq": seq, "blocks": []},
        "no-blocks": {"seq": seq},
        "nan": {"seq": seq, "blocks": [[float("nan")]] * n},
        "huge": {"seq": seq, "blocks": [[10**30]] * n},
        "nested": {"seq": seq, "blocks": [[[0]]] * n},
        "empty": {"seq": seq, "blocks": [[]] * n},
        "bools": {"seq": seq, "blocks": [[True]] * n},
        "string": {"seq": seq, "blocks": ["0"] * n},
        "errs": {"seq": seq, "errored": True, "context": {"message": "no\nKV"}},
        "errs-oddly": {"seq": seq, "errored": True, "context": [1] * 1000},
        "skips": {
            "seq": seq,
            "skipped": True,
            "message": "no sampling yet",
            "issue_url": "https://example.org/7",
        },
    }
    return json.dumps(made.get(way, {"seq": seq, "blocks": blocks}))


def asked(message: dict[str, Any]) -> int:
    return sum(len(case.get("accept", [0] * case.get("count", 0)))
               for case in message["cases"])  # fmt: skip


if __name__ == "__main__":
    for line in sys.stdin:
        message = json.loads(line)
        if message["cmd"] == "start":
            start()
        else:
            run(message["seq"], asked(message))
