"""The probe pair as folders that ONNX Runtime GenAI opens, each with its settings.

That engine learns from the folder how it is to speculate, so there is one for each way:
`target` decodes plainly, `draft-model` has the draft in it, `ngram` looks words up.
"""

import json
from pathlib import Path
from typing import Any

from specsim.oracle.probe import converted, huggingface
from specsim.oracle.probe.pair import BEGIN, CONTEXT, END, UNKNOWN, VOCAB
from specsim.pretrained import Pretrained

FORMAT = "onnx"
DRAFTED = 3
WAYS: dict[str, dict[str, int]] = {
    "draft-model": {"max_draft_tokens": DRAFTED},
    "ngram": {"max_draft_tokens": DRAFTED, "ngram_size": 2},
}


def write(target: Pretrained, draft: Pretrained, folder: Path) -> dict[str, Path]:
    """A folder for each model, and one for each way to speculate."""
    made = {"target": _model(target, "target", folder / "target")}
    made["draft"] = _model(draft, "draft", folder / "draft")
    for way, speculative in WAYS.items():
        made[way] = _model(target, "target", folder / way)
        described = _config(target.config) | {"speculative": speculative}
        if way == "draft-model":
            _model(draft, "draft", folder / way / "draft")
            described["model"]["draft"] = _network(draft.config, "draft/model.onnx")
        _say(described, folder / way)
    return made


def _model(model: Pretrained, name: str, folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    huggingface.describe(model, folder)
    converted.write(model, name, FORMAT, folder)
    _say(_config(model.config), folder)
    return folder


def _say(described: dict[str, Any], folder: Path) -> None:
    (folder / "genai_config.json").write_text(json.dumps(described, indent=1) + "\n")


def _config(shape: Any) -> dict[str, Any]:
    """Of one model that decodes plainly; the engine always stops at its end token."""
    return {
        "model": {
            "type": "llama",
            "vocab_size": VOCAB,
            "context_length": CONTEXT,
            "bos_token_id": BEGIN,
            "eos_token_id": END,
            "pad_token_id": UNKNOWN,
            "decoder": _network(shape, "model.onnx"),
        },
        "search": {
            "do_sample": True,
            "max_length": CONTEXT,
            "past_present_share_buffer": False,
            "top_k": VOCAB,
            "top_p": 1.0,
        },
    }


def _network(shape: Any, file: str) -> dict[str, Any]:
    return {
        "session_options": {"log_id": "onnxruntime-genai", "provider_options": []},
        "filename": file,
        "head_size": shape.head_dim,
        "hidden_size": shape.hidden,
        "num_attention_heads": shape.heads,
        "num_hidden_layers": shape.layers,
        "num_key_value_heads": shape.kv_heads,
        "inputs": {
            "input_ids": "input_ids",
            "attention_mask": "attention_mask",
            "past_key_names": "past_key_values.%d.key",
            "past_value_names": "past_key_values.%d.value",
        },
        "outputs": {
            "logits": "logits",
            "present_key_names": "present.%d.key",
            "present_value_names": "present.%d.value",
        },
    }
