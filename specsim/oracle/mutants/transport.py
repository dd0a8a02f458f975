"""Faults planted in the rules that transport the target to whole trees."""

from specsim.oracle.planted import Wiring, into
from specsim.oracle.worlds import World
from specsim.seam import proposal, randomness

hub, greedy_transport, conditional_transport = map(
    into, ("hub", "greedy_transport", "conditional_transport")
)


def rest_declared_whole(world: World, source: randomness.Source) -> proposal.Proposal:
    """The drawn child of a hub, declared as drawn from the drafter's whole row."""
    drawn = proposal.draft(world.drafter, world.branching, source, "hub")
    q = drawn.drawn_from.copy()
    for node in (-1, *range(len(drawn.tokens))):
        for last in drawn.children(node)[-1:]:
            q[last] = world.drafter(drawn.path(node))
    return drawn._replace(q=q)


def rest_not_renormalised(world: World, source: randomness.Source) -> proposal.Proposal:
    """The same, but for the tokens of its siblings, which are struck out."""
    drawn = rest_declared_whole(world, source)
    q = drawn.drawn_from.copy()
    for node in (-1, *range(len(drawn.tokens))):
        children = drawn.children(node)
        for last in children[-1:]:
            q[last, [drawn.tokens[child] for child in children[:-1]]] *= 0
    return drawn._replace(q=q)


MUTANTS = [
    hub("hub-residual-not-taken", "row = residual(row, q)", "row = row", "residual"),
    hub(
        "hub-only-zeroed",
        "row = residual(row, q)",
        "row = without(row, x)",
        "residual",
    ),
    hub("hub-parents-row", "row = p[node + 1]", "row = p[max(node, 0)]", "wrong row"),
    greedy_transport(
        "stop-with-the-weight",
        "left.sum() / (left.sum() + refused)",
        "weight",
        "block algebra",
    ),
    greedy_transport(
        "target-not-scaled",
        "left, refused = weight * p[node + 1]",
        "left, refused = p[node + 1]",
        "block algebra",
    ),
    greedy_transport(
        "transport-residual-unscaled",
        "[source.sample(node + 1, left)]",
        "[source.sample(node + 1, p[node + 1])]",
        "residual",
    ),
    greedy_transport(
        "capacity-shared-alike",
        "min(1, left[x] / offered[x])",
        "min(1, left[x] / q[x]) if child == children[-1] else Fraction(1, 2)",
        "block algebra",
    ),
    greedy_transport(
        "child-not-conditioned",
        "min(1, left[x] / offered[x])",
        "min(1, left[x] / q[x])",
        "block algebra",
    ),
    greedy_transport(
        "fixed-child-keeps-its-claim",
        "left = residual(left, offered)",
        "left = residual(left, offered) if child == children[-1] else left",
        "block algebra",
    ),
    conditional_transport(
        "plan-stop-with-the-weight",
        "mass / (mass + 1 - weight)",
        "weight",
        "block algebra",
    ),
    conditional_transport(
        "plan-child-not-conditioned", "share / room", "share", "tree siblings"
    ),
    conditional_transport(
        "plan-of-the-whole-target",
        "wanted, q = weight * p[node + 1]",
        "wanted, q = p[node + 1]",
        "block algebra",
    ),
    conditional_transport(
        "plan-residual-not-taken",
        "residual(wanted, served)",
        "wanted",
        "residual",
    ),
    conditional_transport(
        "plan-not-consulted",
        "flow.get((here, x), none) / law.get(here, 0)",
        "none + Fraction(drafted.count(x), len(drafted))",
        "accept test",
    ),
    conditional_transport(
        "siblings-taken-for-independent",
        "len(drafted), kind)",
        'len(drafted), "iid")',
        "tree siblings",
    ),
]

WIRINGS = [
    Wiring(
        "rest-declared-whole",
        "hub",
        rest_declared_whole,
        "the drawn child of a hub, declared as drawn from all of q",
        "declared q",
    ),
    Wiring(
        "rest-not-renormalised",
        "greedy_transport",
        rest_not_renormalised,
        "the drawn child of a hub, declared with what is left of q, not renormalised",
        "declared q",
    ),
]
