"""How an engine may fail to be judged."""

from specsim.errors import Bad


class Unreadable(Exception):
    """One reading cannot follow the engine: another may."""


class Slow(Unreadable):
    """There was no time for it: a way that needs more calls will not do either."""


class Unsteady(Unreadable):
    """The same coins gave different answers: no reading can be trusted."""


class Failed(Unreadable):
    """The engine raised, or broke the contract, on some of its ways through a call."""


class Skipped(Exception):
    """The engine says that it does not do this, and perhaps where that is tracked."""


class Broken(Bad):
    """The engine broke the protocol: a verdict on it and no bad usage."""
