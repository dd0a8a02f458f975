"""Pictures of evidence and of rows, as inline SVG whose colours the page sets."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from specsim.oracle.effect import interval
from specsim.oracle.report import GRADES, PROOF, Tier, Witness
from specsim.oracle.reporting.markup import Raw, tag
from specsim.oracle.reporting.words import endless

WIDE, HIGH = 940, 290
LEFT, RIGHT, TOP, BOTTOM = 44, 126, 14, 34
SHOWN = 16
"""Tokens of a row that are drawn, those furthest off first."""
CONFIDENCE = 0.95


def figure(width: int, height: int, title: str, *inside: Raw) -> Raw:
    drawn = tag(
        "svg",
        tag("title", title),
        *inside,
        viewBox=f"0 0 {width} {height}",
        role="img",
    )
    return tag("div", drawn, class_="wide")


def words(x: float, y: float, text: str, class_: str, anchor: str = "start") -> Raw:
    place = {"x": f"{x:.1f}", "y": f"{y:.1f}", "class_": class_}
    return tag("text", text, text_anchor=anchor, **place)


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> Raw:
    ends = {"x1": x1, "y1": y1, "x2": x2, "y2": y2}
    return tag("line", **{k: f"{v:.1f}" for k, v in ends.items()}, class_=class_)


def box(x: float, y: float, width: float, height: float, class_: str) -> Raw:
    at = {"x": x, "y": y, "width": max(width, 0), "height": height}
    return tag("rect", **{k: f"{v:.1f}" for k, v in at.items()}, class_=class_)


@dataclass(frozen=True)
class Frame:
    """From blocks and log10 E to places on the picture."""

    blocks: int
    low: float
    high: float

    def x(self, blocks: float) -> float:
        return LEFT + (WIDE - LEFT - RIGHT) * blocks / self.blocks

    def y(self, log10_e: float) -> float:
        inner = min(max(log10_e, self.low), self.high)
        share = (inner - self.low) / (self.high - self.low)
        return HIGH - BOTTOM - (HIGH - TOP - BOTTOM) * share


def evidence(tiers: Sequence[Tier], false_alarm: float) -> Raw | None:
    """log10 E over blocks, with the grades behind it; None where nothing was drawn."""
    drawn = [tier for tier in tiers if tier.path]
    if not drawn:
        return None
    hurdle = -log10(false_alarm)
    heights = [e for tier in drawn for _, e in tier.path]
    frame = Frame(
        max(1, *(n for tier in drawn for n, _ in tier.path)),
        max(-10, floor(min(0, *heights))),
        min(max(1.2 * hurdle, ceil(max(heights) + 1)), 2 * hurdle),
    )
    return figure(
        WIDE,
        HIGH,
        "log10 E over blocks drawn",
        *_bands(frame),
        *_scales(frame, hurdle),
        *(_path(frame, tier, f"path path{i % 4}") for i, tier in enumerate(drawn)),
    )


def _bands(frame: Frame) -> list[Raw]:
    edges = [frame.low, *(float(bound) for bound, _ in GRADES), frame.high]
    names = [*(word for _, word in GRADES), "fail"]
    made = []
    for i, (name, low, high) in enumerate(zip(names, edges, edges[1:], strict=False)):
        bottom, top = frame.y(low), frame.y(high)
        if bottom - top > 0.5:
            made.append(box(LEFT, top, WIDE - LEFT - RIGHT, bottom - top, f"band{i}"))
        if bottom - top > 11:
            made.append(words(WIDE - RIGHT + 8, (bottom + top) / 2 + 4, name, "faint"))
    return made


def _scales(frame: Frame, hurdle: float) -> list[Raw]:
    floor_ = HIGH - BOTTOM
    made = [line(LEFT, floor_, WIDE - RIGHT, floor_, "axis")]
    step = ceil((frame.high - frame.low) / 6)
    for value in range(ceil(frame.low), floor(frame.high) + 1):
        if value % step == 0:
            made.append(words(LEFT - 8, frame.y(value) + 4, str(value), "tick", "end"))
    for share in (0, 0.5, 1):
        blocks = round(frame.blocks * share)
        said = f"{blocks:,}" if share < 1 else f"{blocks:,} blocks"
        made.append(words(frame.x(blocks), floor_ + 16, said, "tick", "middle"))
    made.append(words(LEFT, TOP - 3, "log10 E", "tick"))
    made.append(line(LEFT, frame.y(hurdle), WIDE - RIGHT, frame.y(hurdle), "hurdle"))
    return made


def _path(frame: Frame, tier: Tier, class_: str) -> Raw:
    points = [(0, 0.0), *tier.path]
    places = " ".join(f"{frame.x(n):.1f},{frame.y(e):.1f}" for n, e in points)
    blocks, last = points[-1]
    end = {"cx": f"{frame.x(blocks):.1f}", "cy": f"{frame.y(last):.1f}", "r": 4}
    sign = "infinite" if last >= PROOF else endless(last)
    said = f"{tier.name}: log10 E {sign} after {blocks:,} blocks"
    return tag(
        "g",
        tag("title", said),
        tag("polyline", points=places),
        tag("circle", **end),
        class_=class_,
    )


ROW, BAR, LABEL, VALUE = 46, 15, 84, 250


def row(witness: Witness) -> Raw | None:
    """Wanted against found, token by token, in the wrong context.

    Whiskers are 95 % Clopper-Pearson intervals where the engine was sampled.
    """
    if not witness.found:
        return None
    pairs = [*enumerate(zip(witness.wanted, witness.found, strict=True))]
    far = sorted(pairs, key=lambda pair: -abs(pair[1][0] - pair[1][1]))[:SHOWN]
    most = max(max(both) for _, both in far) or 1.0
    shown = sorted(far)
    return figure(
        WIDE,
        ROW * len(shown),
        "probabilities wanted and found",
        *(
            _pair(i, token, both, most, witness)
            for i, (token, both) in enumerate(shown)
        ),
    )


def _pair(
    i: int, token: int, both: tuple[float, float], most: float, witness: Witness
) -> Raw:
    top, (want, found) = ROW * i + 4, both
    scale = (WIDE - LABEL - VALUE) / most
    worst = " worst" if token == witness.token else ""
    low, high = found, found
    if witness.trials:
        count = round(found * witness.trials)
        low, high = interval(count, witness.trials, CONFIDENCE)
    ends = [LABEL + scale * min(x, most * 1.05) for x in (low, high)]
    middle = top + BAR * 1.5 + 2
    sure = f" ({low:.4g} to {high:.4g})" if witness.trials else ""
    beyond = max(LABEL + scale * found, ends[1]) + 8
    return tag(
        "g",
        words(LABEL - 10, top + BAR + 6, f"token {token}", f"tick{worst}", "end"),
        box(LABEL, top, scale * want, BAR, "want"),
        words(LABEL + scale * want + 8, top + BAR - 3, f"wanted {want:.4g}", "tick"),
        box(LABEL, top + BAR + 2, scale * found, BAR, f"found{worst}"),
        line(ends[0], middle, ends[1], middle, "whisker") if witness.trials else Raw(),
        words(beyond, middle + 5, f"found {found:.4g}{sure}", f"tick{worst}"),
    )
