"""Speculative decoding shown on real models: text out, and what it took.

request, words, speech   what is asked for; from text to tokens and back, as it grows
models, drafting         what there is to decode with, and drafters made of it
luck, clock, run         one run of the loop
timing                   two side by side
scene, generated         a text, and how much faster than plain decoding it was
league, reasons          drafters and rules side by side, and why each gains or loses
prediction               the same as the roofline has it
terminal                 for people
"""

from specsim.generation.generated import Generated, generate

__all__ = ["Generated", "generate"]
