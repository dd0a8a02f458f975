"""What speculation buys on the roofline: which draft, how long, up to which batch.

acceptance, alpha, shape    how many tokens a step emits, of a chain or a tree
drafters, loops             what proposals cost on the GPU and on the host
drafts, pricing             a draft built for a target, a step in seconds
search, report              the best draft, the batches that lose; in words
sweep                       at each of many batches, contexts or numbers of GPUs
measured, rows              the same of published speed-ups; rates out of rows
"""

from specsim.roofline.speculation.drafters import DRAFTER_COSTS
from specsim.roofline.speculation.pricing import Speculation, speculate
from specsim.roofline.speculation.report import Report, report, text
from specsim.roofline.speculation.search import best_k, best_tree, break_even

__all__ = [
    "DRAFTER_COSTS",
    "Report",
    "Speculation",
    "best_k",
    "best_tree",
    "break_even",
    "report",
    "speculate",
    "text",
]
