import pytest

from specsim.oracle import certificate, exact
from specsim.oracle.certificate import certify
from specsim.oracle.suite import MANY, SOME
from specsim.oracle.worlds import generated, worlds
from specsim.rules import Rule


@pytest.mark.distribution
def test_emitted_law_is_the_targets(rule: Rule) -> None:
    if rule.lossy:
        return
    for world in [*worlds(rule), *generated(rule, SOME)]:
        assert exact.bias(rule.verify, world, rule.losslessness) == 0, str(world)


@pytest.mark.distribution
@pytest.mark.slow
def test_emitted_law_is_the_targets_in_many_random_worlds(rule: Rule) -> None:
    if rule.lossy:
        return
    for world in generated(rule, MANY):
        assert exact.bias(rule.verify, world, rule.losslessness) == 0, str(world)


@pytest.mark.distribution
def test_a_lossy_law_is_as_far_from_the_targets_as_recorded(rule: Rule) -> None:
    if rule.lossy:
        worst = certificate.worst(certify(rule.verify, w) for w in worlds(rule))
        assert str(worst.tv.tv) == rule.bias
