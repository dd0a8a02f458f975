"""Builds specsim/data/weights: the embedded target, and what drafts for it.

    python -m tools.embedded --output FOLDER

corpus    what they are trained on: the standard library of the Python that runs this
build     stage by stage; what is finished, or half finished, is not begun again
measure   tokens a step on files that were held out
readme    the README.md beside the weights

On one thread, with the versions that the README names, all tensors come out the same.
"""
