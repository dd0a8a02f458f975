"""What the roofline says the speed-up is, on a machine that was calibrated."""

from dataclasses import asdict, dataclass
from math import ceil
from pathlib import Path
from timeit import repeat as timed
from typing import Any

import numpy as np

from specsim import seam
from specsim.drafters import Drafter, Need
from specsim.generation.generated import Generated
from specsim.generation.models import Models
from specsim.roofline import config, question
from specsim.roofline.catalog import Gpu, Model
from specsim.roofline.fields import Fields
from specsim.roofline.speculation.acceptance import Emitted
from specsim.roofline.speculation.pricing import speculate
from specsim.roofline.speculation.shape import Shape

PRICED = {"lookahead": "suffix"}
"""The window of lookahead is among the nodes that were counted: any tree does."""
ROWS: dict[Need, float] = {
    "nothing": 0.0,
    "a model": 1.0,
    "heads": 0.0,
    "features": 1.0,
}
"""Rows of its own that a drafter makes of logits for each node."""


@dataclass(frozen=True)
class Seen:
    """What a run showed of a drafter: all that its time is foretold from.

    nodes:   drafted a step. depth: levels that were reached.
    tokens:  emitted a step. context: tokens before the draft, in the middle of the run.
    """

    drafter: Drafter
    nodes: float
    depth: int
    tokens: float
    context: int


def speedup(made: Generated, machine: Gpu) -> float:
    """Predicted from shapes alone, for the drafts and the acceptance that were seen."""
    scene, tally = made.scene, made.run.tally
    seen = Seen(
        scene.drafter,
        tally.drafted / tally.steps,
        len(tally.reached),
        tally.tokens_per_step,
        len(scene.request.prompt) + tally.emitted // 2,
    )
    return predicted(seen, scene.models, machine, scene.request.sampling)


def predicted(seen: Seen, models: Models, machine: Gpu, sampling: Any) -> float:
    """Passes as the roofline prices them, and the rows that are made of their logits,
    which on a large vocabulary take as long: those are timed here and now.
    """
    drafter, nodes = seen.drafter, ceil(seen.nodes)
    depth = min(nodes, seen.depth)
    smaller = drafter.needs == "a model"
    priced = speculate(
        question.deploy(shape(models.target.config), machine, engine="ideal"),
        PRICED.get(drafter.name, drafter.name),
        alpha=Emitted(seen.tokens),
        draft_model=shape(models.draft.config) if smaller else None,
        tree=Shape(nodes, depth, nodes > depth),
        context=seen.context,
    )
    row, drawn = row_seconds(models.vocab, sampling), ROWS[drafter.needs] * seen.nodes
    plain = float(priced.plain_s) + row
    return seen.tokens * plain / (float(priced.step_s) + (1 + seen.nodes + drawn) * row)


def row_seconds(vocab: int, sampling: Any) -> float:
    """What it takes to make a row of so many logits, the quickest of a few."""
    process = seam.reference("logits").process
    logits = np.linspace(-8, 8, vocab, dtype=np.float32)
    return min(timed(lambda: process(logits, sampling, (0,), 1), number=1, repeat=5))


def shape(of: Any) -> Model:
    """A network's config as a row of the roofline's models."""
    return config.described(Fields(Path("config.json"), fields(asdict(of))))


def fields(of: dict[str, Any]) -> dict[str, Any]:
    """The same in the words of a config.json; here all is computed in float32."""
    family = "qwen3" if of["qk_norm"] else "qwen2" if of["qkv_bias"] else "llama"
    return {
        "model_type": family,
        "vocab_size": of["vocab"],
        "hidden_size": of["hidden"],
        "intermediate_size": of["intermediate"],
        "num_hidden_layers": of["layers"],
        "num_attention_heads": of["heads"],
        "num_key_value_heads": of["kv_heads"],
        "head_dim": of["head_dim"],
        "tie_word_embeddings": of["tied"],
        "torch_dtype": "float32",
    }
