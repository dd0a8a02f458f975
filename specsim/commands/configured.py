"""What an engine's own configuration says, where the command line does not."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from specsim.errors import Bad

if TYPE_CHECKING:
    from specsim.roofline.configurations import Setup


def configured(args: Namespace) -> list[str]:
    """Fill in `args` from the configuration it names; notes on what is not used."""
    if args.source is None:
        return []
    from specsim.roofline import configurations

    setup = configurations.parse(args.source)
    separate = (args.drafter or setup.drafter) == setup.drafter == "draft-model"
    given = {
        "drafter": setup.drafter,
        "k": setup.k,
        "tree": setup.tree and setup.tree.nodes,
        "draft_model": setup.draft_model if separate else None,
        "model": setup.target,
        "gpus": setup.tensor_parallel if args.tp is None else None,
    }
    for name, value in given.items():
        if getattr(args, name) is None:
            setattr(args, name, value)
    return [*unused(setup, separate), *_disagreeing(args.model, setup.target)]


def unused(setup: Setup, separate: bool) -> list[str]:
    """Of what it says, that which no price depends on."""
    found = list(setup.left_out)
    if setup.draft_model is not None and not separate:
        found.append(f"draft model {setup.draft_model}")
    if setup.window is not None:
        found.append("window {} to {}".format(*setup.window))
    if setup.min_probability is not None:
        found.append(f"least probability {setup.min_probability:g}")
    if setup.draft_tensor_parallel is not None:
        found.append(f"draft tensor parallel {setup.draft_tensor_parallel}")
    said = ", ".join(found)
    return [f"not used from the configuration: {said}"] if found else []


def _disagreeing(model: str | None, target: str | None) -> list[str]:
    if model is None or target is None or _shape(model) == _shape(target):
        return []
    return [f"--model {model} is priced; the configuration's target is {target}"]


def _shape(name: str) -> str:
    """The model it is of the shape of, or the name where that is unknown."""
    from specsim.roofline import names

    try:
        return names.model(name).hf_id
    except Bad:
        return name.casefold()
