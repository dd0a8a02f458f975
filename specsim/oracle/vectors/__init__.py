"""Golden vectors: one step each, with written coins and the blocks that may come of it.

`load` reads the shipped ones, `replay` puts one to a verifier and `legal` judges the
answer. `export` writes them anew, the same bytes each time; `lint` derives every
expectation again, twice, and names whatever does not agree.
"""

from specsim.oracle.vectors.checks import lint
from specsim.oracle.vectors.make import export, generate
from specsim.oracle.vectors.vector import Vector, legal, load, replay

__all__ = ["Vector", "export", "generate", "legal", "lint", "load", "replay"]
