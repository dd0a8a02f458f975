"""Adapters that get the wire wrong: the shipped Python one with one line replaced.

The faults are deliberate: they prove that each way of asking can fail. `tier` is the
one that has to catch it.
"""

from dataclasses import dataclass

from specsim.oracle.wire.stubs import adapter

RIGHT = adapter("python").read_text()


@dataclass(frozen=True)
class Fault:
    """One line of adapters/engine.py, `old`, written as `new`.

    tier: "law", "batch", "vectors" (as rule chain), or "contract".
    """

    name: str
    old: str
    new: str
    tier: str
    reports: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        """The adapter; ValueError unless `old` is there exactly once."""
        if (times := RIGHT.count(self.old)) != 1:
            raise ValueError(f"{self.old!r} stands {times} times, not once")
        return RIGHT.replace(self.old, self.new)


FAULTS = [
    Fault("coins-swapped", "accept, sample)", "sample, accept)", "vectors"),
    Fault("sample-of-the-last-row", "sample[i]", "sample[-1]", "vectors"),
    Fault("sample-of-the-first-row", "sample[-1]", "sample[0]", "vectors"),
    Fault("coin-zero-keeps", " >= ", " > ", "vectors"),
    Fault("no-bonus", "*tokens, draw(p[-1], sample[-1])", "*tokens", "vectors"),
    Fault(
        "accept-coin-drawn-with",
        "sample[i]",
        "accept[i]",
        "law",
        ("sgl-project/sglang#7207",),
    ),
    Fault("next-row-of-the-target", "zip(p[i],", "zip(p[i + 1],", "law"),
    Fault("last-row-of-the-draft", "q[i], strict", "q[-1], strict", "law"),
    Fault(
        "prefix-too-long",
        "tokens[:i]",
        "tokens[: i + 1]",
        "law",
        ("lucidrains/speculative-decoding#3",),
    ),
    Fault("bonus-of-the-row-before", "draw(p[-1]", "draw(p[-2]", "law"),
    Fault(
        "fixed-point",
        "loads(line)",
        "loads(line, parse_float=lambda x: int(float(x) * 4096) / 4096)",
        "law",
    ),
    Fault(
        "two-decimals",
        "loads(line)",
        "loads(line, parse_float=lambda x: round(float(x), 2))",
        "contract",
    ),
    Fault(
        "rows-of-the-first-case",
        'case["p"]',
        'asked["cases"][0]["p"]',
        "contract",
        ("vllm-project/vllm#41044",),
    ),
    Fault("cases-reversed", 'get("cases", [])', 'get("cases", [])[::-1]', "batch"),
    Fault(
        "coins-reversed", 'zip(case["accept"],', 'zip(case["accept"][::-1],', "batch"
    ),
    Fault(
        "neighbours-sample",
        'case["sample"]',
        'case["sample"][1:] + case["sample"][:1]',
        "batch",
    ),
    Fault(
        "coins-of-the-first-block",
        'case["accept"],',
        'case["accept"][:1] * len(case["accept"]),',
        "batch",
    ),
    Fault("blocks-sorted", '"blocks": blocks', '"blocks": sorted(blocks)', "batch"),
    Fault("tokens-from-one", "next(token for", "next(token + 1 for", "contract"),
    Fault("a-block-short", '"blocks": blocks', '"blocks": blocks[:-1]', "contract"),
    Fault(
        "padded-with-minus-one",
        '"blocks": blocks',
        '"blocks": [[*block, -1] for block in blocks]',
        "contract",
    ),
    Fault(
        "numbers-as-text",
        '"blocks": blocks',
        '"blocks": [[*map(str, block)] for block in blocks]',
        "contract",
    ),
    Fault("sequence-lags", 'asked["seq"],', 'asked["seq"] - 1,', "contract"),
    Fault("empty-lines", "flush=True", "flush=True, end='\\n\\n'", "contract"),
]
