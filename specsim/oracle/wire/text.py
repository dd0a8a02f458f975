"""The same messages as plain words, for languages without JSON of their own.

An engine chooses it by how it answers the first line. Everything is words and numbers
between single spaces, one message a line:

    < text protocol=1 name=mine version=0.1 language=rust verify=coins
    > run SEQ OP coins CASES  N V  p q tokens [parents KIND]  M  (accept sample) x M
    > run SEQ OP seed SEED CASES  N V  p q tokens [parents KIND]  M
    < blocks SEQ  (LENGTH token ...) x all the M
    < skipped SEQ URL-or-dash words of a message
    < errored SEQ words of a message

with N drafted tokens, p of (N+1) x V numbers row by row, q of N x V numbers or the one
word none, accept N and sample N+1 numbers.
"""

from collections.abc import Iterator
from itertools import chain
from typing import Any

from specsim.errors import Bad
from specsim.oracle.engines.contract import printable
from specsim.oracle.wire.messages import Case, Run

ABOUT = "name", "version", "language", "issues"
LISTS = "accepts", "kinds"


class Text:
    """The plain form."""

    frames = False

    def run(self, run: Run) -> bytes:
        words = ["run", str(run.seq), run.operation, run.mode]
        words += [] if run.seed is None else [str(run.seed)]
        words.append(str(len(run.cases)))
        for case in run.cases:
            words += _case(case, run)
        return " ".join(words).encode() + b"\n"

    def answer(self, said: str) -> dict[str, Any]:
        """An answer as the object it would be in JSON. Bad: it is none."""
        sort, *words = said.split() or [""]
        try:
            if sort == "blocks":
                seq, *numbers = map(int, words)
                return {"seq": seq, "blocks": [*_blocks(iter(numbers))]}
            if sort == "skipped":
                url = {} if words[1] == "-" else {"issue_url": words[1]}
                message = " ".join(words[2:])
                return {"seq": int(words[0]), "skipped": True, "message": message} | url
            if sort == "errored":
                context = {"message": " ".join(words[1:])}
                return {"seq": int(words[0]), "errored": True, "context": context}
        except (ValueError, IndexError):
            pass
        raise Bad(
            f"said {printable(said, 60)!r}, which is no line of blocks, skipped or "
            "errored: on standard output only answers, logs on standard error"
        )


def started(said: str) -> dict[str, Any]:
    """The record of an engine that answered `text ...`. Bad: a word is no pair."""
    record: dict[str, Any] = {"engine": {}, "operations": {}}
    for word in said.split()[1:]:
        key, is_pair, value = word.partition("=")
        if not is_pair:
            raise Bad(f"said {printable(word, 40)!r} of itself: write key=value")
        if key == "protocol":
            record[key] = int(value) if value.isdecimal() else value
        elif key == "lossless":
            record[key] = {"true": True, "false": False}.get(value, value)
        elif key in ABOUT:
            record["engine"][key] = value
        elif key in LISTS:
            record[key] = value.split(",")
        else:
            record["operations"][key] = value.split(",")
    return record


def _case(case: Case, run: Run) -> Iterator[str]:
    call = case.call
    yield from (str(len(call.tokens)), str(len(call.p[0])))
    yield from map(repr, chain(*call.p))
    yield from ["none"] if call.q is None else map(repr, chain(*call.q))
    yield from map(str, call.tokens)
    if run.operation == "verify_tree":
        yield from (*map(str, call.parents), call.kind)
    if run.mode == "seed":
        yield str(case.count)
        return
    yield str(len(case.accept))
    for accept, sample in zip(case.accept, case.sample, strict=True):
        yield from map(repr, chain(accept, sample))


def _blocks(numbers: Iterator[int]) -> Iterator[list[int]]:
    for length in numbers:
        block = [token for _, token in zip(range(length), numbers, strict=False)]
        if len(block) < length:
            raise ValueError("cut short")
        yield block
