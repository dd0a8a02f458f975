"""Reading results that `specsim check --json` wrote, which anybody may have touched."""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

from specsim import jsonfile
from specsim.errors import Bad
from specsim.oracle.report import (
    FORMAT,
    Diagnosis,
    Effect,
    Finding,
    Report,
    Tier,
    Witness,
)
from specsim.oracle.reporting.markup import clean
from specsim.oracle.vectors.schema import violations
from specsim.roofline.fields import short_path

MOST_BYTES = 64_000_000
MADE = "make one with specsim check ENGINE --json FILE"


def schema() -> dict[str, Any]:
    """The JSON Schema of a result, which is shipped."""
    file = files("specsim").joinpath("data/schemas/check.json")
    shipped: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return shipped


def load(file: Path) -> Report:
    """The report in a file. Bad, on one line, if it is not there or none of ours."""
    named = clean(short_path(file))
    document = jsonfile.read(file, MOST_BYTES, MADE, finite=True)
    if not isinstance(document, dict) or document.get("report") != "specsim check":
        if isinstance(document, dict) and {"rules", "mutants"} <= document.keys():
            raise Bad(f"{named}: specsim's check of itself; {MADE}")
        raise Bad(f"{named}: no result of a check; {MADE}")
    if document.get("format") != FORMAT:
        found = clean(repr(document.get("format")))[:20]
        raise Bad(
            f"{named}: format {found}, where this specsim reads {FORMAT}: check again"
        )
    wanted = schema()
    for fault in violations(document, wanted, wanted):
        raise Bad(f"{named}: {clean(fault)[:160]}; {MADE}")
    report = made(document)
    if (w := report.witness) and len(w.wanted) != len(w.found):
        raise Bad(f"{named}: the rows wanted and found differ in length; {MADE}")
    return report


def made(document: dict[str, Any]) -> Report:
    """A report from JSON that keeps to the schema; keys it does not know are left."""
    parts: dict[str, Any] = {
        "diagnosis": [
            Diagnosis(**_tuples(each, "reports")) for each in document["diagnosis"]
        ],
        "witness": document["witness"]
        and Witness(**_tuples(document["witness"], "prefix", "wanted", "found")),
        "tiers": [_tier(each) for each in document["tiers"]],
        "findings": [Finding(**each) for each in document["findings"]],
    }
    known = Report.__dataclass_fields__.keys() - parts.keys()
    return Report(**parts, **{k: v for k, v in document.items() if k in known})


def _tier(each: dict[str, Any]) -> Tier:
    path = tuple((n, log10_e) for n, log10_e in each["path"])
    effect = each["effect"] and Effect(**_tuples(each["effect"], "prefix", "event"))
    return Tier(**{**each, "path": path, "effect": effect})


def _tuples(each: dict[str, Any], *names: str) -> dict[str, Any]:
    return {k: tuple(v) if k in names else v for k, v in each.items()}


def document(report: Report) -> str:
    """What `specsim check --json` writes."""
    return json.dumps(report.as_dict(), indent=1, allow_nan=False) + "\n"
