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
IID: tuple[proposal.Kind, ...] = "iid", "coupled"
HUB: tuple[proposal.Kind, ...] = ("hub",)
DRAWN: tuple[proposal.Kind, ...] = "iid", "without_replacement", "coupled"
DISTINCT: tuple[proposal.Kind, ...] = "fixed", "without_replacement", "hub"
"""Kinds whose siblings differ."""
Shape = Literal["chain", "tree", "paths"]
CHAIN: Shape = "chain"
TREE: Shape = "tree"
PATHS: Shape = "paths"
MATCHING = "llama.cpp", "mlx-lm", "TensorRT-LLM", "HF"
"""Engines that sample the target and compare."""


@dataclass(frozen=True)
class Rule:
    """One verification rule; its file and its twin bear its name.

    losslessness: what is exact: the tokens for given noise, the law for each fixed
                  draft, the law averaged over the draft's own, or nothing.
    accepts:      the kinds of proposal under which that holds.
    shape:        what it verifies: a chain, any tree, or K chains side by side.
    cost:         order of the arithmetic for N drafted tokens and V words.
    engines:      public engines that ship it.
    greedy:       the law it keeps is the target's at temperature 0; a lossy rule keeps
                  it in a step without a draft.
    races:        how many races it reads at each depth: the words of a Source's times
                  are so many times V.
    most_words:   the largest V it can do in a second, where the cost is exponential;
                  such a rule shows what is best and has no twin.
    bias:         of a lossy rule, the total variation from the target in the worst of
                  the default worlds, as a fraction: what a check must find.
    """

    name: str
    losslessness: Losslessness
    accepts: tuple[proposal.Kind, ...]
    shape: Shape
    cost: str
    engines: tuple[str, ...]
    greedy: bool = False
    races: int = 0
    most_words: int | None = None
    bias: str = "0"

    @property
    def kinds(self) -> tuple[proposal.Kind, ...]:
        """The kinds it accepts and can tell apart: to a rule that reads no race, a
        coupled draft is an independent one.
        """
        return tuple(k for k in self.accepts if self.races or k != "coupled")

    @property
    def tree(self) -> bool:
        """Whether nodes may have more than one child, if only the root."""
        return self.shape != CHAIN

    @property
    def lossy(self) -> bool:
        return self.losslessness == "lossy"

    @property
    def verify(self) -> Verify:
        verify: Verify = seam.reference(f"verify.{self.name}").verify
        return verify

    @property
    def has_twin(self) -> bool:
        return self.most_words is None

    @property
    def twin(self) -> Any:
        return seam.gpu(f"verify.{self.name}").verify


LENIENCE = "864691126307651585/1152921504606846976"
MEDUSA, TRT = ("Medusa", "vLLM-Ascend"), ("TensorRT-LLM",)

RULES = {
    rule.name: rule
    for rule in [
        Rule("greedy", "pathwise", ALL, TREE, "NV", ("all",), greedy=True),
        Rule("sampler_match", "pathwise", ALL, CHAIN, "NV", MATCHING),
        Rule("gumbel", "pathwise", ALL, CHAIN, "NV", (), races=1),
        Rule("list_coupling", "pathwise", ALL, TREE, "NV", (), races=2),
        Rule("one_hot", "conditional", ALL, CHAIN, "NV", ("vLLM", "SGLang")),
        Rule("target_only", "conditional", ALL, TREE, "NV", ("SGLang", "EAGLE")),
        Rule("chain", "marginal", IID, CHAIN, "NV", ("vLLM", "SGLang", "HF")),
        Rule("block", "marginal", IID, CHAIN, "NV", ("vLLM",)),
        Rule("recursive", "marginal", DRAWN, TREE, "NV", ("EAGLE", "Sequoia")),
        Rule("deduplicated", "marginal", IID, TREE, "NV", ()),
        Rule("traversal", "marginal", DRAWN, TREE, "NV", ()),
        Rule("multi_path_block", "marginal", IID, PATHS, "NV log V", ()),
        Rule("k_seq", "marginal", IID, TREE, "NV", ()),
        Rule("importance_weighted", "marginal", IID, TREE, "NV log V", ()),
        Rule("optimal_transport", "marginal", DRAWN, TREE, "NV^n", (), most_words=8),
        Rule("hub", "marginal", HUB, TREE, "NV", ()),
        Rule("greedy_transport", "marginal", HUB, TREE, "NV", ()),
        Rule("conditional_transport", "marginal", ALL, TREE, "NV^n", (), most_words=8),
        Rule("lenience", "lossy", IID, CHAIN, "NV", (), bias=LENIENCE),
        Rule("typical", "lossy", ALL, TREE, "NV", MEDUSA, greedy=True, bias="31/32"),
        Rule("relaxed", "lossy", ALL, CHAIN, "NV", TRT, greedy=True, bias="127/128"),
        Rule("thresholds", "lossy", DISTINCT, TREE, "NV", ("SGLang",), bias="15/16"),
        Rule("deferral", "lossy", IID, CHAIN, "NV", ("vLLM",), bias="431/715"),
        Rule("cascade", "lossy", IID, CHAIN, "NV", (), bias="1"),
    ]
}


def named(name: str) -> Rule:
    """The row of that name. Bad, with the names there are, if it is none."""
    if name not in RULES:
        raise Bad(f"no rule is called {name!r}: choose from {', '.join(RULES)}")
    return RULES[name]
