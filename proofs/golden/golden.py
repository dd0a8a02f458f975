"""Exact laws of small cases, computed by Coq from the programs of the theorems.

    python golden.py COMPILED_COQ_FOLDER > golden.json

Standard library only. tests/proofs/test_golden.py compares the references with the
file, which needs no Coq; check.sh computes it anew and compares bytes.
"""

import json
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

Row = list[int]
Rows = dict[str, Row]
"""The weights of the next token after each prefix, which is written "0 2"."""

SHAPES: list[tuple[str, str, tuple[int, ...]]] = [
    *(("plain", "iid", (1,) * k) for k in (1, 2)),
    *(("chain", "iid", (1,) * k) for k in (1, 2, 3)),
    *(("block", "iid", (1,) * k) for k in (1, 2, 3)),
    *(("one_hot", "iid", (1,) * k) for k in (1, 2)),
    *(("target_only", kind, (2, 1)) for kind in ("fixed", "iid", "hub")),
    *(("target_only", kind, (2, 2)) for kind in ("iid", "without_replacement")),
    *(("recursive", "iid", shape) for shape in ((2,), (3,), (2, 1))),
    *(("recursive", "without_replacement", shape) for shape in ((2,), (3,), (2, 1))),
    *(("hub", "hub", shape) for shape in ((2,), (3,), (2, 1))),
    *(("greedy_transport", "iid", (1,) * k) for k in (1, 2, 3)),
    *(("greedy_transport", "hub", shape) for shape in ((2,), (3,), (2, 1))),
]
"""A rule, how siblings come about, and how many children there are, depth by depth."""

HEAD = """
Require Import QArith List. Require Import SpecSim.Tree SpecSim.Golden.
Import ListNotations. Open Scope Q_scope.
Set Printing Width 1000000. Set Printing Depth 1000000.
Definition raw (d : list (list nat * Q)) :=
  map (fun xw => (fst xw, (Qnum (snd xw), QDen (snd xw)))) d.
"""


def cases() -> Iterator[dict[str, Any]]:
    """Every shape with every pair of models."""
    for number, (rule, kind, branching) in enumerate(SHAPES):
        for name, pair in PAIRS.items():
            heavy = rule == "greedy_transport" and len(branching) > 1
            small = heavy and (name != "plain" or len(branching) > 2)
            few = name in ("few", "narrow") or branching == (2, 2) or small
            words = 2 if few else 3
            luck = random.Random(f"{number} {name}")
            target, draft = pair(words, len(branching), luck)
            yield {
                "rule": rule,
                "kind": kind,
                "branching": branching,
                "models": name,
                "words": words,
                "target": target,
                "draft": draft,
            }


Pair = Callable[[int, int, random.Random], tuple[Rows, Rows]]


def _prefixes(words: int, longest: int) -> Iterator[tuple[int, ...]]:
    for length in range(longest + 1):
        yield from product(range(words), repeat=length)


def _model(words: int, longest: int, row: Callable[[tuple[int, ...]], Row]) -> Rows:
    return {" ".join(map(str, c)): row(c) for c in _prefixes(words, longest)}


def _drawn(most: int) -> Pair:
    """Two models of weights 0 to `most`, different after each prefix."""

    def pair(words: int, depth: int, luck: random.Random) -> tuple[Rows, Rows]:
        def row(prefix: tuple[int, ...]) -> Row:
            weights = [int(luck.random() * (most + 1)) for _ in range(words)]
            weights[len(prefix) % words] += 1
            return weights

        return _model(words, depth, row), _model(words, depth - 1, row)

    return pair


def _equal(words: int, depth: int, luck: random.Random) -> tuple[Rows, Rows]:
    target, _ = _drawn(3)(words, depth, luck)
    return target, {c: target[c] for c in target if len(c.split()) < depth}


def _disjoint(words: int, depth: int, luck: random.Random) -> tuple[Rows, Rows]:
    """What the drafter offers the target never wants."""
    target = _model(words, depth, lambda c: [1] + [2] * (words - 2) + [0])
    draft = _model(words, depth - 1, lambda c: [0] * (words - 1) + [1])
    return target, draft


def _sure(target: bool) -> Pair:
    """One of the two models has a single token after each prefix."""

    def pair(words: int, depth: int, luck: random.Random) -> tuple[Rows, Rows]:
        drawn = _drawn(3)(words, depth, luck)
        longest = depth if target else depth - 1
        sure = _model(
            words, longest, lambda c: [int(x == sum(c) % words) for x in range(words)]
        )
        return (sure, drawn[1]) if target else (drawn[0], sure)

    return pair


PAIRS: dict[str, Pair] = {
    "plain": _drawn(3),
    "few": _drawn(5),
    "narrow": _drawn(1),
    "sparse": _drawn(2),
    "equal": _equal,
    "disjoint": _disjoint,
    "sure target": _sure(True),
    "sure draft": _sure(False),
}


def _term(case: dict[str, Any]) -> str:
    """The law of the case, in Coq."""
    names = ("target",) if case["rule"] == "plain" else ("target", "draft")
    models = " ".join(_table(case[name]) for name in names)
    shape = "[" + "; ".join(f"{width}%nat" for width in case["branching"]) + "]"
    if case["rule"] in ("plain", "chain", "block", "one_hot"):
        return f"law_{case['rule']} {case['words']} {models} {len(case['branching'])}"
    return f"law_{case['rule']} {case['words']} {models} {case['kind']} {shape}"


def _table(rows: Rows) -> str:
    def entry(prefix: str, row: Row) -> str:
        tokens = "; ".join(f"{x}%nat" for x in prefix.split())
        return f"([{tokens}], [{'; '.join(f'{w} # {sum(row)}' for w in row)}])"

    return "[" + "; ".join(entry(*item) for item in rows.items()) + "]"


def laws(every: list[dict[str, Any]], compiled: str) -> list[dict[str, str]]:
    """What Coq prints for each case: the odds of each block of tokens."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "asked.v"
        terms = (f"Eval vm_compute in raw ({_term(case)}).\n" for case in every)
        script.write_text(HEAD + "".join(terms))
        command = ["coqc", "-Q", compiled, "SpecSim", str(script)]
        said = subprocess.run(command, capture_output=True, text=True, check=True)
    printed = re.findall(r"^     = (.*)$", said.stdout, re.M)
    return [_read(law) for law in printed]


def _read(printed: str) -> dict[str, str]:
    outcome = re.compile(r"\(\[([^]]*)\], \((-?\d+), (\d+)\)\)")
    text = re.sub(r"%\w+", "", printed).replace("(nil,", "([],")
    law: dict[tuple[int, ...], Fraction] = {}
    for block, over, under in outcome.findall(text):
        tokens = tuple(map(int, re.findall(r"\d+", block)))
        law[tokens] = Fraction(int(over), int(under))
    return {" ".join(map(str, x)): str(odds) for x, odds in sorted(law.items()) if odds}


def main() -> None:
    every = list(cases())
    found = laws(every, sys.argv[1])
    lines = (
        json.dumps(case | {"law": law}) for case, law in zip(every, found, strict=True)
    )
    print("[\n" + ",\n".join(lines) + "\n]")


if __name__ == "__main__":
    main()
