"""Faults planted in the rules for chains."""

from specsim.oracle.planted import into

RATIO = "min(1, p[i, x] / q[i, x])"
LEFT = "residual(p[i], q[i])"
CORRECTION = f"source.sample(i, {LEFT})"
REFUSED = f"return [*tokens[:i], {CORRECTION}]"
ROWS = "tokens, q = proposal.tokens, proposal.drawn_from"
BONUS = "p[-1]"

chain, one_hot, sampler_match = map(into, ("chain", "one_hot", "sampler_match"))

ACCEPT_TEST = [
    chain("accept-all", RATIO, "1", "accept test", "ggml-org/llama.cpp#3919"),
    chain(
        "accept-if-likelier",
        RATIO,
        "int(p[i, x] >= q[i, x])",
        "accept test",
    ),
    chain(
        "ratio-inverted",
        RATIO,
        "min(1, q[i, x] / p[i, x] if p[i, x] else 1)",
        "accept test",
        "openvinotoolkit/openvino.genai at da1db864",
    ),
    chain(
        "two-chances",
        RATIO,
        "1 - (1 - p[i, x]) * (1 - min(1, p[i, x] / q[i, x]))",
        "accept test",
        "alibaba/rtp-llm#1295",
    ),
    chain(
        "threshold",
        RATIO,
        "int(p[i, x] >= Fraction(3, 10))",
        "accept test",
        "AtomicBot-ai/atomic-llama-cpp-turboquant#8",
    ),
    chain(
        "coarse-uniform",
        RATIO,
        "coarse(min(1, p[i, x] / q[i, x]))",
        "accept test",
        "openvinotoolkit/openvino.genai at da1db864",
    ),
    chain(
        "epsilon-in-ratio",
        RATIO,
        "min(1, p[i, x] / (q[i, x] + Fraction(1, 10**10)))",
        "accept test",
        "tutorials that divide by q + 1e-10",
    ),
    chain(
        "large-epsilon-in-ratio",
        RATIO,
        "min(1, p[i, x] / (q[i, x] + Fraction(1, 1000)))",
        "accept test",
    ),
    chain(
        "ratio-of-targets-draw",
        RATIO,
        "sum(w * min(1, w / q[i, x]) for w in p[i])",
        "accept test",
        "openvinotoolkit/openvino.genai at da1db864",
    ),
    chain(
        "sixteen-bit-ratio",
        RATIO,
        "half([min(1, p[i, x] / q[i, x])])[0]",
        "precision",
    ),
    chain(
        "last-draft-never",
        RATIO,
        "min(1, p[i, x] / q[i, x]) if i + 1 < len(tokens) else 0",
        "accept test",
    ),
    sampler_match(
        "mismatch-redrawn",
        "return emitted\n",
        "return [*emitted[:-1], source.sample(len(proposal.tokens), p[i])]\n",
        "accept test",
        "ml-explore/mlx-swift-lm#459",
    ),
    sampler_match(
        "matched-with-the-likeliest",
        "source.sample(i, p[i])",
        "int(np.argmax(p[i]))",
        "accept test",
        "Luce-Org/lucebox#374",
    ),
]

RESIDUAL = [
    chain(
        "residual-is-target",
        LEFT,
        "p[i]",
        "residual",
        "openvinotoolkit/openvino.genai at da1db864",
        "vllm-project/vllm#8320",
    ),
    chain(
        "residual-without-draft",
        LEFT,
        "without(p[i], x)",
        "residual",
        "xLLM-AI/xllm#2175",
    ),
    chain("residual-absolute", LEFT, "abs(p[i] - q[i])", "residual"),
    chain("residual-reversed", LEFT, "residual(q[i], p[i])", "residual"),
    chain(
        "residual-argmax",
        LEFT,
        "one_hot(int(np.argmax(residual(p[i], q[i]))), p[i])",
        "residual",
    ),
    chain(
        "residual-clamped",
        LEFT,
        "np.maximum(p[i] - q[i], Fraction(1, 2**20))",
        "residual",
        "vllm-project/vllm#2336",
    ),
    chain(
        "residual-softmax",
        LEFT,
        "[Fraction(np.exp(float(w))) for w in residual(p[i], q[i])]",
        "residual",
        "huggingface/transformers#28508",
    ),
    chain(
        "residual-by-rank",
        LEFT,
        "residual(p[i], np.sort(q[i])[np.argsort(np.argsort(p[i]))])",
        "residual",
        "ggml-org/llama.cpp examples/speculative at 007d713",
    ),
    chain(
        "residual-filtered-apart",
        LEFT,
        "residual(p[i], np.where(q[i] == max(q[i]), q[i], 0))",
        "residual",
    ),
    chain(
        "residual-next-row",
        LEFT,
        "residual(p[i + 1], q[i])",
        "wrong row",
    ),
    chain(
        "residual-first-row",
        LEFT,
        "(residual(p[0], q[0]) if any(residual(p[0], q[0])) else p[0])",
        "wrong row",
    ),
    one_hot("draft-not-taken-out", "without(p[i], x)", "p[i]", "residual"),
]

BONUS_TOKEN = [
    chain("bonus-wrong-row", BONUS, "p[max(len(p) - 2, 0)]", "bonus token"),
    chain("bonus-from-draft", BONUS, "(q[-1] if tokens else p[-1])", "bonus token"),
    chain(
        "bonus-argmax",
        BONUS,
        "one_hot(int(np.argmax(p[-1])), p[-1])",
        "bonus token",
        "Luce-Org/lucebox#374",
    ),
    chain(
        "bonus-cold",
        BONUS,
        "p[-1] ** 2",
        "bonus token",
        "hemingkx/Spec-Bench at fd2c1cd",
    ),
    chain(
        "bonus-alone-filtered",
        BONUS,
        "np.where(2 * p[-1] >= max(p[-1]), p[-1], 0)",
        "bonus token",
        "vllm-project/vllm#42744",
    ),
]

ROWS_AND_PREFIXES = [
    chain(
        "rows-shifted",
        ROWS,
        f"{ROWS}; p = p[[*range(1, len(p)), -1]]",
        "wrong row",
        "vllm-project/vllm#29216",
    ),
    chain(
        "verify-rows-unprocessed",
        ROWS,
        f"{ROWS}; p = np.array([*(w**2 / sum(w**2) for w in p[:-1]), p[-1]])",
        "wrong row",
        "vllm-project/vllm#10198",
    ),
    chain(
        "softmax-twice",
        ROWS,
        f"{ROWS}; p = np.vectorize(lambda w: Fraction(np.exp(float(w))))(p)"
        "; p = p / p.sum(axis=1, keepdims=True)",
        "wrong row",
    ),
    chain(
        "last-word-cut",
        ROWS,
        f"{ROWS}; p = p * (np.arange(p.shape[1]) < p.shape[1] - 1)",
        "vocabulary",
    ),
    chain(
        "accepts-after-a-refusal",
        REFUSED,
        "later = list(enumerate(tokens))[i + 1 :]\n"
        f"            n = i + sum(source.accept(i, {RATIO}) for i, x in later)\n"
        "            return [*tokens[:n], source.sample(n, residual(p[n], q[n]))]",
        "prefix rule",
        "vllm-project/vllm#2658",
    ),
    chain(
        "rejected-token-kept",
        REFUSED,
        f"return [*tokens[: i + 1], {CORRECTION}]",
        "prefix rule",
        "lucidrains/speculative-decoding#3",
    ),
    chain(
        "token-twice",
        REFUSED,
        f"return [*tokens[:i], *tokens[:i][-1:], {CORRECTION}]",
        "prefix rule",
        "kekzl/imp#667",
    ),
    chain(
        "sixteen-bit-rows",
        ROWS,
        "tokens, q, p = proposal.tokens, half(proposal.drawn_from), half(p)",
        "precision",
        "deepseek-ai/DeepSpec#31",
    ),
]

MUTANTS = [*ACCEPT_TEST, *RESIDUAL, *BONUS_TOKEN, *ROWS_AND_PREFIXES]
