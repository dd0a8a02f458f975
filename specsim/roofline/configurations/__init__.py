"""Engines' own speculative configurations, read and written.

setup        what they all say, in words of none
given        typed reading of options
documents    JSON and a strict part of YAML
gguf         models as llama.cpp finds them
vllm, sglang, trtllm, llamacpp   one engine each: its options, their source and version
"""

import os
from pathlib import Path
from typing import Protocol

from specsim.errors import Bad
from specsim.roofline.configurations import llamacpp, sglang, trtllm, vllm
from specsim.roofline.configurations.setup import DRAFTERS, Setup, Tree

__all__ = ["DRAFTERS", "ENGINES", "Setup", "Tree", "emit", "parse"]

MOST_LETTERS = 1_000_000
SUFFIXES = ".json", ".yaml", ".yml", ".sh", ".txt"


class Dialect(Protocol):
    """What each engine's module offers."""

    NAME: str

    def read(self, text: str) -> Setup:
        """Bad names the option at fault."""

    def write(self, setup: Setup) -> str:
        """Bad names what the engine has no words for."""


ENGINES = {module.NAME: module for module in (vllm, sglang, trtllm, llamacpp)}
ALIASES = {"tensorrt-llm": "trtllm", "trt-llm": "trtllm", "llama.cpp": "llamacpp"}


def parse(source: str | os.PathLike[str], engine: str | None = None) -> Setup:
    """The set-up that a configuration, or the file of one, describes.

    A command line, vLLM's JSON or TensorRT-LLM's YAML; the engine is told from its
    options unless named. Bad on anything unknown, mistyped, cut off or out of range.

    >>> parse("vllm serve Qwen/Qwen3-8B --spec-method ngram --spec-tokens 4").k
    4
    """
    text = _text(source)
    module = _told(text) if engine is None else named(engine)
    return module.read(text)


def emit(setup: Setup, engine: str) -> str:
    """The configuration in the engine's words; Bad if it has none for part of it.

    >>> emit(Setup("prompt-lookup", 4), "vllm")
    '{"method": "ngram", "num_speculative_tokens": 4}'
    """
    return named(engine).write(setup)


def named(engine: str) -> Dialect:
    name = engine.lower() if isinstance(engine, str) else ""
    name = ALIASES.get(name, name)
    if name not in ENGINES:
        raise Bad(f"engine {engine!r}: choose from {', '.join(ENGINES)}")
    return ENGINES[name]


def _told(text: str) -> Dialect:
    """The engine whose options these are."""
    found = [name for name, module in ENGINES.items() if module.MARK.search(text)]
    if len(found) != 1:
        what = f"could be {' or '.join(found)}" if found else "tells no engine"
        raise Bad(f"configuration {what}: name it ({', '.join(ENGINES)})")
    return ENGINES[found[0]]


def _text(source: str | os.PathLike[str]) -> str:
    """The text given, or that of the file named."""
    if isinstance(source, str) and not _is_path(source):
        text = source
    else:
        text = _file(Path(source))
    if len(text) > MOST_LETTERS:
        raise Bad(f"configuration: over {MOST_LETTERS:,} letters; none is so long")
    return text


def _is_path(source: str) -> bool:
    return len(source.split()) == 1 and (
        source.endswith(SUFFIXES) or os.path.isfile(source)
    )


def _file(path: Path) -> str:
    try:
        if path.stat().st_size > 4 * MOST_LETTERS:
            raise Bad(f"{path}: too long for a configuration; give the right file")
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise Bad(
            f"{path}: {error.strerror}; give a configuration or its file"
        ) from None
    except ValueError as error:
        if isinstance(error, Bad):
            raise
        raise Bad(f"{path}: not text; give a configuration or its file") from None
