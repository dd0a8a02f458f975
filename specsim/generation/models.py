"""What a text is generated with: a target, its words, and what drafters are made of."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from specsim import pretrained, seam, tokens, trained
from specsim.errors import Bad
from specsim.generation.words import Words, of
from specsim.roofline.fields import read, short_path

Backend = Literal["numpy", "torch"]
BACKENDS: tuple[Backend, ...] = "numpy", "torch"
Part = Literal["draft", "heads", "eagle", "mtp"]
"""Of models, what a drafter is made of."""
Build = Callable[[Any, Any], Any]
"""From a config and weights to a network."""


@dataclass(frozen=True)
class Models:
    """Networks (reference/model), of which the target must be there.

    extend gives logits, keep and clear as those of reference/model/transformer.

    ends:   tokens that end a text. prompt: what to go on from where nothing is given.
    draft:  a smaller model of the same words.
    heads:  Medusa's, from a hidden state to rows; tree: the ranks to draft with them.
    eagle, mtp: drafts that go on from hidden states (reference/model/feature).
    """

    name: str
    target: Any
    vocab: int
    words: Words
    ends: frozenset[int] = frozenset()
    prompt: str = ""
    draft: Any = None
    heads: Any = None
    tree: Any = None
    eagle: Any = None
    mtp: Any = None


def load(
    target: str | Path | None = None,
    draft_model: str | Path | None = None,
    backend: Backend = "numpy",
    part: Part | None = "draft",
) -> Models:
    """A model, in a folder or a file, and what was trained for it; None: the embedded.

    part: what draft_model is. Bad, in one line, for what is not whole or does not fit.
    """
    build = builder(backend)
    made = _embedded(build) if target is None else _given(Path(target), build)
    if draft_model is None:
        return made
    if part is None:
        raise Bad("--draft-model: the drafter needs none; leave it out")
    return replace(made, **_trained(draft_model, part, made.target, build))


def _embedded(build: Build) -> Models:
    from specsim import embedded

    made = embedded.load(build)
    return Models(
        name="embedded",
        target=made.target,
        vocab=made.target.config.vocab,
        words=made.tokenizer,
        ends=frozenset({tokens.END}),
        prompt=embedded.PROMPT,
        draft=made.draft,
        heads=made.heads.rows,
        tree=made.tree,
        eagle=made.eagle,
        mtp=made.mtp,
    )


def _given(path: Path, build: Build) -> Models:
    config, arrays = pretrained.load(path)
    words = of(path)
    return Models(
        name=path.name,
        target=build(config, arrays),
        vocab=config.vocab,
        words=words,
        ends=endings(path.expanduser(), words),
    )


def _trained(path: str | Path, part: Part, target: Any, build: Build) -> dict[str, Any]:
    """The fields of Models that this file or folder fills."""
    if part == "heads":
        heads, tree = trained.medusa(path, target.config)
        return {"heads": heads.rows, "tree": tree}
    if part == "eagle":
        return {"eagle": trained.eagle(path, target)}
    if part == "mtp":
        return {"mtp": trained.mtp(path, target)}
    small, arrays = pretrained.load(path)
    if small.vocab != target.config.vocab:
        raise Bad(
            f"draft model {short_path(Path(path))}: {small.vocab} words, the target "
            f"has {target.config.vocab}; both need the same tokenizer"
        )
    return {"draft": build(small, arrays)}


def builder(backend: Backend) -> Build:
    """How networks are built; Bad where torch is asked for and missing."""
    if backend not in BACKENDS:
        raise Bad(f"backend {backend!r}: choose from {', '.join(BACKENDS)}")
    if backend == "numpy":
        numpy: Build = seam.reference("model.transformer").Transformer
        return numpy
    try:
        torch: Build = seam.gpu("model.alone").alone
    except ModuleNotFoundError:
        install = "pip install 'specsim-llm[torch]'"
        raise Bad(f"backend torch: it is not installed: {install}") from None
    return torch


def endings(path: Path, words: Words) -> frozenset[int]:
    """The tokens that end a text: of our tokenizer, or as a config.json says."""
    if isinstance(words, tokens.Tokenizer):
        return frozenset({tokens.END})
    given = read(str(path)).get("eos_token_id") if path.is_dir() else None
    ends = given if isinstance(given, list) else [given]
    return frozenset(token for token in ends if type(token) is int)
