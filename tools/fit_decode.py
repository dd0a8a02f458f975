"""Fits what engines and formats cost beyond kernel tables to published decode rates.

    python -m tools.fit_decode

Prints the constants of `engines.ENGINES` (those that say so), `formats.FORMATS`
(unpack) and `hardware.FAMILIES` (bandwidth, integer), and how far predictions are off:
by engine, device, format and batch, and for each model, device, engine and source with
constants fitted to the others. Every constant is held to a value it would have without
rows (`PRIORS`), the more firmly the more is known of it; single rows weigh little.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

from specsim.roofline import step
from specsim.roofline.engines import DECODING, ENGINES, Engine
from specsim.roofline.formats import FORMATS
from specsim.roofline.hardware import FAMILIES
from specsim.roofline.step import Timed
from specsim.roofline.work import Work
from tools.decode_rows import Row, rows

Vector = NDArray[np.float64]
Constants = Mapping[str, float]

KNOWN, GUESS, FREE = 0.03, 0.4, 1.0
"""How firmly a prior holds: standard deviations of a constant's logarithm."""

PRIORS: dict[str, tuple[float, float]] = {
    # kernel tables; where there are none what their likes have
    **{f"bandwidth {name}": (e, KNOWN) for name, e in {
        "A100": 0.79, "H20": 0.86,
        "GeForce 40": 0.92, "Ada with ECC": 0.84, "Ada": 0.91, "RTX Blackwell": 0.86,
        "Ampere with ECC": 0.82, "GeForce 30": 0.91, "Ampere": 0.89, "Pascal": 0.84,
        "CDNA": 0.7, "RDNA": 0.85, "Apple": 0.92, "CPU": 0.7}.items()},
    "integer Apple": (0.5, GUESS),
    "attention_bandwidth Apple": (0.4, GUESS),
    # instructions a weight: a shift, a mask, a conversion and a product at least
    **{f"unpack {kind}": (n, 0.5) for kind, n in {
        "int8": 3, "int8wo": 3, "int4": 4, "int4wo": 4, "int2": 2.5, "exl2": 2,
        "fp6": 6, "int8dq": 300, "uintx": 60, "q2_k": 12, "q3_k": 20, "q4_0": 5,
        "q4_1": 5.5, "q4_k": 6, "q5_0": 8, "q6_k": 12, "q8_0": 4}.items()},
    "plain llama.cpp-2024": (28, 0.5),
    "rereads llama.cpp-2024": (0.5, GUESS),
}  # fmt: skip
HOSTS = {
    "step_us": (200.0, 0.8),
    "layer_us": (8.0, FREE),
    "launch_us": (300.0, FREE),
    "sequence_us": (20.0, FREE),
    "unpack_by": (1.0, GUESS),
}
"""Priors of what every engine has; launch_us in place of layer_us where it launches."""

MOST = 0.96
"""Share of its bandwidth no memory exceeds."""

SCALE = 0.05
"""Relative errors up to this weigh as squares, larger ones less and less."""


def kind(format_name: str) -> str:
    """The kind of a format that shares its unpacking: `q4_k` of `q4_k_m`."""
    kinds = [name for name in PRIORS if name.startswith("unpack ")]
    found = [name[7:] for name in kinds if format_name.startswith(name[7:])]
    return max(found, key=len, default="")


def now() -> dict[str, float]:
    """The constants in the code."""
    held: dict[str, float] = {}
    for family in FAMILIES:
        for name in ("bandwidth", "integer", "attention_bandwidth"):
            held[f"{name} {family.name}"] = getattr(family, name)
    for form in FORMATS.values():
        held[f"unpack {kind(form.name)}"] = form.unpack
    for engine in ENGINES.values():
        held |= {f"{name} {engine.name}": value for name, value in _host(engine)}
    return held


def _host(engine: Engine) -> Iterator[tuple[str, float]]:
    for name in ("step_us", "layer_us", "sequence_us"):
        yield name, getattr(engine, name)[1]
    for name in ("launch_us", "plain", "rereads"):
        yield name, getattr(engine, name)
    yield "unpack_by", engine.unpack


def priors(chosen: Sequence[Row]) -> dict[str, tuple[float, float]]:
    """The constants that rows depend on, and their priors.

    The bandwidth of Hopper and Blackwell is that of the kernel tables, and not fitted.
    """
    fitted = {row.name for row in DECODING}
    held: dict[str, tuple[float, float]] = {}
    for row in chosen:
        made = row.deployment
        family, engine = step.family(made.gpu).name, made.engine
        names = [
            f"{n} {family}" for n in ("bandwidth", "integer", "attention_bandwidth")
        ]
        for form in {made.numbers.linear, made.numbers.experts}:
            names.append(f"unpack {kind(form.name)}" if form.unpack else "")
        names += [f"{n} {engine.name}" for n in ("plain", "rereads")]
        held |= {name: PRIORS[name] for name in names if name in PRIORS}
        if engine.name in fitted:
            waits = "launch_us" if engine.launch_us else "layer_us"
            own = [
                "step_us",
                waits,
                *(["sequence_us"] if row.question.batch > 1 else []),
            ]
            own += ["unpack_by"] if made.numbers.linear.unpack else []
            held |= {f"{name} {engine.name}": HOSTS[name] for name in own}
    return held


@dataclass
class Sheet:
    """Operations of many rows side by side, at the constants of the code (seconds).

    row: which row each belongs to. Times are of all launches of a pass; `names` holds
    for each time the constants it follows.
    """

    rows: Sequence[Row]
    ms: Vector
    prefill: Vector
    row: NDArray[np.int64]
    count: Vector
    fixed: Vector
    memory: Vector
    compute: Vector
    unpacking: Vector
    queries: Vector
    names: dict[str, list[str]]
    index: dict[str, NDArray[np.int64]] = field(default_factory=dict)

    def ratio(self, which: str, given: Constants) -> Vector:
        """Given over present constants, operation by operation (or row by row)."""
        names, at = self._codes(which)
        present = _PRESENT
        own = [given[n] / present[n] if n in given and present.get(n) else 1.0
               for n in names]  # fmt: skip
        return np.array(own)[at]

    def reread(self, given: Constants) -> Vector:
        """Cache read by all heads of a group, over that at present."""
        names, at = self._codes("rereads")
        now, then = (
            np.array([held.get(name, _PRESENT.get(name, 0.0)) for name in names])[at]
            for held in (_PRESENT, given)
        )
        more = self.queries - 1
        return np.asarray((1 + more * then) / (1 + more * now))

    def value(self, which: str, given: Constants) -> Vector:
        """The given constant, or the present one, row by row."""
        names, at = self._codes(which)
        return np.array([given.get(n, _PRESENT.get(n, 0.0)) for n in names])[at]

    def _codes(self, which: str) -> tuple[list[str], NDArray[np.int64]]:
        if which not in self.index:
            unique, at = np.unique(self.names[which], return_inverse=True)
            self.names[f"unique {which}"], self.index[which] = list(unique), at
        return self.names[f"unique {which}"], self.index[which]


_PRESENT = now()


def sheet(chosen: Sequence[Row]) -> Sheet:
    """The passes of these rows."""
    times: list[tuple[float, ...]] = []
    names: dict[str, list[str]] = {key: [] for key in (*OPS, *HOST)}
    prefill = []
    for at, row in enumerate(chosen):
        asked, made = row.question, row.deployment
        one = made.run(Work(asked.batch, 1, asked.context))
        for each in one.timed:
            times.append((at, *_times(each)))
            for key, name in _names(each, row).items():
                names[key].append(name)
        for key in HOST:
            names[key].append(f"{key} {made.engine.name}")
        first = made.run(Work(asked.batch, max(asked.prompt, 1), 0, logits=1))
        share = asked.prefilled / max(asked.output, 1)
        prefill.append(share * float(first.seconds))
    at_row, count, fixed, memory, compute, unpacking, queries = np.transpose(times)
    ms = np.array([row.ms for row in chosen])
    return Sheet(
        chosen, ms, np.array(prefill), at_row.astype(np.int64), count, fixed, memory,
        compute, unpacking, queries, names,
    )  # fmt: skip


OPS = "bandwidth", "rereads", "unpack", "unpack_by", "integer"
HOST = "step_us", "layer_us", "sequence_us", "launch_us"


ALIKE = {row.name for row in FAMILIES if row.plain is None}
"""Families where weights of 16 bits take instructions at the rate of narrow ones."""


def _times(each: Timed) -> tuple[float, ...]:
    fixed = each.fixed + each.communication
    parts = fixed, each.memory, each.compute, each.unpacking, each.op.queries
    return each.op.count, *(float(part) for part in parts)


def _names(each: Timed, row: Row) -> dict[str, str]:
    """The constants that an operation's times follow, by what they do to them."""
    engine, family = row.engine, step.family(row.deployment.gpu).name
    form, attends = each.op.format, each.op.kind == "attention"
    narrow = form.unpack > 0
    return {
        "bandwidth": f"{'attention_' if attends else ''}bandwidth {family}",
        "rereads": f"rereads {engine}" if attends else "",
        "unpack": f"unpack {kind(form.name)}" if narrow else f"plain {engine}",
        "unpack_by": f"unpack_by {engine}" if narrow else "",
        "integer": f"integer {family}" if narrow or family in ALIKE else "",
    }


def predicted(sheet: Sheet, given: Constants) -> Vector:
    """Milliseconds a step with these constants in place of the code's."""
    memory = sheet.memory / sheet.ratio("bandwidth", given) * sheet.reread(given)
    unpacking = sheet.unpacking * sheet.ratio("unpack", given)
    unpacking = unpacking * sheet.ratio("unpack_by", given)
    unpacking = unpacking / sheet.ratio("integer", given)
    each = sheet.fixed + np.hypot(memory, sheet.compute + unpacking)
    kernels = np.bincount(sheet.row, sheet.count * each, len(sheet.rows))
    layers = np.array([row.deployment.model.layers for row in sheet.rows])
    batch = np.array([row.question.batch for row in sheet.rows])
    host = sheet.value("step_us", given) + layers * sheet.value("layer_us", given)
    host = host + batch * sheet.value("sequence_us", given)
    launches = 1e-6 * layers * sheet.value("launch_us", given)
    busy = np.maximum(kernels, launches)
    out: Vector = 1e3 * (busy + 1e-6 * host + sheet.prefill)
    return out


def fitted(chosen: Sequence[Row], at: Sheet | None = None) -> dict[str, float]:
    """The constants of least error, from their priors on."""
    made, held = at or sheet(chosen), priors(chosen)
    base = np.array([value for value, _ in held.values()])
    firm = np.array([width for _, width in held.values()])

    def constants(powers: Vector) -> dict[str, float]:
        return dict(zip(held, base * np.exp(powers), strict=True))

    def residuals(powers: Vector) -> Vector:
        off = np.log(predicted(made, constants(powers)) / made.ms)
        return np.append(off / SCALE, powers / firm)

    most = [MOST if name.startswith("bandwidth") else np.inf for name in held]
    found = least_squares(
        residuals, np.zeros(len(base)), loss="soft_l1", x_scale=firm, max_nfev=30,
        ftol=1e-4, bounds=(-np.inf, np.log(np.array(most) / base)),
    )  # fmt: skip
    return constants(found.x)


def left_out(
    chosen: Sequence[Row], key: Callable[[Row], str]
) -> Iterator[tuple[str, Vector]]:
    """For each value of key the ratios of its rows, with constants of the others.

    A constant that no other row depends on has its prior, whatever the code says.
    """
    everything = {name: value for name, (value, _) in priors(chosen).items()}
    for value in dict.fromkeys(map(key, chosen)):
        others = [row for row in chosen if key(row) != value]
        mine = sheet([row for row in chosen if key(row) == value])
        yield value, predicted(mine, everything | fitted(others)) / mine.ms


LABELS: dict[str, Callable[[Row], str]] = {
    "engine": lambda row: row.engine,
    "device": lambda row: row.device,
    "format": lambda row: row.deployment.numbers.experts.name,
    "batch": lambda row: "one" if row.question.batch == 1 else "more",
}


def errors(ratio: Vector) -> str:
    """Number, mean and median absolute error and bias in per cent."""
    off = 100 * (ratio - 1)
    sizes = np.abs(off)
    return (
        f"{len(off):5}{np.mean(sizes):8.1f}{np.median(sizes):8.1f}{np.mean(off):+8.1f}"
    )


def report(chosen: Sequence[Row], ratio: Vector, title: str) -> Iterator[str]:
    """Errors of all and by label."""
    yield f"\n{title:40} rows    mean  median    bias"
    yield f"{'all':40}{errors(ratio)}"
    for label, key in LABELS.items():
        values = [key(row) for row in chosen]
        for value in sorted(set(values)):
            at = np.array([each == value for each in values])
            yield f"{label + ' ' + value:40}{errors(ratio[at])}"


def spans(chosen: Sequence[Row], ratio: Vector) -> Iterator[str]:
    """Where nine in ten measured rows lie, as multiples of the prediction."""
    yield f"\n{'measured over predicted':40}   5 %    95 %"
    for value in sorted({row.engine for row in chosen}):
        own = 1 / ratio[np.array([row.engine == value for row in chosen])]
        low, high = np.quantile(own, [0.05, 0.95])
        yield f"{value:40}{low:6.2f}{high:8.2f}"


def main() -> None:
    """Print everything."""
    every = rows()
    sound = [row for row in every if not row.doubt]
    given: dict[str, Any] = fitted(sound)
    for name, value in given.items():
        print(f"{name:32}{value:10.3g}   in the code {_PRESENT.get(name, 0):.3g}")
    for title, chosen in (("sound rows", sound), ("all rows", every)):
        ratio = predicted(sheet(chosen), {}) / np.array([row.ms for row in chosen])
        print("\n".join(report(chosen, ratio, f"{title}, constants of the code")))
    ratio = predicted(sheet(sound), given) / np.array([row.ms for row in sound])
    print("\n".join(report(sound, ratio, "sound rows, constants above")))
    print("\n".join(spans(sound, ratio)))
    single = [row for row in sound if row.question.batch == 1]
    keys: dict[str, Callable[[Row], str]] = {
        "model": lambda row: row.model,
        "device": lambda row: row.device,
        "engine": lambda row: row.engine,
        "source": lambda row: row.source,
    }
    for title, key in keys.items():
        print(f"\nbatch 1, each {title} left out: rows, mean, median, bias")
        parts = list(left_out(single, key))
        for value, ratio in parts:
            print(f"{value[:60]:60}{errors(ratio)}")
        print(f"{'all':60}{errors(np.concatenate([ratio for _, ratio in parts]))}")


if __name__ == "__main__":
    main()
