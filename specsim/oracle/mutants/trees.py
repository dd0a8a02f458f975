"""Faults planted in the rules for trees, and at temperature 0."""

from specsim.oracle.planted import into

target_only, recursive, greedy = map(into, ("target_only", "recursive", "greedy"))

MUTANTS = [
    target_only(
        "draw-per-sibling",
        "emitted.append(source.sample(node + 1, p[node + 1]))",
        "kids = [(c, proposal.tokens[c]) for c in proposal.children(node)]\n"
        "        row = p[node + 1]\n"
        "        said = [x for c, x in kids if source.accept(c, row[x])]\n"
        "        emitted.append(said[0] if said else source.sample(node + 1, row))",
        "tree siblings",
        "foundation-model-stack/fms-extras#12",
        "FasterDecoding/Medusa at e2a5d20c",
    ),
    target_only(
        "sibling-zeroed-not-rescaled",
        "emitted.append(source.sample(node + 1, p[node + 1]))",
        "row, x = p[node + 1], None\n"
        "        for c in proposal.children(node):\n"
        "            if source.accept(c, row[proposal.tokens[c]]):\n"
        "                x = proposal.tokens[c]\n"
        "                break\n"
        "            row = without(row, proposal.tokens[c])\n"
        "        emitted.append(source.sample(node + 1, row) if x is None else x)",
        "tree siblings",
    ),
    target_only("row-of-the-depth", "p[node + 1])", "p[len(emitted)])", "wrong row"),
    recursive(
        "sibling-residual-not-taken",
        "row = residual(row, q)",
        "row = row",
        "tree siblings",
    ),
    recursive(
        "sibling-only-zeroed",
        "row = residual(row, q)",
        "row = without(row, x)",
        "tree siblings",
    ),
    recursive(
        "sibling-not-renormalised",
        "row = row / row.sum()",
        "row = row",
        "tree siblings",
    ),
    recursive(
        "last-sibling-not-taken",
        "row = residual(row, q)",
        "row = residual(row, q) if child != proposal.children(node)[-1] else row",
        "tree siblings",
    ),
    recursive(
        "stale-target-row",
        "row = residual(row, q)",
        "row = residual(p[node + 1], q)",
        "tree siblings",
        "ggml-org/llama.cpp examples/speculative at 007d713",
    ),
    recursive(
        "last-draw-from-target",
        "source.sample(node + 1, row)",
        "source.sample(node + 1, p[node + 1])",
        "residual",
    ),
    recursive("parents-row", "p[node + 1]", "p[max(node, 0)]", "wrong row"),
    greedy(
        "last-of-the-ties",
        "np.argmax(p[node + 1])",
        "len(p[0]) - 1 - np.argmax(p[node + 1][::-1])",
        "ties",
        "ohdearquant/lattice#280",
    ),
    greedy("greedy-row-of-the-depth", "p[node + 1]", "p[len(emitted)]", "wrong row"),
]
