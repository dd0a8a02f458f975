"""The faults that the stub can be given, one row each: one line written otherwise.

Some are the faults of the decode loop that runs are judged by as well; the others are
of the server around it. owner/repo#N is a public issue or pull request.
"""

from specsim.oracle.http.checks import BATCHES, METRICS, SEEDS, STATE
from specsim.oracle.mutants.loops import (
    DRAFT,
    LOGPROBS,
    LOOPS,
    PROCESSORS,
    STOPS,
    into,
)
from specsim.oracle.swapping import LoopFault

engine, wire = (into(f"specsim/oracle/http/stub/{stem}") for stem in ("engine", "wire"))
sampled, luck = into("reference/model/sampled"), into("specsim/generation/luck")

OF_THE_LOOP = (
    "end-inside-a-block-missed",
    "draft-charged-before-it-is-kept",
    "stop-string-across-tokens-missed",
    "tokens-after-the-stop-string",
    "nothing-forgotten",
    "one-too-many-forgotten",
    "filters-on-the-last-row-alone",
    "temperature-alone",
    "block-not-in-the-penalties",
    "last-token-counted-twice",
    "refused-drafts-penalised",
    "processed-a-row-late",
)
OF_THE_SERVER = [
    engine(
        "length-in-whole-blocks",
        "most=ask.max_tokens,",
        "most=-(-ask.max_tokens // (DEPTH + 1)) * (DEPTH + 1),",
        STOPS,
        "ohdearquant/lattice#242",
    ),
    engine(
        "parameters-of-the-first-request",
        "asked = self._request(ask, self._seed(ask, number))",
        "asked = self._request(self.flying[0].but(prompt=ask.prompt,"
        " max_tokens=ask.max_tokens), self._seed(ask, number))",
        BATCHES,
        "HabanaAI/vllm-fork#1780",
        "vllm-project/vllm#10863",
    ),
    engine(
        "prompt-of-a-neighbour",
        "ask.prompt,\n            self.words,",
        "self.flying[0].prompt,\n            self.words,",
        BATCHES,
        "tenstorrent/tt-metal#56680",
    ),
    engine(
        "seed-ignored",
        "return fresh if ask.seed is None else ask.seed + number",
        "return fresh",
        SEEDS,
        "vllm-project/vllm#6038",
        "NVIDIA/TensorRT-LLM#17599",
    ),
    luck(
        "seed-ignored-by-the-draft",
        "return step\n",
        "return Parted(randomness.keyed(__import__('time').monotonic_ns()), step)\n",
        SEEDS,
        "alibaba/rtp-llm#1318",
    ),
    engine(
        "state-of-the-last-request-kept",
        "size = len(asked.prompt)",
        "size = len(asked.prompt); old = self.__dict__.get('old', ());"
        " asked = replace(asked, prompt=(*old, *asked.prompt));"
        " self.old = asked.prompt[-2:]",
        STATE,
        "tenstorrent/tt-metal#56680",
    ),
    engine(
        "draft-worse-by-the-hour",
        "draft = sampled(self.draft.fresh(), asked.sampling, size)",
        "draft = sampled(self.draft.fresh(), replace(asked.sampling, logit_bias="
        "{3: self.counts['served'] / 20}), size)",
        DRAFT,
        "vllm-project/vllm#11188",
    ),
    sampled(
        "bonus-row-unprocessed",
        "return np.array([*rows])",
        "made = [*rows]; return np.array([*made[:-1],"
        " process(logits[-1], Sampling()) if len(tokens) > 1 else made[-1]])",
        PROCESSORS,
        "Luce-Org/lucebox#374",
    ),
    sampled(
        "penalties-on-the-last-row-alone",
        "return np.array([*rows])",
        "s = self.sampling; bare = Sampling(s.temperature, s.top_k, s.top_p, s.min_p,"
        " logit_bias=s.logit_bias, allowed=s.allowed);"
        " first = [process(x, bare, t) for x, t in"
        " zip(logits[:-1], texts[len(texts) - len(logits) :])];"
        " return np.array([*first, *[*rows][-1:]])",
        PROCESSORS,
        "sgl-project/sglang#28200",
    ),
    wire(
        "logprob-of-accepted-tokens-zero",
        "return [max(LOWEST, each.logprob) for each in served.run.emitted]",
        "return [0.0 if each.origin == 'accepted' else each.logprob"
        " for each in served.run.emitted]",
        LOGPROBS,
        "vllm-project/vllm#17876",
    ),
    wire(
        "logprobs-a-row-late",
        "for row in served.rows\n",
        "for row in [served.rows[0], *served.rows[:-1]]\n",
        LOGPROBS,
        "vllm-project/vllm#33391",
        "vllm-project/vllm#29216",
    ),
    wire(
        "bonus-counted-as-accepted",
        '"draft_n_accepted": tally.accepted}',
        '"draft_n_accepted": tally.accepted + tally.bonus}',
        METRICS,
        "sgl-project/sglang#11572",
    ),
    engine(
        "counters-count-the-bonus",
        '["accepted_tokens"] += tally.accepted',
        '["accepted_tokens"] += tally.accepted + tally.bonus',
        METRICS,
        "sgl-project/sglang#11572",
    ),
]
FAULTS: dict[str, LoopFault] = {
    row.name: row
    for row in [*(row for row in LOOPS if row.name in OF_THE_LOOP), *OF_THE_SERVER]
}
