"""Small models with all their parts, and what they say worked out afresh each time."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from specsim import drafters, rules, seam
from specsim.drafters import DRAFTERS, Drafter
from specsim.generation.models import Models
from specsim.generation.run import Run
from specsim.generation.scene import Scene, stage
from specsim.rules import RULES, Rule

logits = seam.reference("logits")
eagle, medusa, mtp, transformer = (
    seam.reference(f"model.{name}")
    for name in ("eagle", "medusa", "mtp", "transformer")
)
CONFIG = seam.reference("model.config").Config(
    vocab=7,
    hidden=16,
    intermediate=40,
    layers=2,
    heads=4,
    kv_heads=2,
    head_dim=8,
    eps=1e-5,
)
PROMPT = 1, 4, 2, 1, 4
HEADS = 3
RANKS = [(0,), (1,), (0, 0), (0, 1), (1, 0), (0, 0, 0)]
SPELT = "a", "b", "ab", "ba", "c", "cab", "."
PENALISED: dict[str, Any] = {
    "repetition": 1.3,
    "presence": 0.4,
    "frequency": 0.3,
    "logit_bias": {2: 0.5},
}


class Spelling:
    """Words of which some begin as others end."""

    def encode(self, text: str) -> list[int]:
        return [SPELT.index(letter) for letter in text]

    def text(self, tokens: Sequence[int]) -> str:
        return "".join(SPELT[token] for token in tokens)


def random_weights(shapes: Any, seed: int = 0, dtype: Any = np.float64) -> Any:
    """Values of the size that keeps hidden states about as large as they were."""
    rng = np.random.default_rng(seed)

    def drawn(shape: tuple[int, ...]) -> Any:
        noise = rng.standard_normal(shape)
        made = 1 + noise / 4 if len(shape) == 1 else noise / np.sqrt(shape[-1])
        return made.astype(dtype)

    return {name: drawn(shape) for name, shape in shapes.items()}


@cache
def weights(seed: int = 2) -> Any:
    return random_weights(transformer.shapes(CONFIG), seed)


@cache
def near(share: float) -> Any:
    """The target's weights, with so large a share of noise."""
    noise = weights(1)
    return {name: w + share * noise[name] for name, w in weights().items()}


def models(noise: float = 0.25) -> Models:
    """A target, and drafts that are right now and then."""
    target = transformer.Transformer(CONFIG, weights())
    heads = random_weights(medusa.shapes(CONFIG, HEADS), 2)
    return Models(
        name="small",
        target=target,
        vocab=CONFIG.vocab,
        words=Spelling(),
        draft=transformer.Transformer(CONFIG, near(noise)),
        heads=medusa.Medusa(heads).rows,
        tree=RANKS,
        eagle=eagle.eagle(random_weights(eagle.shapes(CONFIG), 3), target),
        mtp=mtp.mtp(random_weights(mtp.shapes(CONFIG), 4), target),
    )


def scene(drafter: str, rule: str, **asked: Any) -> Scene:
    """Of the small models, unless `target` says otherwise."""
    pair = drafters.named(drafter), rules.named(rule)
    given: dict[str, Any] = {"target": models(), "prompt": PROMPT, "k": 3}
    return stage(pair, **given | {"max_new_tokens": 24} | asked)


def run(drafter: str, rule: str, **asked: Any) -> Run:
    return scene(drafter, rule, **asked).speculative()


def fresh(text: Sequence[int], seed_weights: Any = None) -> Any:
    """Logits after a text, from a model that has read nothing before."""
    model = transformer.Transformer(
        CONFIG, weights() if seed_weights is None else seed_weights
    )
    return model.extend(text, range(-1, len(text) - 1))[0][-1]


def row(generated: Sequence[int], sampling: Any, of: Any = None) -> Any:
    """The row that the token after PROMPT and `generated` is drawn from."""
    text = (*PROMPT, *generated)
    return logits.process(fresh(text, of), sampling, text, len(PROMPT))


def margin(generated: Sequence[int]) -> float:
    """By how much the likeliest token after these led: a tie is no fault."""
    ranked = np.sort(fresh((*PROMPT, *generated)))
    return float(ranked[-1] - ranked[-2])


def ended(drafter: str, rule: str, ends: frozenset[int], **asked: Any) -> Run:
    """A run that those tokens end."""
    target = replace(models(), ends=ends)
    return run(drafter, rule, target=target, **asked)


SOUND: list[tuple[Drafter, Rule]] = [
    (drafter, rule)
    for drafter in DRAFTERS.values()
    for rule in RULES.values()
    if not drafters.unsound(drafter, rule) and not rule.lossy
]
NAMES = [(drafter.name, rule.name) for drafter, rule in SOUND]
