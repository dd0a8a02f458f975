"""From text to tokens and back: what a tokenizer is here, and those of other models."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from specsim import tokens
from specsim.errors import Bad
from specsim.roofline.fields import short, short_path

INSTALL = "pip install 'specsim-llm[models]'"


class Words(Protocol):
    """A tokenizer: `text` reads a whole run of tokens, U+FFFD where a character is not
    complete.
    """

    def encode(self, text: str) -> list[int]: ...
    def text(self, tokens: Sequence[int]) -> str: ...


class Numbers:
    """Of a model without a tokenizer: text is token ids with spaces between them."""

    def encode(self, text: str) -> list[int]:
        """Bad: something that is no number."""
        try:
            return [int(word) for word in text.split()]
        except ValueError:
            raise Bad(
                f"prompt {short(text)}: the model has no {tokens.FILE}; give token ids"
            ) from None

    def text(self, tokens: Sequence[int]) -> str:
        """Each token after a space."""
        return "".join(f" {token}" for token in tokens)


class Published:
    """A tokenizer.json as published on Hugging Face."""

    def __init__(self, file: Path):
        try:
            from tokenizers import Tokenizer
        except ModuleNotFoundError:
            raise Bad(f"{short_path(file)}: needs tokenizers: {INSTALL}") from None
        try:
            self._made = Tokenizer.from_file(str(file))
        except Exception as error:  # the library raises nothing narrower
            raise Bad(f"{short_path(file)}: no tokenizer: {error}") from None

    def encode(self, text: str) -> list[int]:
        """With the tokens that every text of the model begins with."""
        found: list[int] = self._made.encode(text).ids
        return found

    def text(self, tokens: Sequence[int]) -> str:
        """Without the tokens that are no text."""
        said: str = self._made.decode([*tokens])
        return said


def of(model: str | Path) -> Words:
    """The tokenizer in the folder of a model, or beside its file; Numbers if none."""
    path = Path(model).expanduser()
    file = (path if path.is_dir() else path.parent) / tokens.FILE
    if not file.is_file():
        return Numbers()
    return tokens.load(file) if tokens.known(file) else Published(file)
