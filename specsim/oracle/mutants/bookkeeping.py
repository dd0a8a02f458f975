"""Faults planted around the loop: in what drafts remember, what is said of tokens, and
what is counted. The text may stay right.
"""

from specsim.oracle.swapping import into

DRAFT = "draft state"
"""The text stays right; less of the draft is kept."""
LOGPROBS = "logprobs"
COINS = "coins of the run"
METRICS = "counts of acceptance"

decode, acceptance = (into(f"reference/{stem}") for stem in ("decode", "acceptance"))
DRAFTERS = "draft_model", "growing", "features", "medusa", "prompt_lookup", "suffix"
draft_model, growing, features, medusa, prompt_lookup, suffix = (
    into(f"reference/draft/{stem}") for stem in DRAFTERS
)
run, luck = (into(f"specsim/generation/{stem}") for stem in ("run", "luck"))

ROWS = [
    draft_model(
        "draft-misses-what-was-kept",
        "context[self._read :]",
        "context[-1:]",
        DRAFT,
        "vllm-project/vllm-metal#716",
    ),
    growing(
        "draft-keeps-what-was-refused",
        "path = [self._fed[end].node for end in ends if end in self._fed]",
        "path = [fed.node for fed in self._fed.values()][1:]",
        DRAFT,
        "mlc-ai/mlc-llm#2939",
    ),
    features(
        "hidden-states-a-token-late",
        "[hidden[node + 1] for node in [-1, *path]]",
        "[hidden[max(node, 0)] for node in [-1, *path]]",
        DRAFT,
        "sgl-project/sglang#26329",
    ),
    medusa(
        "hidden-state-of-the-last-step",
        "hidden[path[-1] + 1 if path else 0]",
        "hidden[0]",
        DRAFT,
    ),
    prompt_lookup(
        "looked-up-a-token-early",
        "int(found[self.which]) + n",
        "int(found[self.which]) + n - 1",
        DRAFT,
        "jjang-ai/vmlx#150",
    ),
    suffix("text-counted-again", "self._seen = len(context)", "self._seen = 0", DRAFT),
    run(
        "logprob-of-the-row-of-the-depth",
        "rows[nodes[i] + 1][token]",
        "rows[i][token]",
        LOGPROBS,
        "vllm-project/vllm#33391",
    ),
    luck(
        "noise-by-step",
        "randomness.Shifted(text, position)",
        "randomness.Shifted(text, 100 * number)",
        COINS,
    ),
    decode(
        "same-coins-each-step",
        "luck(number, len(context))",
        "luck(0, len(context))",
        COINS,
    ),
    run(
        "logprob-of-certainty",
        "log(prob) if prob > 0 else -inf",
        "0.0",
        LOGPROBS,
        "vllm-project/vllm#17876",
    ),
    run(
        "logprob-of-the-drafts-row",
        "rows[nodes[i] + 1][token]",
        "(rows if i == len(step.path) else step.proposal.drawn_from)[i][token]",
        LOGPROBS,
    ),
    acceptance(
        "bonus-counted-by-the-tally",
        "self.accepted += step.accepted",
        "self.accepted += len(step.emitted)",
        METRICS,
        "sgl-project/sglang#11572",
    ),
    acceptance(
        "cut-tokens-counted",
        "self.emitted += len(step.emitted)",
        "self.emitted += len(step.emitted) + step.cut",
        METRICS,
    ),
    acceptance(
        "draft-counted-as-asked",
        "self.drafted += len(step.proposal.tokens)",
        "self.drafted += 3",
        METRICS,
        "NVIDIA/TensorRT-LLM#14724",
    ),
]
