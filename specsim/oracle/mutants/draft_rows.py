"""Faults planted in the rule for chains: it looks up another row of the draft.

Where that row has no odds for the token, floats divide by zero: whatever the target
may say is accepted, and nothing else.
"""

from specsim.oracle.mutants.chains import LEFT, RATIO, chain

MUTANTS = [
    chain(
        "accept-by-the-first-draft-row",
        RATIO,
        "min(1, p[i, x] / (q[0, x] or p[i, x] or 1))",
        "wrong row",
    ),
    chain(
        "accept-by-the-draft-row-before",
        RATIO,
        "min(1, p[i, x] / (q[max(i - 1, 0), x] or p[i, x] or 1))",
        "wrong row",
    ),
    chain(
        "residual-by-the-first-draft-row",
        LEFT,
        "(residual(p[i], q[0]) if any(residual(p[i], q[0])) else p[i])",
        "wrong row",
    ),
]
