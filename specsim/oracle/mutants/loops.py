"""Faults planted in the loop: where it stops, what it forgets, what each row has seen.

No rule is at fault in these, so no check of a rule can see them; runs can.
"""

from collections.abc import Callable

from specsim.oracle.swapping import LoopFault

STOPS = "stops"
ROLLBACK = "target forgets wrongly"
TREES = "tree packing"
PROCESSORS = "processors"
DRAFT = "draft state"
"""The text stays right; less of the draft is kept."""
LOGPROBS = "logprobs"
COINS = "coins of the run"


def into(file: str) -> Callable[..., LoopFault]:
    """Rows of one file: (name, old, new, kind, *reports)."""

    def row(name: str, old: str, new: str, kind: str, *reports: str) -> LoopFault:
        return LoopFault(name, file, old, new, kind, reports)

    return row


REFERENCE = "decode", "model/cache", "model/layers", "model/sampled"
DRAFTERS = "draft_model", "growing", "features", "medusa", "prompt_lookup", "suffix"
decode, cache, layers, sampled = (into(f"reference/{stem}") for stem in REFERENCE)
draft_model, growing, features, medusa, prompt_lookup, suffix = (
    into(f"reference/draft/{stem}") for stem in DRAFTERS
)
speech, run, luck = (
    into(f"specsim/generation/{stem}") for stem in ("speech", "run", "luck")
)

LOOPS = [
    decode(
        "end-inside-a-block-missed",
        "return emitted[: next(ends, len(emitted))]",
        "return emitted",
        STOPS,
        "huggingface/transformers#47912",
        "LostRuins/koboldcpp#1276",
    ),
    decode(
        "more-tokens-than-asked",
        "until(stop, emitted[:left])",
        "until(stop, emitted)",
        STOPS,
        "ohdearquant/lattice#242",
    ),
    decode(
        "draft-charged-before-it-is-kept",
        "left - len(block)",
        "left - len(proposal.tokens) - 1",
        STOPS,
        "ikawrakow/ik_llama.cpp#2358",
    ),
    speech(
        "first-stop-string-of-the-list",
        "return min(found)[1] if found else None",
        "return found[0][1] if found else None",
        STOPS,
        "vllm-project/vllm#49391",
    ),
    speech(
        "stop-string-across-tokens-missed",
        "(text.find(string), string)",
        "(text.find(string, len(self.words.text(self.tokens[:-1]))), string)",
        STOPS,
        "sgl-project/sglang#23802",
    ),
    speech(
        "beginning-of-a-stop-string-said",
        "cut = len(text) if last else self._sure(text)",
        "cut = len(text)",
        STOPS,
    ),
    run(
        "tokens-after-the-stop-string",
        "logprob)\n        if speech.stopped:\n            return\n",
        "logprob)\n",
        STOPS,
        "vllm-project/vllm#47616",
    ),
    decode(
        "nothing-forgotten",
        "target.keep([0, *(node + 1 for node in path)])",
        "target.keep(range(len(proposal.tokens) + 1))",
        ROLLBACK,
        "ml-explore/mlx-lm#1109",
    ),
    decode(
        "one-too-many-forgotten",
        "target.keep([0, *(node + 1 for node in path)])",
        "target.keep([0, *(node + 1 for node in path[:-1])])",
        ROLLBACK,
        "lablup/mlxcel#994",
    ),
    decode(
        "last-kept-token-never-read",
        "target.keep([0, *(node + 1 for node in path)])",
        "full = len(path) == len(proposal.tokens)\n"
        "        target.keep([0, *(n + 1 for n in (path[:-1] if full else path))])",
        ROLLBACK,
        "vllm-project/vllm#9730",
    ),
    cache(
        "length-counts-what-was-refused",
        "self.kept, self.parents = now, []",
        "self.kept, self.parents = self._end, []",
        ROLLBACK,
        "huggingface/transformers#30042",
    ),
    cache(
        "path-left-where-it-was",
        "[:, :, :, nodes]",
        "[:, :, :, self.kept : now]",
        TREES,
    ),
    cache(
        "siblings-see-each-other",
        "seen[node] |= seen[parent]",
        "seen[node, :node] = True",
        TREES,
        "sgl-project/sglang-jax#1611",
    ),
    cache(
        "ancestors-hidden",
        "seen[node] |= seen[parent]",
        "seen[node, parent] = True",
        TREES,
    ),
    layers(
        "position-of-the-place-in-the-tree",
        "positions = self.cache.kept + seen.sum(-1) - 1",
        "positions = self.cache.kept + np.arange(len(self.cache.parents))[-len(x) :]",
        TREES,
        "lablup/mlxcel#1214",
    ),
    sampled(
        "filters-on-the-last-row-alone",
        "return np.array([*rows])",
        "return np.array([*map(process, logits[:-1], [Sampling()] * len(logits[1:])),"
        " *[*rows][-1:]])",
        PROCESSORS,
        "vllm-project/vllm#42744",
    ),
    sampled(
        "temperature-alone",
        "return process(logits, self.sampling, text, prompt)",
        "return process(logits, Sampling(self.sampling.temperature), text, prompt)",
        PROCESSORS,
        "NVIDIA/TensorRT-LLM#17701",
    ),
    sampled(
        "block-not-in-the-penalties",
        "(*self._texts[parent + 1], token)",
        "(*self._texts[0], token)",
        PROCESSORS,
        "mlx-node/mlx-node#11",
    ),
    sampled(
        "last-token-counted-twice",
        "(*self._texts[parent + 1], token)",
        "(*self._texts[parent + 1], *[token] * (1 + (parent >= 0)))",
        PROCESSORS,
        "vllm-project/vllm#33251",
    ),
    sampled(
        "refused-drafts-penalised",
        "self._texts = [self._texts[path[-1] + 1 if path else 0]]",
        "self._texts = [self._texts[-1]]",
        PROCESSORS,
        "osaurus-ai/vmlx-swift#361",
    ),
    sampled(
        "prompt-penalised-as-generated",
        "prompt = min(self.prompt_length, len(text))",
        "prompt = 0",
        PROCESSORS,
        "antonellof/ferrox#54",
    ),
    sampled(
        "processed-a-row-late",
        "map(self._row, logits, texts[len(texts) - len(logits) :])",
        "map(self._row, logits, [texts[0], *texts])",
        PROCESSORS,
        "vllm-project/vllm#34650",
    ),
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
]
