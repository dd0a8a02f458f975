"""vLLM: `vllm serve MODEL --speculative-config '{...}'`, or the JSON object alone.

Options and defaults as in vllm/config/speculative.py of vllm-project/vllm at 002e77c
(2026); `--spec-method`, `--spec-model` and `--spec-tokens` are its short forms. It
drafts chains only. `suffix` drafts up to 24 tokens unless told otherwise.
"""

import json
import re
import shlex
from dataclasses import replace
from typing import Any

from specsim.errors import Bad
from specsim.roofline.configurations.documents import from_json
from specsim.roofline.configurations.given import Given, expressible, flags
from specsim.roofline.configurations.setup import MODELLESS, MOST_GPUS, WIDEST, Setup
from specsim.roofline.fields import short

NAME = "vllm"
MARK = re.compile(
    r"--speculative[-_]config|(^|\s)-sc\s|--spec-(method|model|tokens)"
    r'|num_speculative_tokens|"method"\s*:'
    r"|\bvllm serve\b|vllm\.entrypoints"
)

METHODS = {
    "draft-model": "draft_model",
    "eagle": "eagle",
    "eagle3": "eagle3",
    "mtp": "mtp",
    "medusa": "medusa",
    "dflash": "dflash",
    "pard": "draft_model",
    "prompt-lookup": "ngram",
    "suffix": "suffix",
}
_MODEL = {"draft_model", "draft_tensor_parallel"}
CAN = {name: _MODEL for name in METHODS} | {
    "prompt-lookup": {"window"},
    "suffix": {"min_probability"},
}

READ = {
    "method", "model", "num_speculative_tokens", "draft_tensor_parallel_size",
    "prompt_lookup_max", "prompt_lookup_min", "parallel_drafting",
    "suffix_decoding_min_token_prob",
}  # fmt: skip
LEFT_OUT = {
    "enforce_eager", "tensor_parallel_size", "quantization", "moe_backend",
    "attention_backend", "kv_cache_dtype", "max_model_len", "revision",
    "code_revision", "index_share_for_mtp_iteration", "disable_padded_drafter_batch",
    "disable_eagle_block_drop", "use_local_argmax_reduction",
    "use_heterogeneous_vocab", "num_speculative_tokens_per_batch_size",
    "suffix_decoding_max_tree_depth", "suffix_decoding_max_cached_requests",
    "suffix_decoding_max_spec_factor", "draft_load_config", "rejection_sample_method",
    "synthetic_acceptance_rates", "synthetic_acceptance_length",
    "enable_adaptive_verification", "draft_sample_method", "dspark_draft_topk",
}  # fmt: skip
SHORT = "--spec-method", "--spec-model", "--spec-tokens"
CONFIG = "--speculative-config", "-sc"


def read(text: str) -> Setup:
    """The set-up a command line or a JSON object describes."""
    if text.lstrip().startswith("{"):
        made = from_json(NAME, text)
        return _from_options(made.get("speculative_config", made))
    line, loose = flags(NAME, text)
    line = replace(line, values=_hyphens(line.values))
    target = line.word("--model") or _served(loose)
    return replace(
        _from_options(_options(line)),
        target=target,
        tensor_parallel=line.whole("--tensor-parallel-size", "-tp", most=MOST_GPUS),
    )


def _hyphens(values: Any) -> dict[str, Any]:
    """The same where `--a_b` stands for `--a-b`, as it may."""
    return {name.replace("_", "-"): value for name, value in values.items()}


def _served(loose: list[str]) -> str | None:
    """The model that stands behind `serve`."""
    return loose[loose.index("serve") + 1] if "serve" in loose[:-1] else None


def _options(line: Given) -> Any:
    """The options of speculation on a command line, short forms last."""
    for name in line.values:
        if name.startswith("--speculative-config."):
            raise line.bad(
                f"{short(name)}: give one object, --speculative-config '{{}}'"
            )
        if name.startswith(("--spec-", "--speculative-")):
            line.among(name, [*CONFIG, *SHORT])
    given = {
        "method": line.word("--spec-method"),
        "model": line.word("--spec-model"),
        "num_speculative_tokens": line.whole("--spec-tokens"),
    }
    given = {name: value for name, value in given.items() if value is not None}
    written = line.word(*CONFIG)
    if written is None and not given:
        raise line.bad("speculation is off: give --speculative-config '{...}'")
    options = given if written is None else from_json(NAME, written)
    return options | given if isinstance(options, dict) else options


def _from_options(options: Any) -> Setup:
    given = Given(NAME, options if isinstance(options, dict) else {})
    if not isinstance(options, dict):
        raise given.bad("the speculative configuration is no JSON object: give {...}")
    left_out = given.known(READ, LEFT_OUT)
    drafter = _drafter(given)
    setup = Setup(
        drafter,
        given.whole("num_speculative_tokens"),
        _draft_model(given, drafter),
        window=_window(given) if drafter == "prompt-lookup" else None,
        min_probability=_least(given) if drafter == "suffix" else None,
        draft_tensor_parallel=given.whole("draft_tensor_parallel_size", most=MOST_GPUS),
        left_out=left_out,
    )
    if setup.k is None and drafter == "prompt-lookup":
        raise given.bad("num_speculative_tokens is missing: ngram needs it")
    return setup


def _drafter(given: Given) -> str:
    """From the method; without one from the model's name, as vLLM does."""
    method, model = given.word("method"), given.word("model")
    if method is None and model is None:
        raise given.bad("method is missing: name one, or a model")
    if method is None:
        assert model is not None
        method = _guessed(model)
    method = "mtp" if method.endswith("_mtp") else method
    method = {"[ngram]": "ngram", "ngram_gpu": "ngram"}.get(method, method)
    if method == "draft_model" and given.truth("parallel_drafting"):
        return "pard"
    for drafter, known in METHODS.items():
        if known == method:
            return drafter
    known = ", ".join(dict.fromkeys(METHODS.values()))
    raise given.bad(f"method {method[:60]!r} is not understood; understood are {known}")


def _guessed(model: str) -> str:
    name = model.lower()
    if name in ("ngram", "[ngram]"):
        return "ngram"
    marks = {"eagle-": "eagle", "eagle3": "eagle3", "dflash": "dflash"}
    return next((way for mark, way in marks.items() if mark in name), "draft_model")


def _draft_model(given: Given, drafter: str) -> str | None:
    model = given.word("model")
    if drafter in MODELLESS:
        return None
    if model is None and drafter != "mtp":
        raise given.bad(f"model is missing: method {METHODS[drafter]} needs one")
    return model


def _least(given: Given) -> float | None:
    return given.share("suffix_decoding_min_token_prob")


def _window(given: Given) -> tuple[int, int] | None:
    """Both lengths; one alone stands for both."""
    longest = given.whole("prompt_lookup_max", most=WIDEST)
    shortest = given.whole("prompt_lookup_min", most=WIDEST)
    if longest is None and shortest is None:
        return None
    shortest, longest = shortest or longest, longest or shortest
    assert shortest is not None
    assert longest is not None
    if shortest > longest:
        raise given.bad(
            f"prompt_lookup_min {shortest} is over prompt_lookup_max {longest}: swap"
        )
    return shortest, longest


def write(setup: Setup) -> str:
    """A command line if the target is known, else the JSON object alone."""
    expressible(NAME, setup, CAN)
    if setup.k is None and setup.drafter == "prompt-lookup":
        raise Bad(f"{NAME}: k is open: say how many tokens to look up")
    window = setup.window or (None, None)
    options = {
        "method": METHODS[setup.drafter],
        "model": setup.draft_model,
        "num_speculative_tokens": setup.k,
        "parallel_drafting": True if setup.drafter == "pard" else None,
        "prompt_lookup_max": window[1],
        "prompt_lookup_min": window[0],
        "suffix_decoding_min_token_prob": setup.min_probability,
        "draft_tensor_parallel_size": setup.draft_tensor_parallel,
    }
    said = json.dumps({name: v for name, v in options.items() if v is not None})
    if setup.target is None and setup.tensor_parallel is None:
        return said
    words = ["vllm", "serve"] + ([setup.target] if setup.target else [])
    if setup.tensor_parallel:
        words += ["--tensor-parallel-size", str(setup.tensor_parallel)]
    return shlex.join([*words, "--speculative-config", said])
