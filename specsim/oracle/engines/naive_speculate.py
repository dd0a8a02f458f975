"""naive-speculate's `speculative_sampling`, behind the contract."""

from specsim.oracle.engines.alone import alone
from specsim.oracle.engines.shapes import rejection_rows

theirs = alone("naive_speculate", "speculate/utils.py")
verify = rejection_rows(theirs.speculative_sampling)
