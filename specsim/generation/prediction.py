"""What the roofline says the speed-up is, on a machine that was calibrated."""

from dataclasses import asdict
from math import ceil
from pathlib import Path
from typing import Any

from specsim.generation.generated import Generated
from specsim.roofline import config, question
from specsim.roofline.catalog import Gpu, Model
from specsim.roofline.fields import Fields
from specsim.roofline.speculation.acceptance import Emitted
from specsim.roofline.speculation.pricing import speculate
from specsim.roofline.speculation.shape import Shape

PRICED = {"lookahead": "suffix"}
"""The window of lookahead is among the nodes that were counted: any tree does."""


def speedup(made: Generated, machine: Gpu) -> float:
    """Predicted from shapes alone, for the drafts and the acceptance that were seen."""
    scene, tally = made.scene, made.run.tally
    models, asked = scene.models, scene.request
    target = shape(models.target.config)
    deployment = question.deploy(target, machine, engine="ideal")
    smaller = scene.drafter.needs == "a model"
    nodes = ceil(tally.drafted / tally.steps)
    depth = min(nodes, len(tally.reached))
    priced = speculate(
        deployment,
        PRICED.get(scene.drafter.name, scene.drafter.name),
        alpha=Emitted(tally.tokens_per_step),
        draft_model=shape(models.draft.config) if smaller else None,
        tree=Shape(nodes, depth, nodes > depth),
        context=len(asked.prompt) + tally.emitted // 2,
    )
    return float(priced.speedup)


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
