"""Models as llama.cpp finds them: GGUF files, and repositories that hold such files."""

import re

SUFFIX = ".gguf"
PART = re.compile(r"-\d{5}-of-\d{5}$")
REPOSITORY = re.compile(r"\w[\w.-]*/[\w.-]*gguf[\w.-]*(:[\w.-]+)?", re.IGNORECASE)


def model(path: str) -> str:
    """What the model in a file is called, by the file's name.

    >>> model("/models/Qwen2.5-7B-Instruct-Q4_K_M-00001-of-00002.gguf")
    'Qwen2.5-7B-Instruct-Q4_K_M'
    """
    last = _last(path)
    if _is_file(last):
        last = PART.sub("", last[: -len(SUFFIX)])
    return last.strip() or path


def file(name: str) -> str:
    """The file of a model: the path that the name is, else one for the reader to fill.

    >>> file("Qwen/Qwen3-8B"), file("models/a.gguf")
    ('Qwen3-8B.gguf', 'models/a.gguf')
    """
    if _is_file(name):
        return name
    return (_last(name).lstrip("- ") or "MODEL") + SUFFIX


def is_repository(name: str) -> bool:
    """Whether it is the hub id of GGUF files, as those are called; `:Q8_0` may follow.

    >>> is_repository("Qwen/Qwen3-8B-GGUF:Q8_0"), is_repository("Qwen/Qwen3-8B")
    (True, False)
    """
    return REPOSITORY.fullmatch(name) is not None and not _is_file(name)


def _is_file(name: str) -> bool:
    return name.lower().endswith(SUFFIX)


def _last(path: str) -> str:
    return re.split(r"[/\\]", path)[-1]
