"""A tiny target and draft with an exact law, in the form that each engine reads."""
