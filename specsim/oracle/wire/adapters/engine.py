#!/usr/bin/env python3
"""A verifier behind specsim's wire protocol. Judge it: specsim check ./engine.py"""

import json
import sys
from itertools import accumulate

ABOUT = {"name": "mine", "version": "0.1", "language": "python"}
START = {"protocol": 1, "engine": ABOUT, "operations": {"verify": ["coins"]}}
Row = list[float]


def draw(weights: Row, coin: float) -> int:
    cdf = list(accumulate(weights))
    return next(token for token, c in enumerate(cdf) if c > coin * cdf[-1])


def verify(
    p: list[Row], q: list[Row], tokens: list[int], accept: Row, sample: Row
) -> list[int]:
    for i, x in enumerate(tokens):
        if accept[i] * q[i][x] >= p[i][x]:
            left = [max(a - b, 0.0) for a, b in zip(p[i], q[i], strict=True)]
            return [*tokens[:i], draw(left if any(left) else p[i], sample[i])]
    return [*tokens, draw(p[-1], sample[-1])]


if __name__ == "__main__":
    for line in sys.stdin:
        asked = json.loads(line)
        blocks = [
            verify(case["p"], case["q"], case["tokens"], accept, sample)
            for case in asked.get("cases", [])
            for accept, sample in zip(case["accept"], case["sample"], strict=True)
        ]
        answer = {"seq": asked["seq"], "blocks": blocks} if "seq" in asked else START
        print(json.dumps(answer), flush=True)
