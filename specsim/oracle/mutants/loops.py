"""Faults planted in the loop: where it stops, what it forgets, what each row has seen.

No rule is at fault in these, so no check of a rule can see them; runs can.
"""

from specsim.oracle.mutants import bookkeeping
from specsim.oracle.mutants.bookkeeping import COINS as COINS
from specsim.oracle.mutants.bookkeeping import DRAFT as DRAFT
from specsim.oracle.mutants.bookkeeping import LOGPROBS as LOGPROBS
from specsim.oracle.mutants.bookkeeping import METRICS as METRICS
from specsim.oracle.swapping import into as into

STOPS = "stops"
ROLLBACK = "target forgets wrongly"
TREES = "tree packing"
PROCESSORS = "processors"

decode, cache, layers, sampled = (
    into(f"reference/{stem}")
    for stem in ("decode", "model/cache", "model/layers", "model/sampled")
)
speech, run = (into(f"specsim/generation/{stem}") for stem in ("speech", "run"))

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
        "return process(logits, sampling, text, prompt)",
        "return process(logits, Sampling(sampling.temperature), text, prompt)",
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
        "prompt, sampling = min(self.prompt_length, len(text)), self.sampling",
        "prompt, sampling = 0, self.sampling",
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
    sampled(
        "mask-of-a-chain-in-a-tree",
        "(*self._texts[parent + 1], token)",
        "(*self._texts[-1], token)",
        PROCESSORS,
        "NVIDIA/TensorRT-LLM#18892",
    ),
    decode(
        "forgotten-only-where-all-is-kept",
        "target.keep([0, *(node + 1 for node in path)])",
        "full = len(path) == len(proposal.tokens)\n"
        "        keep = [0, *(node + 1 for node in path)]\n"
        "        target.keep(keep if full else range(len(proposal.tokens) + 1))",
        ROLLBACK,
    ),
    *bookkeeping.ROWS,
]
