"""Every verification rule, one row each: all tests run over this table."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from specsim import seam
from specsim.errors import Bad
from specsim.seam import probs, proposal, randomness

Verify = Callable[["probs.Probs", "proposal.Proposal", "randomness.Source"], list[int]]
Losslessness = Literal["pathwise", "conditional", "marginal", "lossy"]

ALL = proposal.KINDS
IID: tuple[proposal.Kind, ...] = ("iid",)
DRAWN: tuple[proposal.Kind, ...] = ("iid", "without_replacement")
CHAIN, TREE = False, True
MATCHING = "llama.cpp", "mlx-lm", "TensorRT-LLM", "HF"
"""Engines that sample the target and compare."""


@dataclass(frozen=True)
class Rule:
    """One verification rule; its file and its twin bear its name.

    losslessness: what is exact: the tokens for given noise, the law for each fixed
                  draft, the law averaged over the draft's own, or nothing.
    accepts:      the kinds of proposal under which that holds.
    tree:         whether nodes may have more than one child.
    cost:         order of the arithmetic for N drafted tokens and V words.
    engines:      public engines that ship it.
    greedy:       the law it keeps is the target's at temperature 0.
    """

    name: str
    losslessness: Losslessness
    accepts: tuple[proposal.Kind, ...]
    tree: bool
    cost: str
    engines: tuple[str, ...]
    greedy: bool = False

    @property
    def verify(self) -> Verify:
        verify: Verify = seam.reference(f"verify.{self.name}").verify
        return verify

    @property
    def twin(self) -> Any:
        return seam.gpu(f"verify.{self.name}").verify


RULES = {
    rule.name: rule
    for rule in [
        Rule("greedy", "pathwise", ALL, TREE, "NV", ("all",), greedy=True),
        Rule("sampler_match", "pathwise", ALL, CHAIN, "NV", MATCHING),
        Rule("one_hot", "conditional", ALL, CHAIN, "NV", ("vLLM", "SGLang")),
        Rule("target_only", "conditional", ALL, TREE, "NV", ("SGLang", "EAGLE")),
        Rule("chain", "marginal", IID, CHAIN, "NV", ("vLLM", "SGLang", "HF")),
        Rule("block", "marginal", IID, CHAIN, "NV", ("vLLM",)),
        Rule("recursive", "marginal", DRAWN, TREE, "NV", ("EAGLE", "Sequoia")),
    ]
}


def named(name: str) -> Rule:
    """The row of that name. Bad, with the names there are, if it is none."""
    if name not in RULES:
        raise Bad(f"no rule is called {name!r}: choose from {', '.join(RULES)}")
    return RULES[name]
