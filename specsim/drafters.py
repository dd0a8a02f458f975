"""Every drafter, one row each: what it proposes, and what it is made of.

A pairing is sound iff the rule accepts the drafter's kind, and can verify its shape.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from specsim import seam
from specsim.errors import Bad
from specsim.rules import CHAIN, RULES, TREE, Rule, Shape
from specsim.seam import proposal

Need = Literal["nothing", "a model", "heads", "features"]
"""Beside the text: a smaller model of the same words, heads on the target's hidden
states, or layers that go on from those."""


@dataclass(frozen=True)
class Drafter:
    """One drafter; its file bears its name, with underscores for dashes.

    maker:   its class in that file.
    kind:    how siblings of its proposals come about.
    shape:   whether it proposes chains or trees.
    needs:   what it is made of.
    engines: public engines that ship it.
    """

    name: str
    maker: str
    kind: proposal.Kind
    shape: Shape
    needs: Need
    engines: tuple[str, ...]

    @property
    def make(self) -> Callable[..., Any]:
        """Its constructor: what it needs, then its settings."""
        module = seam.reference(f"draft.{self.name.replace('-', '_')}")
        made: Callable[..., Any] = getattr(module, self.maker)
        return made


MOST = "vLLM", "SGLang", "TensorRT-LLM", "HF", "llama.cpp"

DRAFTERS = {
    row.name: row
    for row in [
        Drafter("draft-model", "DraftModel", "iid", CHAIN, "a model", MOST),
        Drafter("ngram", "NGram", "fixed", CHAIN, "nothing", ("llama.cpp",)),
        Drafter("prompt-lookup", "PromptLookup", "fixed", CHAIN, "nothing",
                ("HF", "vLLM", "TensorRT-LLM", "OpenVINO")),
        Drafter("suffix", "Suffix", "fixed", TREE, "nothing", ("vLLM",)),
        Drafter("jacobi", "Jacobi", "fixed", CHAIN, "nothing", ()),
        Drafter("medusa", "Medusa", "fixed", TREE, "heads", ("TensorRT-LLM", "vLLM")),
        Drafter("eagle", "Eagle", "without_replacement", TREE, "features",
                ("vLLM", "SGLang", "TensorRT-LLM")),
        Drafter("eagle2", "Eagle2", "fixed", TREE, "features", ("SGLang", "EAGLE")),
        Drafter("mtp", "Mtp", "iid", CHAIN, "features",
                ("vLLM", "SGLang", "TensorRT-LLM")),
        Drafter("lookahead", "Lookahead", "fixed", TREE, "nothing", ("TensorRT-LLM",)),
    ]
}  # fmt: skip


def named(name: str) -> Drafter:
    """The row of that name. Bad, with the names there are, if it is none."""
    if name not in DRAFTERS:
        raise Bad(f"no drafter is called {name!r}: choose from {', '.join(DRAFTERS)}")
    return DRAFTERS[name]


def unsound(drafter: Drafter, rule: Rule) -> str | None:
    """Why the rule would not keep the target's law on such drafts; None if it does."""
    if drafter.kind not in rule.accepts:
        accepted = ", ".join(rule.accepts)
        return (
            f"{rule.name} does not keep the target's law on {drafter.kind} drafts, "
            f"which {drafter.name} makes; it accepts {accepted}"
        )
    if drafter.shape != CHAIN and rule.shape != TREE:
        return f"{rule.name} verifies no trees, and {drafter.name} proposes them"
    return None


def paired(drafter: Drafter, rule: Rule) -> tuple[Drafter, Rule]:
    """The two; Bad, with the reason, where the pairing is unsound."""
    if reason := unsound(drafter, rule):
        fit = [name for name, each in RULES.items() if not unsound(drafter, each)]
        raise Bad(f"{reason}; rules for {drafter.name}: {', '.join(fit)}")
    return drafter, rule
