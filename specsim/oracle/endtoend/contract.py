"""What a whole Python engine promises, checked call by call. Runs in its process.

generate(requests, *, mode, target, draft): a list of dicts in, a list of dicts out; see
request.Request, request.Answer and offer.Offer. `target` and `draft` are where the
probe pair lies in the engine's own format.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from specsim.errors import Bad
from specsim.oracle.endtoend.request import Answer, Request
from specsim.oracle.engines.contract import told
from specsim.roofline.fields import short

Generate = Callable[..., Any]


def answered(
    generate: Generate,
    requests: Sequence[Mapping[str, Any]],
    *,
    mode: str,
    target: str,
    draft: str,
) -> list[dict[str, Any]]:
    """The engine's answers as plain dicts. Bad: it raises, or breaks the contract."""
    asked = [Request.from_dict(request).as_dict() for request in requests]
    try:
        given = generate(asked, mode=mode, target=target, draft=draft)
    except Exception as error:
        raise Bad(f"generate raised {told(error)}") from None
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise Bad(f"generate returned {short(given)}, not a list of answers")
    answers = [Answer.from_dict(each).as_dict() for each in given]
    if len(answers) != len(asked):
        raise Bad(f"generate gave {len(answers)} answers to {len(asked)} requests")
    return answers
