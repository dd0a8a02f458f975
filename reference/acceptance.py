"""What a run of the loop accepted, counted one way.

Engines count differently, and ratios of different counts look alike: here `kept[d]` of
`reached[d]` drafts were kept at depth d, the first token being depth 0, where a draft
reaches depth d if it has a token there and all before were kept.
"""

from collections import Counter
from dataclasses import dataclass, field

from .decode import Step


@dataclass
class Tally:
    """Counts over steps; add each with `saw`.

    steps:     passes of the target, the prompt's left out.
    emitted:   tokens of the text.
    drafted:   nodes proposed.
    accepted:  nodes kept by the rule, on the path it took.
    bonus:     steps whose draft was kept to its end, and one token more.
    truncated: tokens that the rule emitted and the end of the text cut off.
    """

    steps: int = 0
    emitted: int = 0
    drafted: int = 0
    accepted: int = 0
    bonus: int = 0
    truncated: int = 0
    reached: Counter[int] = field(default_factory=Counter)
    kept: Counter[int] = field(default_factory=Counter)

    def saw(self, step: Step) -> None:
        """Count one step."""
        self.steps += 1
        self.emitted += len(step.emitted)
        self.drafted += len(step.proposal.tokens)
        self.accepted += step.accepted
        self.truncated += step.cut
        for depth, node in enumerate([-1, *step.path]):
            if step.proposal.children(node):
                self.reached[depth] += 1
                self.kept[depth] += depth < step.accepted
            elif step.accepted:
                self.bonus += 1

    @property
    def tokens_per_step(self) -> float:
        """Tokens emitted a pass of the target; 0 before the first."""
        return self.emitted / self.steps if self.steps else 0.0

    @property
    def acceptance(self) -> list[float]:
        """By depth: how often a token was kept when all before it were."""
        depths = sorted(self.reached)
        return [self.kept[d] / self.reached[d] for d in depths]
