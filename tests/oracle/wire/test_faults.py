"""Every adapter that gets the wire wrong is caught, by the tier that is meant to."""

import contextlib
import sys
from pathlib import Path

import pytest

from specsim.oracle import cases, coins, reading
from specsim.oracle.engines.problems import Broken, Failed, Unsteady
from specsim.oracle.reading import Reader
from specsim.oracle.wire import batches
from specsim.oracle.wire.faults import FAULTS, RIGHT, Fault
from specsim.oracle.wire.program import ProgramEngine
from specsim.oracle.worlds import World
from specsim.rules import RULES

SEVEN_DIGITS = (
    "loads(line)",
    "loads(line, parse_float=lambda x: float(f'{float(x):.7g}'))",
)
WORLDS = [cases.chains()[at] for at in (5, 7, 10, 12, 18)]
"""Small odds, elevenths, and two drafted tokens of each sort."""


def engine(folder: Path, source: str) -> ProgramEngine:
    (folder / "engine.py").write_text(source)
    return ProgramEngine(f"{sys.executable} -S -E {folder}/engine.py", 10)


def killer(source: str, folder: Path) -> str:
    """The first tier that catches an adapter; "" if none does."""
    with engine(folder, source) as asked:
        reader = Reader(asked, "verify", "coins", "scripted")
        try:
            if batches.compare(asked, "verify", 0)[0].verdict == "rejected":
                return "batch"
            if any(wrong(reader, world) for world in WORLDS):
                return "law"
            tier = coins.compare(asked, RULES["chain"])
            return "vectors" if tier.verdict == "rejected" else ""
        except (Broken, Failed, IndexError):
            return "contract"


def wrong(reader: Reader, world: World) -> bool:
    """Whether the law is wrong there; not where bisection loses its way."""
    with contextlib.suppress(Unsteady):
        return bool(reading.failures([reader.read(world)], "scripted"))
    return False


@pytest.mark.distribution
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_every_fault_is_caught_where_it_should_be(fault: Fault, tmp_path: Path) -> None:
    assert killer(fault.source, tmp_path) == fault.tier


def test_the_right_adapter_passes_even_if_it_reads_seven_digits(tmp_path: Path) -> None:
    assert killer(RIGHT, tmp_path) == ""
    with engine(tmp_path, RIGHT.replace(*SEVEN_DIGITS)) as single:
        assert batches.compare(single, "verify", 0)[0].verdict == "exact"
        reader = Reader(single, "verify", "coins", "scripted")
        assert not reading.failures([*map(reader.read, WORLDS)], "scripted")


def test_a_line_that_is_gone_is_noticed() -> None:
    with pytest.raises(ValueError, match="stands 0 times"):
        _ = Fault("gone", "no such line", "", "law").source
