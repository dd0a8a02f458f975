"""Rows of specsim's tables as the parts of a question, by their names."""

from dataclasses import fields
from functools import cache
from typing import TypeVar

from specsim.roofline import names
from tools.peers.question import Card, Shape

Part = TypeVar("Part", Shape, Card)


@cache
def shape(name: str) -> Shape:
    """The model called `name`; specsim.errors.Bad where the table has none."""
    return _part(Shape, names.model(name))


@cache
def card(name: str) -> Card:
    """The GPU called `name`; specsim.errors.Bad where the table has none."""
    return _part(Card, names.gpu(name))


def _part(kind: type[Part], row: object) -> Part:
    return kind(**{field.name: getattr(row, field.name) for field in fields(kind)})
