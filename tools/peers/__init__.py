"""Other simulators of LLM inference, run on the same questions as specsim's roofline.

question                 what is asked; cases, rows: twelve cases, measured rows
genz ... kavier, ours    an adapter each: a question in a simulator's own words
registry                 which simulators, which versions
venvs, worker, talk      each in an environment and a process of its own
measure, score           times and errors
table, run               the command and what it prints
"""
