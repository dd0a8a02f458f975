"""Why the advice is what it is, a sentence a line."""

from collections.abc import Iterable, Iterator

from specsim.roofline import step
from specsim.roofline.advice.prices import WORTH_IT, Priced
from specsim.roofline.advice.rates import rate
from specsim.roofline.constants import SKEW
from specsim.roofline.costs import distinct_experts
from specsim.roofline.work import Work

FREE = 1.15
"""Verifying is nearly free while it takes less than this many plain steps."""
SLOW_DRAFT = 0.4
SMALL = 8
"""Batches at which a mixture reads few of its experts."""


def reasons(best: Priced, candidates: Iterable[Priced]) -> Iterator[str]:
    """All that apply."""
    yield _verifying(best)
    yield _drafting(best)
    yield _accepting(best)
    yield _batches(best)
    if best.verdict == "measure":
        yield (
            "the interval holds 1: measure it on your own prompts, on and off, before "
            "you rely on it"
        )
    yield from _mixture(best)
    yield from _temperature(best)
    yield from _others(best, candidates)


def _verifying(best: Priced) -> str:
    setting, made = best.setting, best.made
    ratio = float(made.verify_s / made.plain_s)
    before, after = (_shares(best, tokens) for tokens in (1, best.k + 1))
    most = step.largest(before)
    said = (
        f"a plain step takes {1000 * float(made.plain_s):.3g} ms, most of it "
        f"{most}; verifying {best.k + 1} tokens takes {ratio:.2f} of it"
    )
    if ratio < FREE:
        return f"{said}: weights are read once, for one token or several"
    if most == "compute":
        return f"{said}: at this batch arithmetic binds, and it grows with the tokens"
    grown = step.largest({name: after[name] - before[name] for name in before})
    if grown == "memory" and setting.deployment.model.moe_experts:
        return f"{said}: {_experts(best)}"
    return f"{said}: what grows most with the tokens is {grown}"


def _shares(best: Priced, tokens: int) -> dict[str, float]:
    """Seconds of the target's step over so many tokens, by what they go to."""
    setting = best.setting
    made = setting.deployment.run(Work(setting.batch, tokens, setting.context))
    return {name: float(part) for name, part in made.shares_s.items()}


def _experts(best: Priced) -> str:
    """Distinct experts a layer reads, as they are priced."""
    model, batch = best.setting.deployment.model, best.setting.batch
    many, chosen = model.moe_experts or 1, model.moe_topk or 1
    before, after = (
        float(distinct_experts(many, chosen, batch * tokens, SKEW))
        for tokens in (1, best.k + 1)
    )
    return f"a layer reads {after:.0f} of {many} experts instead of {before:.0f}"


def _drafting(best: Priced) -> str:
    share = float(best.made.draft_s / best.made.step_s)
    if share == 0:
        return "drafting is a search in the text so far: it takes no time on the GPU"
    slow = ": slow for what it gains" if share > SLOW_DRAFT else ""
    many = "1 token" if best.k == 1 else f"{best.k} tokens"
    return f"drafting {many} takes {share:.0%} of a step{slow}"


def _accepting(best: Priced) -> str:
    known, asked = best.rate, best.setting.task
    of = f"{known.stands} (none of {asked})" if known.stands else asked
    falls = ", falling with depth" if known.fall < 1 else ""
    return (
        f"{float(best.made.tokens):.2f} tokens a step: acceptance {known.alpha:.2f}"
        f"{falls} ({known.low:.2f} to {known.high:.2f}), from {known.rows} published "
        f"row{'s' if known.rows > 1 else ''} of {of}{' with this model' * known.target}"
    )


def _batches(best: Priced) -> str:
    found = best.batches
    if found.first is None:
        return f"it is expected to pay at every batch that fits, up to {found.most:,}"
    said = " and ".join(
        f"{a:,}" + (" and more" if b == found.most else f" to {b:,}" if b > a else "")
        for a, b in found.losing
    )
    return f"it is expected to slow decoding down at batch {said}"


def _mixture(best: Priced) -> Iterator[str]:
    if best.setting.deployment.model.moe_experts and best.setting.batch <= SMALL:
        yield (
            "a mixture at a small batch: every drafted token brings in experts of its "
            "own, and real routing may share more or fewer than assumed"
        )


def _temperature(best: Priced) -> Iterator[str]:
    setting = best.setting
    cold, warm = (
        rate(best.rate.drafter, setting.task, degree, setting.deployment.model.hf_id)
        for degree in (0, setting.temperature)
    )
    if cold is None or warm is None or setting.temperature == 0:
        return
    above = "; above 1 nothing was measured" if setting.temperature > 1 else ""
    yield (
        f"at temperature {setting.temperature:g} acceptance is "
        f"{cold.alpha - warm.alpha:.2f} lower than at 0{above}"
    )


def _others(best: Priced, candidates: Iterable[Priced]) -> Iterator[str]:
    """What would be faster: heads nobody is known to have, drafts without room."""
    for each in candidates:
        if each.speedup < WORTH_IT * best.speedup or each is best:
            continue
        name, gain = each.candidate.name, f"{each.speedup:.2f}x"
        if not each.candidate.known:
            yield (
                f"an {name} head trained for this model is expected at {gain}; none is "
                "listed in data/heads.csv"
            )
        elif not each.fits:
            short = -float(each.made.spare_bytes) / 1e9
            yield f"{name} is expected at {gain}, but {short:.1f} GB short of fitting"
