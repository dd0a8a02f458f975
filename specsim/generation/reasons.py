"""Why a drafter gains or loses, out of its own figures."""

from typing import Any

HARDLY = 0.1
"""Tokens more a step than plain decoding emits."""


def why(line: dict[str, Any]) -> str:
    """In a sentence, from a line of the league; times are of one step.

    A step emits what so many plain steps would: they are saved, all but one. It costs
    the draft, and what its pass and the rule take beyond a plain step.
    """
    more, nodes = line["tokens_per_step"] - 1, line["nodes_per_step"]
    if not nodes:
        return "nothing was drafted"
    plain, draft = line["plain_ms"], line["step_ms"]["draft"]
    beyond = max(line["step_ms"]["total"] - draft - plain, 0.0)
    saved = more * plain
    costs = f"drafting costs {_ms(draft)}, verifying {nodes:.1f} drafted {_ms(beyond)}"
    if more < HARDLY:
        return f"hardly a draft is kept: that saves {_ms(saved)} a step; {costs}"
    if line["speedup"] >= 1:
        return f"{more:.2f} tokens more a step save {_ms(saved)}; {costs}"
    return f"{_dearest(draft, beyond, saved, nodes)} the {_ms(saved)} it saves"


def _dearest(draft: float, beyond: float, saved: float, nodes: float) -> str:
    """The one cost that outweighs the gain, or else both."""
    verifying = f"verifying {nodes:.1f} drafted tokens"
    if draft > max(beyond, saved):
        return f"drafting costs {_ms(draft)} a step, more than"
    if beyond > saved:
        return f"{verifying} costs {_ms(beyond)} a step, more than"
    return (
        f"drafting and {verifying} cost {_ms(draft)} and {_ms(beyond)} a step, "
        "together more than"
    )


def _ms(milliseconds: float) -> str:
    """To two digits after the point, or one where that is enough."""
    return f"{milliseconds:.{2 if milliseconds < 10 else 1}f} ms"
