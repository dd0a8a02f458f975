"""The one place where the references and their twins are reached.

In a checkout they are the packages reference/ and gpu/ beside this one; a wheel carries
both inside specsim, so as to claim a single name.
"""

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING

ROOT = "specsim." if find_spec("specsim.reference") else ""


def reference(stem: str) -> ModuleType:
    """The module reference/<stem>, for example "verify.chain"."""
    return import_module(f"{ROOT}reference.{stem}")


def gpu(stem: str) -> ModuleType:
    """The module gpu/<stem>; ModuleNotFoundError if there is none, or no torch."""
    return import_module(f"{ROOT}gpu.{stem}")


if TYPE_CHECKING:
    from reference import probs, proposal, randomness
    from reference.model import table
else:
    probs, proposal, randomness = map(reference, ("probs", "proposal", "randomness"))
    table = reference("model.table")

__all__ = ["gpu", "probs", "proposal", "randomness", "reference", "table"]
