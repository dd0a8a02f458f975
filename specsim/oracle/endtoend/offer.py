"""What a whole engine says of itself: how it decodes, and what it honours."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from specsim.errors import Bad
from specsim.oracle.endtoend.law import ORDERS, ROUNDING
from specsim.oracle.endtoend.request import SURFACE
from specsim.oracle.probe.export import FORMATS
from specsim.roofline.fields import short

PLAIN = "plain"
"""The mode that does not speculate: the control."""
MOST_ROUNDING = 0.05
PAGE = "docs/whole_engines.md"
NEEDED = {
    "format": f"say in which form it loads a model: {' or '.join(map(repr, FORMATS))}",
    "modes": "say how it decodes: {'plain': {}, 'draft-model': {}}",
    "surface": "say which fields of a request it honours: {'temperature', 'seed'}",
}
"""What an engine has to say of itself, and how."""


@dataclass(frozen=True)
class Offer:
    """The attributes of an engine that has `generate`.

    format:   in which form it reads the probe pair, one of probe.export.FORMATS.
    modes:    its ways to decode. Each may say {"lossy": True}: documented as lossy, it
              must fail; and {"without": [...]}: what of the surface it does not honour.
    surface:  which fields of a request it honours.
    order:    of its filters, one of law.ORDERS.
    ends:     tokens at which it stops whatever the request says.
    rounding: nats by which its arithmetic may move a logit (16-bit caches: some 0.005).
    """

    format: str
    modes: Mapping[str, Mapping[str, Any]]
    surface: frozenset[str]
    order: str = "transformers"
    ends: tuple[int, ...] = ()
    rounding: float = ROUNDING

    def __post_init__(self) -> None:
        """Bad, naming the attribute, where it makes no sense."""
        _one_of("format", self.format, FORMATS)
        _one_of("order", self.order, ORDERS)
        if not isinstance(self.modes, Mapping) or not self.modes:
            raise Bad(f"engine: modes {short(self.modes)}: give a dict of its modes")
        for mode, options in self.modes.items():
            if not isinstance(options, Mapping):
                raise Bad(
                    f"engine: mode {short(mode)}: give a dict of options, or {{}}"
                )
            _known(f"mode {short(mode)} without", options.get("without", ()))
        _known("surface", self.surface)
        if not 0 <= self.rounding <= MOST_ROUNDING:
            rounding = short(self.rounding)
            raise Bad(f"engine: rounding {rounding}: give nats, 0 to {MOST_ROUNDING}")

    def honoured(self, mode: str) -> frozenset[str]:
        """The surface in one mode."""
        return self.surface - set(self.modes[mode].get("without", ()))

    def lossy(self, mode: str) -> bool:
        return bool(self.modes[mode].get("lossy"))

    @property
    def control_first(self) -> list[str]:
        """The modes, the plain one first."""
        return sorted(self.modes, key=lambda mode: mode != PLAIN)

    def as_dict(self) -> dict[str, Any]:
        modes = {str(k): _listed(v) for k, v in self.modes.items()}
        return {**asdict(self), "modes": modes, "surface": sorted(self.surface)}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> "Offer":
        ends = tuple(given.get("ends", ()))
        surface = frozenset(given["surface"])
        return cls(**{**given, "ends": ends, "surface": surface})

    @classmethod
    def of(cls, engine: Any) -> "Offer":
        """From the attributes of a Python engine. Bad: one is missing or absurd."""
        for name, what in NEEDED.items():
            if not hasattr(engine, name):
                raise Bad(f"it has no attribute {name}: {what}; see {PAGE}")
        names = [name for name in (*NEEDED, "order", "ends", "rounding")]
        given = {name: getattr(engine, name) for name in names if hasattr(engine, name)}
        _known("surface", given["surface"])
        return cls.from_dict(given)


def _one_of(name: str, value: Any, known: Iterable[str]) -> None:
    if value not in [*known]:
        raise Bad(f"engine: {name} {short(value)}: choose from {', '.join(known)}")


def _known(what: str, names: Any) -> None:
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise Bad(f"engine: {what} {short(names)}: give names of fields")
    if unknown := {*map(str, names)} - SURFACE:
        known = ", ".join(sorted(SURFACE))
        raise Bad(f"engine: {what}: {short(min(unknown))} is not one of {known}")


def _listed(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that mean something here, in plain types."""
    made: dict[str, Any] = {"lossy": bool(options.get("lossy"))}
    return {**made, "without": sorted(options.get("without", ()))}
