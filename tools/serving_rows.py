"""The shipped rows of served requests, and what is known to be wrong with some.

A doubt is a reason not to fit to a row, found from the row itself and from others of
the same file; predictions are scored with and without such rows.
"""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

from specsim.roofline.validation import serving
from specsim.roofline.validation.serving import Question

FILE = "data/measurements/serving.csv"
Cells = Mapping[str, str]

SPECULATES = "drafts of the model's own (MTP): 1.4-2 times too fast for none"
COMPILES = "first tokens of seconds on an idle engine: kernels compiled during the test"
APART = "its GPUs are those of a deployment with prefill apart"
UNEQUAL = "batch times replicas is not the concurrency stated"
ONE_WAVE = "every user sends one request, all at once: no steady state"
ELSEWHERE = "one row of its own kind, several times off any model of its kind"

SLOW_FIRST_MS = 4000.0


@dataclass(frozen=True)
class Row:
    """A row: what it asks, what was measured (ms), and why to doubt it."""

    cells: Cells
    question: Question
    ttft_ms: float
    tpot_ms: float
    doubt: str

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for copies of one measurement."""
        asked = self.question
        load = asked.batch, asked.isl, asked.osl
        return asked.deployment, *load, self.ttft_ms, self.tpot_ms

    @property
    def model(self) -> str:
        """DeepSeek V3 and R1 are of one shape, and share measurements."""
        return self.question.deployment.model.name.replace("V3", "R1")

    @property
    def engine(self) -> str:
        """Its name."""
        return self.question.deployment.engine.name


def rows() -> list[Row]:
    """All of them, in order."""
    with files("specsim").joinpath(FILE).open(encoding="utf-8") as lines:
        table = list(csv.DictReader(lines))
    return list(_rows(table))


def distinct(every: Sequence[Row]) -> list[Row]:
    """Those without a doubt, each measurement once."""
    return list({row.key: row for row in every if not row.doubt}.values())


def _rows(table: Sequence[Cells]) -> Iterator[Row]:
    plain = {_measured(row) for row in table if row["model_path"].endswith("V3")}
    for row in table:
        question = serving.question(row)
        doubt = _doubt(row, question, plain)
        yield Row(row, question, *_measured(row), doubt)


def _measured(row: Cells) -> tuple[float, float]:
    return float(row["silicon_ttft_ms"]), float(row["silicon_tpot_ms"])


def _doubt(row: Cells, question: Question, plain: set[tuple[float, float]]) -> str:
    made = question.deployment
    said = _said(row)
    if question.apart:
        return APART
    if float(said.get("silicon_concurrency", question.batch)) != question.batch:
        return UNEQUAL
    if _speculates(row, question, plain):
        return SPECULATES
    if "gtl_job_id" in said:
        return ELSEWHERE
    if made.engine.name == "sglang":
        if row["silicon_data_source"].startswith("source_file=data/"):
            return ONE_WAVE
        if _measured(row)[0] > SLOW_FIRST_MS and "DeepSeek" in made.model.name:
            return COMPILES
    return ""


def _said(row: Cells) -> dict[str, str]:
    """`key=value; key=value` of the column that names the run behind a row."""
    parts = (part.partition("=") for part in row["silicon_data_source"].split("; "))
    return {key.strip(): value for key, _, value in parts}


def _speculates(
    row: Cells, question: Question, plain: set[tuple[float, float]]
) -> bool:
    """By version and date, or a twin without drafts: V3 rows are copies of R1's."""
    version, made = row["backend_version"], question.deployment
    if "DeepSeek-R1" in row["model_path"]:
        if version == "1.2.0rc6.post3":
            return True
        if version == "1.1.0rc2.post2":
            return _said(row).get("measured", "") >= "2026"
        if row["backend"] == "sglang" and version == "0.5.9":
            alone = row["precision"] == "fp8" and made.plan.gpus == 8
            return alone and _measured(row) not in plain
    if "Qwen3.5" in row["model_path"] and version == "0.5.9":
        return made.plan.gpus == 4 and made.plan.ep == 1
    return False
