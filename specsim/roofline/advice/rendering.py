"""Advice for people, in 30 lines at most, its reasons in 100 columns."""

import textwrap
from collections.abc import Iterator

from specsim.roofline.advice.answer import Advice
from specsim.roofline.advice.prices import Priced

ROWS = 4
LINES = 10
"""Of reasons; one that would run beyond them is left out."""
COLUMNS = 100
WORDS = {
    "yes": "yes",
    "measure": "perhaps, measure first",
    "no": "no, decode plainly",
}


def text(advice: Advice) -> str:
    """What to do, the candidates, why, and the configuration if one was asked for."""
    lines = [*_head(advice), "", *_answer(advice), "", *_table(advice), ""]
    lines += [*_reasons(advice), *_configuration(advice)]
    return "\n".join(lines)


def _head(advice: Advice) -> Iterator[str]:
    setting = advice.setting
    made = setting.deployment
    yield (
        f"{made.model.hf_id} on {made.plan.gpus} x {made.gpu.name}, "
        f"{made.engine.name} engine"
    )
    yield (
        f"task {setting.task}, temperature {setting.temperature:g}, batch "
        f"{setting.batch:,}, context {setting.context:,}"
    )
    if advice.note:
        yield advice.note


def _answer(advice: Advice) -> Iterator[str]:
    best = advice.best
    said = f"speculate  {WORDS[advice.verdict]}"
    if advice.verdict != "no":
        said += (
            f": {best.candidate.name}, k {best.k}, {best.speedup:.2f}x "
            f"({best.low:.2f} to {best.high:.2f})"
        )
    yield said
    yield (
        f"a token    {advice.token_ms:.3g} ms"
        + (f", plainly {advice.plain_ms:.3g} ms" if advice.verdict != "no" else "")
        + _asked(advice)
    )


def _asked(advice: Advice) -> str:
    if advice.slo_ms is None:
        return ""
    kept = "kept" if advice.slo_met else "NOT kept"
    return f"; {advice.slo_ms:g} ms asked for: {kept}"


def _table(advice: Advice) -> Iterator[str]:
    yield f"{'drafter':34}{'k':>3}{'accepted':>10}{'tokens':>8}{'speed-up':>10}"
    for each in (advice.priced + advice.wished)[:ROWS]:
        yield _row(each)


def _row(each: Priced) -> str:
    notes = "" if each.fits else "  does not fit"
    notes += "" if each.candidate.known else "  needs training"
    return (
        f"{each.candidate.name:34}{each.k:3}{each.rate.alpha:10.2f}"
        f"{float(each.made.tokens):8.2f}{each.speedup:9.2f}x  "
        f"{each.low:.2f} to {each.high:.2f}{notes}"
    )


def _reasons(advice: Advice) -> list[str]:
    lines: list[str] = []
    for reason in advice.reasons:
        wrapped = textwrap.wrap(
            reason, COLUMNS, initial_indent="- ", subsequent_indent="  "
        )
        if len(lines) + len(wrapped) <= LINES:
            lines += wrapped
    return lines


def _configuration(advice: Advice) -> Iterator[str]:
    if advice.engine is None:
        return
    yield ""
    if advice.configuration is None:
        yield "no configuration: plain decoding needs no speculative one"
    else:
        yield advice.configuration.rstrip("\n")
