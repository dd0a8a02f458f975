"""The shipped rows of decode rates, and what is known to be wrong with some of them.

A doubt is a reason not to fit to a row; predictions are scored with and without such
rows. Rows that ask one question and differ lack something: the quickest is kept.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from specsim.roofline.deployment import Deployment
from specsim.roofline.validation import decode, reading
from specsim.roofline.validation.cells import text
from specsim.roofline.validation.decode import Question

SLOW = "a path its engine does not mean to be fast: not compiled, or kernels missing"
UNSTATED = "threads or settings it does not state: another of its words is faster"
SWAPS = "memory: the machine swaps, or shares it with more than this"
PER_GPU = "whether the rate is of one GPU or of all is not said"
INFERRED = "model or device is inferred"
APART = {
    "D0024": "405B at 40 % of the bandwidth that 70B reaches in the same table",
    "D0478": "one GPU takes 2.8 times as long as two in the same table",
    "D0483": "one GPU takes 3.1 times as long as two in the same table",
    "D0696": "slower than the same format of a larger model in the same table",
    "D0092": "a kernel for one sequence, run for eight one after the other",
    "D0093": "a kernel for one sequence, run for eight one after the other",
    "D0837": "LLM.int8, several kernels to a product",
    "D0271": "its source calls the 8-bit path slow",
    "D0272": "its source calls the 8-bit path slow",
    "D0273": "its source calls the 8-bit path slow",
    "D0274": "its source calls the 8-bit path slow",
}
"""Single rows at odds with others of their own source."""

OWN = {"eager", "int8dq", "uintx"}
"""Engines and formats that are what is slow, and priced as such."""

FLAGS = {
    "slow_path": SLOW,
    "ambiguous_per_gpu": PER_GPU,
    "model_approx": INFERRED,
    "device_not_stated": INFERRED,
}
TWICE = 1.3


@dataclass(frozen=True)
class Row:
    """A row: what it asks, what was measured (ms a step), and why to doubt it."""

    id: str
    question: Question
    ms: float
    source: str
    device: str
    named_engine: str
    doubt: str

    @property
    def deployment(self) -> Deployment:
        """What it ran on."""
        return self.question.deployment

    @property
    def model(self) -> str:
        """Its name."""
        return self.deployment.model.name

    @property
    def engine(self) -> str:
        """The profile it is predicted with."""
        return self.deployment.engine.name


def rows() -> list[Row]:
    """All of them, in order."""
    table = [row for row in reading.shipped() if row.format == "decode"]
    made = [_row(row) for row in table]
    return list(_told_apart(made))


def _row(row: reading.Row) -> Row:
    question, asked = decode.question(row.asked), row.asked
    flag, source = text(asked, "flag"), text(asked, "source")
    doubt = APART.get(row.id, FLAGS.get(flag, ""))
    made = question.deployment
    if doubt == SLOW and {made.engine.name, made.numbers.linear.name} & OWN:
        doubt = ""
    if flag == "inconsistent_low" and made.gpu.vendor == "Apple":
        doubt = SWAPS
    if "TensorRT-LLM docs" in source and made.plan.tp > 1:
        doubt = PER_GPU
    if flag == "device_inferred" and question.batch > 1:
        doubt = INFERRED
    ms = decode.measured({**row.asked, **row.measured})["decode"]
    device, engine = text(asked, "device"), text(asked, "engine")
    return Row(row.id, question, ms, source, device, engine, doubt)


def _told_apart(made: Sequence[Row]) -> Iterator[Row]:
    """The same rows; of several that ask one question the slow ones get a doubt."""
    quickest: dict[tuple[Question, str], float] = {}
    for row in made:
        key = row.question, row.source
        quickest[key] = min(row.ms, quickest.get(key, np.inf))
    for row in made:
        slow = row.ms > TWICE * quickest[row.question, row.source]
        if slow and not row.doubt:
            yield Row(**{**vars(row), "doubt": UNSTATED})
        else:
            yield row
