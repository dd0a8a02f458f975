"""Text to train on, as tokens; what is no text is refused in one line."""

from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path
from typing import Protocol

import numpy as np

from specsim.errors import Bad
from specsim.roofline.fields import short_path
from specsim.tokens import END, Tokenizer
from specsim.weights import Array

TEXTS = ".txt", ".md", ".rst", ".py"
"""What is read of a folder."""


class Encoder(Protocol):
    """Of a tokenizer, what is needed here."""

    def encode(self, text: str) -> list[int]: ...


def read(paths: Iterable[str | Path]) -> list[str]:
    """The files, and the texts in the folders.

    Bad: one that cannot be read, is empty, or is not UTF-8 text.
    """
    return [_text(file) for path in paths for file in _files(Path(path).expanduser())]


def tokens(texts: Iterable[str], words: Encoder) -> Array:
    """The tokens of the texts in a row, int32; those of specsim's own end each."""
    end = [END] if isinstance(words, Tokenizer) else []
    ids = [token for text in texts for token in (*words.encode(text), *end)]
    return np.array(ids, dtype=np.int32)


def digest(*parts: Array) -> str:
    """Sixteen hex digits that tell these arrays from others."""
    hashed = blake2b(digest_size=8)
    for part in parts:
        hashed.update(np.ascontiguousarray(part).tobytes())
    return hashed.hexdigest()


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    files = sorted(file for file in path.rglob("*") if file.suffix in TEXTS)
    if not files:
        raise Bad(f"{short_path(path)}: no text in this folder ({', '.join(TEXTS)})")
    return files


def _text(file: Path) -> str:
    where = short_path(file)
    try:
        text = file.read_bytes().decode()
    except OSError as error:
        raise Bad(f"{where}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise Bad(f"{where}: no UTF-8 text (byte {error.start}); give text") from None
    if not text:
        raise Bad(f"{where}: empty; give a file with text in it")
    if "\0" in text:
        raise Bad(f"{where}: holds zero bytes; give text")
    return text
