"""What `specsim list` prints: each table as rows for JSON and as text for people."""

from collections.abc import Callable, Iterator
from dataclasses import asdict
from fractions import Fraction
from functools import cache
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from specsim.roofline.tables import (
    gpus_rows,
    gpus_table,
    models_rows,
    models_table,
)

if TYPE_CHECKING:
    from specsim.compare import Comparison
    from specsim.oracle.worlds import Branching
    from specsim.rules import Rule

Row = dict[str, Any]


@cache
def rules_rows() -> list[Row]:
    """The rules with what is found by running them: whether q is needed, and tokens per
    step in two worked examples, as fractions, on the kind of draft each is for.
    """
    from specsim import compare, facts
    from specsim.rules import RULES

    def found(rule: "Rule") -> Row:
        kind = facts.made_for(rule)
        return {
            "reads_q": facts.reads_q(rule),
            "coins": facts.coins(rule),
            "draft": kind,
            "branching": compare.worked_shape(rule),
            "tokens_per_step": {
                name: str(compare.worked(rule, kind, name))
                for name in ("three words", "two words")
            },
        }

    return [asdict(rule) | found(rule) for rule in RULES.values()]


def rules_text() -> str:
    """A line a rule, then what the columns mean."""
    head = (
        f"{'rule':22}{'class':13}{'shape':7}{'accepts':19}{'q':5}{'coins':16}"
        f"{'cost':13}{'draft':14}{'three':>7}{'two':>8}  engines"
    )
    return "\n".join([head, *map(_rule_line, rules_rows()), "", *RULES_NOTES])


RULES_NOTES = (
    "class    what is exact: the tokens for given noise, the law for each fixed draft,",
    "         the law averaged over drafts; or lossy, with its total variation in the",
    "         worst of the default worlds",
    "accepts  kinds of draft; WOR: without replacement",
    "q        whether it asks for the rows that drafted tokens were drawn from",
    "cost     of N drafted tokens and V words",
    "three    exact expected tokens per step of the draft named, of three words with",
    "         p = 1/2, 1/3, 1/6 and q = 1/4, 1/4, 1/2; two: of two words with",
    "         p = 1/3, 2/3 and q = 2/3, 1/3. More: specsim list rules --compare",
)


def _rule_line(row: Row) -> str:
    from specsim.compare import draft_name, shape_name
    from specsim.rules import ALL

    lossy = row["losslessness"] == "lossy"
    kept = f"lossy {float(Fraction(row['bias'])):.4f}" if lossy else row["losslessness"]
    kinds = row["accepts"]
    accepts = "any" if kinds == ALL else ", ".join(map(draft_name, kinds))
    draft = f"{draft_name(row['draft'])} {shape_name(row['branching'])}"
    three, two = (float(Fraction(x)) for x in row["tokens_per_step"].values())
    return (
        f"{row['name']:22}{kept:13}{row['shape']:7}{accepts:19}"
        f"{'yes' if row['reads_q'] else 'no':5}{', '.join(row['coins']) or 'none':16}"
        f"{'O(' + row['cost'] + ')':13}{draft:14}{three:7.4f}{two:8.4f}"
        f"  {', '.join(row['engines'])}"
    ).rstrip()


def drafters_rows() -> list[Row]:
    """The drafters, each with the rules that keep the target's law on its drafts."""
    from specsim.drafters import DRAFTERS, unsound
    from specsim.rules import RULES

    return [
        asdict(row)
        | {"rules": [name for name, rule in RULES.items() if not unsound(row, rule)]}
        for row in DRAFTERS.values()
    ]


def drafters_text() -> str:
    """A line a drafter, then its rules."""
    head = f"{'drafter':15}{'drafts':21}{'shape':7}{'made of':10}engines"
    lines = [line for row in drafters_rows() for line in _drafter_lines(row)]
    return "\n".join([head, *lines, "", *DRAFTERS_NOTES])


DRAFTERS_NOTES = (
    "drafts   how they come about: fixed, no luck in it; iid, each drawn on its own;",
    "         without_replacement, siblings drawn so",
    "made of  beside the text: a smaller model; heads on the target's hidden states;",
    "         layers that go on from these features",
    "rules    that take such drafts; lossy ones in brackets",
)


def _drafter_lines(row: Row) -> Iterator[str]:
    from specsim.rules import RULES

    line = f"{row['name']:15}{row['kind']:21}{row['shape']:7}{row['needs']:10}"
    yield f"{line}{', '.join(row['engines'])}".rstrip()
    names = (f"[{each}]" if RULES[each].lossy else each for each in row["rules"])
    yield from wrap(
        " ".join(names), 88, initial_indent="    rules ", subsequent_indent=" " * 10
    )


def comparison_text(made: "Comparison") -> str:
    """The worked examples, chains and trees in the random worlds, real models."""
    from specsim.compare import CHAINS, TREES

    blocks = [*_worked(made)]
    if made.worlds:
        blocks += ["", *_random(made, CHAINS), "", *_random(made, TREES)]
    blocks += ["", *_recorded(made)]
    return "\n".join([*blocks, "", *COMPARISON_NOTES])


WORKED_NOTES = (
    "Expected tokens per step, exact; drafts have two tokens below each other: chains",
    "1x1, trees 2x1. Three words: p = 1/2, 1/3, 1/6 and q = 1/4, 1/4, 1/2; two words:",
    "p = 1/3, 2/3 and q = 2/3, 1/3; the same after every prefix.",
    "",
)
COMPARISON_NOTES = (
    "WOR: without replacement. lossy: total variation from the target in the worst of",
    "the default worlds. -: not a shape it takes, or too many drafts to go through.",
    "greedy decodes the target at temperature 0.",
)


def _worked(made: "Comparison") -> Iterator[str]:
    """A line for each rule and kind of draft."""
    from specsim.compare import draft_name, examples

    yield from WORKED_NOTES
    head = "".join(f"{name:>20}" for name in examples())
    yield f"{'rule':22}{'draft':9}{head}  lossy"
    for line in made.lines:
        numbers = "".join(map(_number, line.worked.values()))
        lossy = f"  {float(Fraction(line.rule.bias)):.4f}" if line.rule.lossy else ""
        yield f"{line.rule.name:22}{draft_name(line.kind):9}{numbers}{lossy}"


def _number(value: Fraction) -> str:
    """Four decimals, after the fraction where that is short enough to read."""
    short = str(value) if value.denominator < 10**6 else ""
    return f"{short:>13}{float(value):7.4f}"


def _random(made: "Comparison", shapes: "tuple[Branching, ...]") -> Iterator[str]:
    """Budgets side by side, each with a column for every acceptance."""
    from specsim.compare import CHAINS, draft_name, shape_name
    from specsim.rules import CHAIN

    rates = "".join(f"{rate:6.2f}" for rate in made.acceptance)
    width = len(rates) + 2
    yield (
        f"Mean of {made.worlds} random worlds of {made.vocab} words, seed {made.seed}; "
        "columns: acceptance, sum of min(p, q)"
    )
    yield f"{'':31}" + "".join(f"{shape_name(shape):^{width}}" for shape in shapes)
    yield f"{'rule':22}{'draft':9}" + f"  {rates}" * len(shapes)
    for line in made.lines:
        if (line.rule.shape == CHAIN) == (shapes == CHAINS):
            means = [line.random.get(shape, []) for shape in shapes]
            cells = ["".join(f"{mean:6.3f}" for mean in each) for each in means]
            numbers = "".join(f"{cell or '-':>{width}}" for cell in cells)
            yield f"{line.rule.name:22}{draft_name(line.kind):9}{numbers}"


RECORDED_NOTES = (
    "Steps recorded of real models: tokens a step that the rule emits on the drafts",
    "made there, mean over its luck (docs/generate.md).",
)


def _recorded(made: "Comparison") -> Iterator[str]:
    """A column for each record, then what each is of."""
    from specsim.compare import draft_name

    records = made.as_dict()["recorded"]
    yield from RECORDED_NOTES
    yield f"{'rule':22}{'draft':9}" + "".join(f"{of['name']:>24}" for of in records)
    for line in made.lines:
        if line.recorded:
            means = (line.recorded.get(of["name"]) for of in records)
            cells = (f"{'-' if mean is None else f'{mean:.2f}':>24}" for mean in means)
            yield f"{line.rule.name:22}{draft_name(line.kind):9}{''.join(cells)}"
    for of in records:
        yield (
            f"{of['name']}: {of['model']}, {of['drafter']}, {of['drafted']:.1f} tokens "
            f"drafted a step, temperature {of['temperature']:g}, {of['blocks']} steps"
        )


def mutants_rows() -> list[Row]:
    from specsim.oracle.mutants.table import table

    return [asdict(planted) for planted in table()]


def mutants_text() -> str:
    from specsim.oracle.mutants.table import counted, table

    lines = []
    for row in table():
        what = f"{row.level:9}{row.tier:14}{row.kind}"
        lines.append(f"{row.name:40} {what}")
        lines.append(f"    {row.where}: {' '.join(row.line.split())}")
        lines += [f"    seen in {', '.join(row.reports)}"] if row.reports else []
    counts = ", ".join(f"{n} {level}" for level, n in counted(table()).items())
    return "\n".join([*lines, "", f"{len(table())} mutants: {counts}"])


TABLES: dict[str, tuple[Callable[[], list[Row]], Callable[[], str]]] = {
    "rules": (rules_rows, rules_text),
    "drafters": (drafters_rows, drafters_text),
    "mutants": (mutants_rows, mutants_text),
    "models": (models_rows, models_table),
    "gpus": (gpus_rows, gpus_table),
}
