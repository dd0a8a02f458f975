from dataclasses import replace
from pathlib import Path

import pytest

from specsim import pretrained
from specsim.roofline.fields import Fields
from specsim.training import shapes
from tests.reference.model.small import CONFIGS


@pytest.mark.parametrize("name", CONFIGS)
def test_a_config_is_described_as_it_is_read(name: str) -> None:
    fields = Fields(Path("x"), shapes.described(CONFIGS[name]))
    assert pretrained.config(fields) == CONFIGS[name]


@pytest.mark.parametrize("shape", [shapes.TARGET, shapes.DRAFT])
def test_the_embedded_shapes_are_whole(shape: dict[str, object]) -> None:
    config = pretrained.config(Fields(Path("x"), {**shape, "vocab_size": 1024}))
    assert replace(config, vocab=1024) == config
    assert shapes.described(config) == {**shape, "vocab_size": 1024}
