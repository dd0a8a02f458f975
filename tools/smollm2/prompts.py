"""What the model is given to go on from: code, prose, and text to be copied.

All of it is out of Python's own library and its help, in the order of a seed, and none
of it out of the files that are held out (tools/embedded/corpus).
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from tools.smollm2.subjects import ASKED, EDITS, SUBJECTS

LONGEST = 64
"""Tokens of code, or of other text that is gone on from."""
LINES, PAGE = (4, 12), 8000
"""Lines of an excerpt; characters of a file that is read on its own."""
SYSTEM = "You are a helpful AI assistant named SmolLM, trained by Hugging Face"

Encode = Callable[[str], list[int]]


def prompts(files: list[Path], encode: Encode, seed: int) -> Iterator[list[int]]:
    """Without end, each kind in turn: code or help, a question, an edit."""
    texts = [file.read_text().splitlines(keepends=True) for file in files]
    sizes = [len(lines) for lines in texts]
    chance = Random(f"prompts {seed}")

    def excerpt() -> str:
        (lines,) = chance.choices(texts, sizes)
        first = chance.randrange(len(lines))
        return "".join(lines[first : first + chance.randint(*LINES)]).strip("\n")

    while True:
        if begun := encode(excerpt())[:LONGEST]:
            yield begun
        asked = chance.choice(ASKED).format(chance.choice(SUBJECTS))
        yield encode(chat(asked))
        if (given := excerpt()) and len(encode(given)) <= 2 * LONGEST:
            yield encode(chat(f"{chance.choice(EDITS)}\n\n{given}"))


def library(files: list[Path], encode: Encode, seed: int, count: int) -> list[int]:
    """At least so many tokens out of the files, the first PAGE characters of each."""
    pages = [file.read_text()[:PAGE] for file in files]
    Random(f"library {seed}").shuffle(pages)
    tokens: list[int] = []
    while len(tokens) < count and pages:
        tokens += encode(pages.pop())
    return tokens


def chat(asked: str) -> str:
    """A conversation up to where the model answers, by the model's own template."""
    said = {"system": SYSTEM, "user": asked}
    turns = [f"<|im_start|>{who}\n{what}<|im_end|>\n" for who, what in said.items()]
    return "".join([*turns, "<|im_start|>assistant\n"])
