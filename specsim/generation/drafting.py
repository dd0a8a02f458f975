"""From the name of a drafter to a drafter, made of what there is."""

from dataclasses import replace
from typing import Any

import numpy as np

from specsim import seam
from specsim.drafters import Drafter
from specsim.errors import Bad
from specsim.generation.models import Models, Part
from specsim.generation.request import Request
from specsim.rules import Rule
from specsim.seam import probs, proposal, randomness

SETTINGS: dict[str, dict[str, Any]] = {
    "eagle": {"branching": (1, 1, 1, 1)},
    "eagle2": {"width": 2, "nodes": 6},
}
"""A chain, and trees of few nodes: this runs on processors on which a node costs."""
MISSING: dict[Part, str] = {
    "draft": "a smaller model of the same words",
    "heads": "heads that `specsim train medusa` made for this target",
    "eagle": "a layer that `specsim train eagle` made for this target",
    "mtp": "a module that `specsim train mtp` made for this target",
}


class Nothing:
    """Drafts nothing, in the form that the rule reads: the loop is plain decoding."""

    def __init__(self, rule: Rule, vocab: int):
        self._empty = proposal.Proposal([], [], np.empty((0, vocab)), rule.accepts[0])

    def begin(self, context: Any, hidden: probs.Probs) -> None:
        """Nothing to do."""

    def propose(
        self, context: Any, k: int, source: randomness.Source
    ) -> proposal.Proposal:
        """No tokens."""
        return self._empty

    def observe(
        self, emitted: list[int], rows: probs.Probs, hidden: probs.Probs
    ) -> None:
        """Nothing to do."""


def part(drafter: Drafter) -> Part | None:
    """What of the models the drafter is made of."""
    if drafter.needs == "features":
        return "mtp" if drafter.name == "mtp" else "eagle"
    parts: dict[str, Part] = {"a model": "draft", "heads": "heads"}
    return parts.get(drafter.needs)


def available(drafter: Drafter, models: Models) -> bool:
    """Whether the models have what it is made of."""
    name = part(drafter)
    return name is None or getattr(models, name) is not None


def require(drafter: Drafter, models: Models) -> Drafter:
    """The drafter; Bad if the models lack what it is made of."""
    wanted = part(drafter)
    if wanted and not available(drafter, models):
        raise Bad(f"{drafter.name} needs {MISSING[wanted]}: give it as --draft-model")
    return drafter


def made(drafter: Drafter, rule: Rule, models: Models, request: Request) -> Any:
    """The drafter for one run; its models remember nothing.

    Drafts that are drawn come from rows under the request's sampling; where the draft
    is fixed, the likeliest tokens are ranked at temperature 1, unfiltered. Bad: what it
    is made of is not there.
    """
    require(drafter, models)
    settings = dict(SETTINGS.get(drafter.name, {}))
    sampling, prompt = request.sampling, len(request.prompt)
    sampled = seam.reference("model.sampled")
    if drafter.needs == "nothing":
        return drafter.make(**settings)
    if drafter.needs == "heads":
        return drafter.make(models.heads, models.tree, **settings)
    if drafter.needs == "a model":
        models.draft.clear()
        network = sampled.Sampled(models.draft, sampling, prompt)
        return drafter.make(network, **settings)
    if drafter.kind == "without_replacement" and _greedy(rule, sampling):
        settings["kind"] = "fixed"
    if "fixed" in (drafter.kind, settings.get("kind")):
        sampling = replace(sampling, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0)
    network = getattr(models, str(part(drafter)))
    network.clear()
    return drafter.make(
        sampled.SampledFeatures(network, sampling, prompt - 1), **settings
    )


def _greedy(rule: Rule, sampling: Any) -> bool:
    """Whether nothing is gained by drawing drafts, and the rule lets them be fixed."""
    return sampling.temperature == 0 and "fixed" in rule.accepts
