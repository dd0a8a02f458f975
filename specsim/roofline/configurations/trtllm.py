"""TensorRT-LLM: the YAML file of `trtllm-serve MODEL --config FILE`.

Options and defaults as in tensorrt_llm/llmapi/llm_args.py of NVIDIA/TensorRT-LLM at
0004396, and its reference for 1.4.0rc4 (2026). `Eagle` is an alias of `Eagle3`,
`DraftTarget` an older name of `Draft_Target`, `num_nextn_predict_layers` of MTP's
`max_draft_len`. `max_total_draft_tokens` counts drafted tokens, without the root.
"""

import re
from typing import Any

from specsim.errors import Bad
from specsim.roofline.configurations.documents import from_yaml, to_yaml
from specsim.roofline.configurations.given import Given, expressible
from specsim.roofline.configurations.setup import (
    MODELLESS,
    MOST_GPUS,
    WIDEST,
    Setup,
    Tree,
)

NAME = "trtllm"
MARK = re.compile(r"decoding_type|trtllm-(serve|bench|eval)")

TYPES = {
    "draft-model": "Draft_Target",
    "eagle3": "Eagle3",
    "mtp": "MTP",
    "dflash": "DFlash",
    "pard": "PARD",
    "prompt-lookup": "NGram",
    "suffix": "SA",
}
OLDER = {"DraftTarget": "Draft_Target", "Eagle": "Eagle3"}
CAN = {
    "draft-model": {"draft_model"},
    "eagle3": {"draft_model", "tree"},
    "mtp": {"draft_model", "tree"},
    "dflash": {"draft_model"},
    "pard": {"draft_model"},
    "prompt-lookup": {"window"},
    "suffix": {"window"},
}

MODEL = "speculative_model", "speculative_model_dir"
LENGTH = "max_draft_len", "num_nextn_predict_layers"
READ = {
    "decoding_type", "use_dynamic_tree", "dynamic_tree_max_topK",
    "max_total_draft_tokens", "max_matching_ngram_size", *MODEL, *LENGTH,
}  # fmt: skip
LEFT_OUT = {
    "acceptance_rate_threshold", "acceptance_rate_window_size",
    "advanced_sampling_mode", "allow_advanced_sampling", "attention_backend",
    "begin_thinking_phase_token", "context_recompute_tail", "draft_len_schedule",
    "draft_lm_head_dtype", "draft_moe_dtype", "eagle3_layers_to_capture",
    "eagle3_model_arch", "eagle3_one_model", "enable_global_pool", "enable_penalty",
    "end_thinking_phase_token", "global_pool_size", "is_keep_all", "is_public_pool",
    "is_use_oldest", "load_format", "mask_token_id", "max_concurrency",
    "max_non_leaves_per_layer", "moe_backend", "moe_tactic", "mtp_eagle_one_model",
    "num_eagle_layers", "relaxed_delta", "relaxed_topk", "sa_config",
    "sa_spec_threshold", "skip_ctx_buffer_budget_check", "spec_dec_variant",
    "target_layer_ids", "use_mtp_vanilla", "use_rejection_sampling",
    "use_relaxed_acceptance_for_thinking", "use_sa_spec",
}  # fmt: skip


def read(text: str) -> Setup:
    """The set-up of an options file; its other options are for other readers."""
    if re.match(r"\s*trtllm-", text):
        raise Bad(f"{NAME}: give the file that --config names, not the command")
    made = from_yaml(NAME, text)
    whole = Given(NAME, made if isinstance(made, dict) else {})
    options = whole.values.get("speculative_config")
    if options is None and "decoding_type" in whole.values:
        options, whole = made, Given(NAME, {})
    if not isinstance(options, dict):
        raise whole.bad("speculation is off: give a speculative_config")
    given = Given(NAME, options)
    left_out = given.known(READ, LEFT_OUT)
    drafter = _drafter(given)
    k = _length(given, drafter)
    return Setup(
        drafter,
        k,
        given.word(*MODEL),
        tree=_tree(given, k) if given.truth("use_dynamic_tree") else None,
        window=_window(given, drafter),
        target=whole.word("model"),
        tensor_parallel=whole.whole("tensor_parallel_size", most=MOST_GPUS),
        left_out=left_out,
    )


def _drafter(given: Given) -> str:
    kind = given.word("decoding_type")
    if kind is None:
        raise given.bad(f"decoding_type is missing: {', '.join(TYPES.values())}")
    for drafter, name in TYPES.items():
        if name == OLDER.get(kind, kind):
            return drafter
    known = ", ".join(TYPES.values())
    raise given.bad(
        f"decoding_type {kind[:60]!r} is not understood; understood are {known}"
    )


def _length(given: Given, drafter: str) -> int | None:
    length = given.whole(*LENGTH)
    if length is None and drafter != "mtp":
        raise given.bad(f"max_draft_len is missing: {TYPES[drafter]} needs it")
    return length


def _tree(given: Given, k: int | None) -> Tree:
    topk = given.whole("dynamic_tree_max_topK", least=2)
    if topk is None or k is None:
        raise given.bad(
            "use_dynamic_tree needs max_draft_len and dynamic_tree_max_topK"
        )
    nodes = given.whole("max_total_draft_tokens", least=k, most=topk * k)
    return Tree(topk, nodes or topk * k)


def _window(given: Given, drafter: str) -> tuple[int, int] | None:
    """NGram looks up any length up to the given; SA that one, or for -1 the longest."""
    name = "max_matching_ngram_size"
    if given.values.get(name) == -1 and drafter == "suffix":
        return None
    longest = given.whole(name, most=WIDEST)
    if drafter not in MODELLESS or longest is None:
        return None
    return (1 if drafter == "prompt-lookup" else longest), longest


def write(setup: Setup) -> str:
    """The options file."""
    expressible(NAME, setup, CAN)
    options: dict[str, Any] = {
        "decoding_type": TYPES[setup.drafter],
        "max_draft_len": setup.k,
        "speculative_model": setup.draft_model,
        "max_matching_ngram_size": _longest(setup),
        **_branches(setup),
    }
    if setup.k is None and setup.drafter != "mtp":
        raise Bad(f"{NAME}: k is open: say how many tokens to draft")
    whole: dict[str, Any] = {
        "model": setup.target,
        "tensor_parallel_size": setup.tensor_parallel,
        "speculative_config": _said(options),
    }
    return to_yaml(_said(whole))


def _said(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _branches(setup: Setup) -> dict[str, Any]:
    if setup.tree is None:
        return {}
    topk, nodes, most = (
        setup.tree.topk,
        setup.tree.nodes,
        setup.tree.topk * (setup.k or 0),
    )
    if nodes > most:
        raise Bad(
            f"{NAME}: a tree {setup.k} deep by {topk} holds {most} nodes, not {nodes}"
        )
    return {
        "use_dynamic_tree": True,
        "dynamic_tree_max_topK": topk,
        "max_total_draft_tokens": nodes,
    }


def _longest(setup: Setup) -> int | None:
    """The one length there is an option for."""
    if setup.window is None:
        return None
    shortest, longest = setup.window
    if setup.drafter == "prompt-lookup" and shortest != 1:
        raise Bad(f"{NAME}: NGram looks up from length 1: begin the window at 1")
    if setup.drafter == "suffix" and shortest != longest:
        raise Bad(f"{NAME}: SA looks up one length: give it as both")
    return longest
