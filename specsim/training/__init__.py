"""Training: a target, or what drafts for one.

options, report  what may be said, and what came out
data             text as tokens
shapes           of models that are made from nothing
words, memory    which words a draft is taught, and what the target read before
base, kinds      the target in torch, and what each kind of training makes of it
checkpoint, fit  a run, which survives its process
train            from files to a file: what `specsim train` does
"""

from specsim.training.options import KINDS, Options
from specsim.training.report import Report
from specsim.training.train import train

__all__ = ["KINDS", "Options", "Report", "train"]
