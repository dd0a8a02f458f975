"""Faults planted in the lossy rules: killed by departing from the rule's own law."""

from specsim.oracle.planted import into

lenience, typical, relaxed = map(into, ("lenience", "typical", "relaxed"))
thresholds, deferral, cascade = map(into, ("thresholds", "deferral", "cascade"))

MUTANTS = [
    lenience(
        "strict-residual",
        "residual(p[i], q[i])",
        "residual(p[i], proposal.drawn_from[i])",
        "residual",
    ),
    lenience(
        "lenience-inverted",
        "number(lenience, p) * proposal",
        "1 / number(lenience, p) * proposal",
        "accept test",
    ),
    typical("entropy-not-negated", "exp(-entropy", "exp(entropy", "accept test"),
    typical(
        "floor-of-the-next-row",
        "_floor(row,",
        "_floor(p[i + 1],",
        "wrong row",
    ),
    relaxed(
        "near-however-unlikely",
        " and bool(row.max() - row[x] <= delta)",
        "",
        "accept test",
    ),
    relaxed(
        "gap-in-logarithms",
        "row.max() - row[x] <= delta",
        "float(row[x]) >= np.exp(-delta) * float(row.max())",
        "accept test",
    ),
    thresholds("single-ignored", "1 if left[x] >= single else ", "", "accept test"),
    thresholds(
        "each-child-on-its-own",
        "(reached - before) / (1 - before)",
        "reached",
        "tree siblings",
    ),
    thresholds(
        "refused-child-left-in", "left = without(left, x)", "left = left", "residual"
    ),
    deferral("window-not-awaited", "len(after) == window and ", "", "block length"),
    deferral("window-not-looked-at", "all(after) and ", "", "accept test"),
    deferral("gate-reversed", ">= gate", "< gate", "accept test"),
    cascade("sure-of-the-target", "q if q.max() >=", "q if q.max() <", "accept test"),
    cascade("distance-ignored", "alpha * residual(row, q).sum()", "0", "accept test"),
]
