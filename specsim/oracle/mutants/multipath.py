"""Faults planted in rules that merge siblings, go up a tree, or choose among paths."""

from specsim.oracle.planted import into

RULES = "traversal", "deduplicated", "multi_path_block", "block"
traversal, deduplicated, multi_path_block, block = map(into, RULES)

SERVED = "row, weight = left / slack, mass / slack"
OFFERED = "tree.drawn_from[child]"
SUBSPEC = "brian030128/subspec_v2 at 143acb35"

MUTANTS = [
    traversal(
        "traversal-mass-over-the-others",
        SERVED,
        "weight = min(1, mass / (1 - q[x])) if q[x] < 1 else 0\n"
        "            row = weight * left / (mass or 1)",
        "tree siblings",
        SUBSPEC,
    ),
    traversal(
        "traversal-q-of-drafted-tokens",
        OFFERED,
        f"{OFFERED} * sum(one_hot(tree.tokens[c], p[0]) for c in tree.children(node))",
        "tree siblings",
        SUBSPEC,
    ),
    traversal(
        "traversal-weight-not-updated",
        SERVED,
        "row = left / slack",
        "tree siblings",
    ),
    traversal(
        "traversal-copies-kept",
        "tree = proposal.deduplicated()",
        "tree = proposal._replace(q=proposal.deduplicated().q)",
        "tree siblings",
    ),
    deduplicated(
        "deduplicated-but-tested-as-independent",
        "proposal.deduplicated()",
        "proposal.deduplicated()._replace(q=proposal.q)",
        "tree siblings",
    ),
    deduplicated(
        "deduplicated-and-sorted",
        "return recursive.verify(p, proposal.deduplicated(), source)",
        "class Sorted(Proposal):\n"
        "        def children(self, node):\n"
        "            kids = super().children(node)\n"
        "            return sorted(kids, key=lambda i: self.tokens[i])\n\n"
        "    return recursive.verify(p, Sorted(*proposal.deduplicated()), source)",
        "chosen after drawing",
    ),
    multi_path_block(
        "path-chosen-but-verified-as-drawn",
        "law.append(odds / odds.sum())",
        "law.append(q)",
        "chosen after drawing",
    ),
    multi_path_block(
        "ties-to-the-first-path",
        "key=lambda node: rank(tokens[node])",
        "key=lambda node: rank(tokens[node])[0]",
        "chosen after drawing",
    ),
    multi_path_block(
        "smaller-paths-forgotten",
        "before, here = low[x] / high[x], here * q[x] / high[x]",
        "before, here = 0, 1",
        "chosen after drawing",
    ),
    block(
        "last-pass-uncapped",
        "excess, pass_prob = p[i + 1], weight",
        "path, excess = (range(i + 1), tokens), p[i + 1]\n"
        "            pass_prob = min(1, np.prod(p[path]) / np.prod(q[path]))",
        "block algebra",
        "ZhouYuxuanYX/Hierarchical-Speculative-Decoding at 89745108",
    ),
]
