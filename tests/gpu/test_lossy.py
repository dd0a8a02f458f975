"""Twins of lossy rules with other options than the defaults: token for token."""

from functools import partial
from typing import Any

import numpy as np
import pytest

from specsim.rules import named
from tests.gpu.cases import Replay, arguments, emitted, smooth_request, torch

pytestmark = pytest.mark.torch

OPTIONS = [
    ("lenience", {"lenience": 0.25}),
    ("lenience", {"lenience": 1.0}),
    ("typical", {"eps": 0.09}),
    ("typical", {"eps": 0.2, "delta": 0.3}),
    ("relaxed", {"top": 3, "delta": 0.5}),
    ("relaxed", {"top": 1}),
    ("thresholds", {"single": 1.0, "acc": 0.75}),
    ("thresholds", {"single": 0.5, "acc": 1.0}),
    ("deferral", {"gate": 1.0, "window": 2}),
    ("deferral", {"gate": 0.0, "window": 5}),
    ("cascade", {"alpha": 0.1}),
    ("cascade", {"alpha": 2.0}),
]


@pytest.mark.parametrize(("name", "options"), OPTIONS, ids=str)
def test_options_give_the_same_tokens(name: str, options: dict[str, Any]) -> None:
    rule, rng = named(name), np.random.default_rng(17)
    requests = [smooth_request(rule, 8, rng, torch.float64) for _ in range(300)]
    given = arguments(requests, torch.float64)
    blocks = emitted(rule.twin(*given, **options))
    verify: Any = partial(rule.verify, **options)
    wanted = [verify(r.p, r.proposed, Replay(r)) for r in requests]
    assert blocks == wanted
    assert blocks != emitted(rule.twin(*given))


def test_an_option_that_a_rule_does_not_have_is_named() -> None:
    rule, rng = named("lenience"), np.random.default_rng(19)
    given = arguments([smooth_request(rule, 3, rng, torch.float64)], torch.float64)
    with pytest.raises(TypeError, match="leniency"):
        rule.twin(*given, leniency=0.5)
