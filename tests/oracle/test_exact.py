import pytest

from specsim.oracle import exact
from specsim.oracle.worlds import worlds
from specsim.rules import Rule


@pytest.mark.distribution
def test_emitted_law_is_the_targets(rule: Rule) -> None:
    for world in worlds(rule):
        assert exact.bias(rule.verify, world, rule.losslessness) == 0, str(world)
