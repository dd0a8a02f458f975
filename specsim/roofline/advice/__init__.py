"""Should I speculate here, with which drafter, how far ahead, and why?

rates        what drafters' tokens are accepted at, from published measurements
candidates   what could draft for the model
prices       each of them on the deployment, at its best length
reasons      why, in words
naming       the model by the name it was asked for
answer       the question, and all of the answer
rendering    the answer in words
"""

from specsim.roofline.advice.answer import Advice, advise
from specsim.roofline.advice.rates import TASKS

__all__ = ["TASKS", "Advice", "advise"]
