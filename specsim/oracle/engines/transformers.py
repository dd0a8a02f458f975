"""Hugging Face transformers' own `_speculative_sampling`, behind the contract.

`specsim check specsim.oracle.engines.transformers:verify` judges the function that the
installed package runs, on CPU and in 32-bit floats. `ensemble` is the same with an
assistant_ensemble_weight, which is lossy by design.
"""

from functools import partial

from transformers.generation import utils

from specsim.oracle.engines.shapes import speculative_sampling

WEIGHT = 0.75

verify = speculative_sampling(utils._speculative_sampling)
ensemble = speculative_sampling(
    partial(utils._speculative_sampling, assistant_ensemble_weight=WEIGHT)
)
