"""A byte-level tokenizer: bytes, and pairs of tokens merged into one.

Sennrich, Haddow and Birch 2016, Neural Machine Translation of Rare Words with Subword
Units, Algorithm 1, https://arxiv.org/abs/1508.07909, on bytes as in GPT-2. Any bytes
are encoded, and come back as they were.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path

from specsim.errors import Bad
from specsim.roofline.fields import short_path

Pair = tuple[int, int]
PIECES = re.compile(rb"\n+ *| ?_*[A-Za-z]+|[0-9]| ?[^\sA-Za-z0-9]+|\s+")
"""What is never merged across: the end of a line with the indentation of the next, a
word with the space before it, one digit, a run of signs, other space.
"""
END = 0
"""The token of a zero byte, which ends a text."""
FILE = "tokenizer.json"


class Tokenizer:
    """Tokens 0 to 255 are bytes, token 256 + i is the pair of tokens `merges[i]`."""

    def __init__(self, merges: Sequence[Pair]):
        self.merges = [*merges]
        self._spelt = [bytes([byte]) for byte in range(256)]
        for first, second in self.merges:
            self._spelt.append(self._spelt[first] + self._spelt[second])
        self._rank = {pair: i for i, pair in enumerate(self.merges)}
        self._piece = cache(self._merged)

    @property
    def size(self) -> int:
        """How many tokens there are."""
        return len(self._spelt)

    def encode(self, text: str | bytes) -> list[int]:
        """The tokens of a text, a str in UTF-8."""
        data = text.encode() if isinstance(text, str) else text
        return [token for piece in PIECES.findall(data) for token in self._piece(piece)]

    def decode(self, tokens: Iterable[int]) -> bytes:
        """The bytes of the tokens. Bad: one that there is none of."""
        spelt = []
        for token in tokens:
            if not 0 <= token < self.size:
                raise Bad(f"token {token} is not in [0, {self.size})")
            spelt.append(self._spelt[token])
        return b"".join(spelt)

    def text(self, tokens: Iterable[int]) -> str:
        """The tokens to read; what is not UTF-8 shows as U+FFFD."""
        return self.decode(tokens).decode(errors="replace")

    def save(self, path: Path) -> None:
        """Write the merges as JSON."""
        path.write_text(json.dumps({"merges": self.merges}) + "\n")

    def _merged(self, piece: bytes) -> list[int]:
        tokens = list(piece)
        while len(tokens) > 1:
            pair = min(pairwise(tokens), key=lambda p: self._rank.get(p, self.size))
            if pair not in self._rank:
                break
            tokens = joined(tokens, pair, 256 + self._rank[pair])
        return tokens


def joined(tokens: Sequence[int], pair: Pair, made: int) -> list[int]:
    """The tokens with `made` in the place of the pair, from the left.

    >>> joined([1, 1, 1, 2], (1, 1), 9)
    [9, 1, 2]
    """
    out: list[int] = []
    i = 0
    while i < len(tokens):
        found = tuple(tokens[i : i + 2]) == pair
        out.append(made if found else tokens[i])
        i += 1 + found
    return out


def learn(data: bytes, size: int) -> Tokenizer:
    """The tokenizer of so many tokens whose merges are the commonest pairs of `data`.

    Of equally common pairs the lowest is merged. There are fewer tokens where no pair
    is left that occurs twice.
    """
    counted = Counter(PIECES.findall(data))
    pieces = [list(piece) for piece in counted]
    often = [*counted.values()]
    pairs: Counter[Pair] = Counter()
    where: defaultdict[Pair, set[int]] = defaultdict(set)

    def count(i: int, sign: int) -> None:
        for pair in pairwise(pieces[i]):
            pairs[pair] += sign * often[i]
            where[pair].add(i)

    for i in range(len(pieces)):
        count(i, 1)
    merges: list[Pair] = []
    while 256 + len(merges) < size and pairs:
        best = max(pairs, key=lambda pair: (pairs[pair], (-pair[0], -pair[1])))
        if pairs[best] < 2:
            break
        for i in where.pop(best):
            count(i, -1)
            pieces[i] = joined(pieces[i], best, 256 + len(merges))
            count(i, 1)
        del pairs[best]
        merges.append(best)
    return Tokenizer(merges)


def known(path: Path) -> bool:
    """Whether `save` may have written the file: others begin otherwise."""
    return path.read_bytes().startswith(b'{"merges"')


def load(path: Path) -> Tokenizer:
    """The tokenizer of a file that `save` wrote; Bad, in one line, if it is none."""
    try:
        merges = [(int(a), int(b)) for a, b in json.loads(path.read_text())["merges"]]
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise Bad(f"{short_path(path)}: no list of merges ({error})") from None
    for made, pair in enumerate(merges, 256):
        if not all(0 <= token < made for token in pair):
            where = short_path(path)
            raise Bad(f"{where}: token {made} is {pair}, which must be earlier ones")
    return Tokenizer(merges)
