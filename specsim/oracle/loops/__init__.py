"""The decode loop judged: what holds of every run, and faults that break it.

cast.py is small models, toys.py a world of two words; trials.py and whole.py say what
holds; statements.py which statement tells which sort of fault.
"""
