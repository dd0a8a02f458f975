"""Races read in other weights, at another depth, or by a rule that is not coupled."""

from specsim.oracle.mutants.chains import CORRECTION, LEFT
from specsim.oracle.planted import RACE_SHARED, into

chain, gumbel, list_coupling = map(into, ("chain", "gumbel", "list_coupling"))

READ = "source.race(i, p[i])"

MUTANTS = [
    chain(
        "residual-of-the-drafts-race",
        CORRECTION,
        f"source.race(i, {LEFT})",
        RACE_SHARED,
        "vllm-project/vllm#47386",
        "vllm-project/vllm#54282",
    ),
    gumbel("race-in-the-first-row", READ, "source.race(i, p[0])", "wrong row"),
    gumbel("one-race-for-all", READ, "source.race(0, p[i])", RACE_SHARED),
    gumbel(
        "bonus-of-the-last-race",
        "source.race(len(proposal.tokens), p[-1])",
        "source.race(max(len(proposal.tokens) - 1, 0), p[-1])",
        RACE_SHARED,
    ),
    gumbel(
        "drawn-afresh-where-it-differs",
        "return emitted\n",
        "return [*emitted[:-1], source.sample(i, p[i])]\n",
        "residual",
    ),
    list_coupling(
        "lists-interleaved", "np.tile(row, lists)", "np.repeat(row, lists)", "wrong row"
    ),
    list_coupling(
        "later-lists-clipped",
        "winner % len(row)",
        "min(winner, len(row) - 1)",
        "vocabulary",
    ),
    list_coupling(
        "race-row-of-the-depth", "p[node + 1]", "p[len(emitted)]", "wrong row"
    ),
    list_coupling(
        "one-race-for-all-depths",
        "source.race(len(emitted), ",
        "source.race(0, ",
        RACE_SHARED,
    ),
    list_coupling(
        "last-drawn-afresh",
        "return emitted",
        "return [*emitted[:-1], source.sample(0, row)]",
        "residual",
    ),
]
