"""Faults planted in the rules that look at all siblings of a node at once."""

from specsim.oracle.planted import into

k_seq, optimal_transport, importance_weighted = map(
    into, ("k_seq", "optimal_transport", "importance_weighted")
)

MUTANTS = [
    k_seq(
        "gamma-of-one",
        "gamma = least_gamma(row, q, n) if gamma is None else",
        "gamma = 1 + 0 * row[0] if gamma is None else",
        "multi-draft weights",
    ),
    k_seq(
        "gamma-too-little",
        "low, high = (low, middle)",
        "low, high = (low, middle - (middle - low) / 4)",
        "multi-draft weights",
    ),
    k_seq(
        "residual-of-one-look",
        "kept * looks(kept.sum(), n)",
        "kept",
        "residual",
    ),
    k_seq(
        "residual-of-every-look",
        "kept * looks(kept.sum(), n)",
        "kept * n",
        "residual",
    ),
    k_seq(
        "residual-not-scaled-down",
        "kept = np.minimum(q, row / gamma)\n    return",
        "kept = np.minimum(q, row)\n    return",
        "residual",
    ),
    k_seq(
        "fallback-is-target",
        "residual(row, kept * looks(kept.sum(), n))",
        "row",
        "residual",
    ),
    optimal_transport(
        "plan-wrong-share",
        "(law[drafted] - here.sum())",
        "(1 - here.sum())",
        "multi-draft weights",
    ),
    optimal_transport(
        "plan-of-independent-siblings",
        "siblings(q, len(drafted), kind)",
        'siblings(q, len(drafted), "iid")',
        "declared q",
    ),
    optimal_transport(
        "plan-then-target",
        "left = residual(p, all_served)",
        "left = p",
        "residual",
    ),
    importance_weighted(
        "law-of-other-weights",
        "return share, q + share * gain",
        "return share, q",
        "multi-draft weights",
    ),
    importance_weighted(
        "chosen-by-target-alone",
        "key=[*ascending(row, q)].index",
        "key=lambda y: row[y]",
        "multi-draft weights",
    ),
    importance_weighted(
        "ties-in-another-order",
        "key=[*ascending(row, q)].index",
        "key=lambda y: row[y] / q[y]",
        "ties",
    ),
    importance_weighted(
        "residual-of-draft-row",
        "residual(row, chosen)",
        "residual(row, q)",
        "residual",
    ),
    importance_weighted(
        "correction-is-target",
        "residual(row, chosen)",
        "row",
        "residual",
    ),
]
