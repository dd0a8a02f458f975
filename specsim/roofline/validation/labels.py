"""What outcomes are grouped by."""

import re
from typing import Any

from specsim.roofline.validation import setting
from specsim.roofline.validation.cells import text
from specsim.roofline.validation.reading import Row

BANDS = (1, 8, 32, 128, 512)


def labels(row: Row, question: Any, flags: tuple[str, ...]) -> dict[str, str]:
    """Engine, device, number format, kind of model, batch, calibration, flags."""
    made = question.deployment
    engine = text(row.asked, "engine") or text(row.asked, "backend")
    return {
        "engine": engine_words(engine) or "not stated",
        "device": made.gpu.name,
        "format": made.numbers.experts.name,
        "model": "mixture" if made.model.moe_experts else "dense",
        "batch": band(question.batch),
        "calibrated": "yes" if setting.calibrated(made) else "no",
        "flag": flags[0] if flags else "none",
    }


def engine_words(engine: str) -> str:
    """An engine without its version.

    >>> engine_words("SGLang 0.4.6.post1"), engine_words("HF transformers 4.46")
    ('SGLang', 'HF transformers')
    """
    return re.sub(r"\s+v?\d[\w.]*$", "", engine)


def band(batch: float) -> str:
    """A range of batch sizes.

    >>> band(1), band(16), band(4096)
    ('1', '9-32', 'over 512')
    """
    least = 1
    for most in BANDS:
        if batch <= most:
            return f"{least}-{most}" if least < most else f"{most}"
        least = most + 1
    return f"over {BANDS[-1]}"
