"""What running a rule, or reading it, says about the rule."""

import re

from specsim.compare import Kind, examples
from specsim.oracle.worlds import World
from specsim.rules import CHAIN, Rule
from specsim.seam import proposal, randomness


def coins(rule: Rule) -> list[str]:
    """The coins that the docstring says it asks for.

    >>> from specsim.rules import named
    >>> coins(named("chain"))
    ['accept', 'sample']
    """
    said = str(rule.verify.__doc__).partition("Coins:")[2].partition("\n\n")[0]
    return [*dict.fromkeys(re.findall(r"\b(accept|sample|race)\b", said))]


def made_for(rule: Rule) -> Kind:
    """The kind of draft the rule is for: a race it can read, or the first it accepts
    that is drawn.
    """
    drawn = [kind for kind in rule.accepts if kind != "fixed"]
    return "coupled" if rule.races else drawn[0]


def reads_q(rule: Rule) -> bool:
    """Does the rule ask what drafted tokens were drawn from? Found by withholding it.

    What is not drawn has no q, so a rule that accepts such drafts does without there.
    """
    vocab, target, drafter = examples()["two words"]
    shape = (1, 1) if rule.shape == CHAIN else (2,)
    world = World("", vocab, target, drafter, shape, made_for(rule))

    def run(source: randomness.Source) -> tuple[int, ...]:
        drafted = world.draft(source)._replace(q=None)
        return tuple(rule.verify(proposal.score(target, drafted), drafted, source))

    try:
        randomness.law(run)
    except (TypeError, ValueError):
        return True
    return False
