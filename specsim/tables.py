"""What `specsim list` prints: each table as rows for JSON and as text for people."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from specsim.roofline.tables import (
    gpus_rows,
    gpus_table,
    models_rows,
    models_table,
)

Row = dict[str, Any]


def rules_rows() -> list[Row]:
    from specsim.rules import RULES

    return [asdict(rule) for rule in RULES.values()]


def rules_text() -> str:
    lines = [f"{'rule':14}{'class':13}{'shape':7}{'accepts':34}{'cost':8}engines"]
    for row in rules_rows():
        kinds = "any" if len(row["accepts"]) > 2 else ", ".join(row["accepts"])
        shape = "tree" if row["tree"] else "chain"
        engines = ", ".join(row["engines"])
        lines.append(
            f"{row['name']:14}{row['losslessness']:13}{shape:7}{kinds:34}"
            f"O({row['cost']}){'':2}{engines}"
        )
    return "\n".join(lines)


def mutants_rows() -> list[Row]:
    from specsim.oracle.mutants import MUTANTS

    return [
        {
            "name": mutant.name,
            "rule": mutant.rule,
            "kind": mutant.kind,
            "line": mutant.line,
            "reports": list(mutant.reports),
        }
        for mutant in MUTANTS.values()
    ]


def mutants_text() -> str:
    lines = []
    for row in mutants_rows():
        lines.append(f"{row['name']:30}{row['rule']:15}{row['kind']}")
        lines.append(f"    {' '.join(row['line'].split())}")
        lines += [f"    seen in {', '.join(row['reports'])}"] if row["reports"] else []
    return "\n".join(lines)


TABLES: dict[str, tuple[Callable[[], list[Row]], Callable[[], str]]] = {
    "rules": (rules_rows, rules_text),
    "mutants": (mutants_rows, mutants_text),
    "models": (models_rows, models_table),
    "gpus": (gpus_rows, gpus_table),
}
