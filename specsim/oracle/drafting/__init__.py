"""Does a drafter draw from the q that it declares?

Every rule that keeps the target's law trusts q: where tokens come from another law, the
text does too, and acceptance rises rather than falls. contract.py says what a drafter
offers, law.py what must hold of what it says, trial.py asks.
"""
