"""Expected tokens per step: worked by hand, in random worlds, as text and as a picture.

The figures of the worked examples follow from closed forms; two more of them, for trees
judged as a whole, are derived in docs/conditional_transport.md.
"""

import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from specsim import compare
from specsim.__main__ import main
from specsim.compare import BUDGETS, MIXES, Comparison
from specsim.errors import Bad
from specsim.oracle.worlds import Branching, World
from specsim.recorded import recorded
from specsim.rules import RULES, Rule, named
from specsim.seam import proposal, randomness, table
from specsim.tables import comparison_text

F = Fraction
ROOT = Path(__file__).parent.parent
FEW = {name: RULES[name] for name in ("greedy", "gumbel", "chain", "recursive")}


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table of four rules, so that comparing them all is quick."""
    monkeypatch.setattr(compare, "RULES", FEW)


@pytest.fixture
def made(few: None) -> Comparison:
    return compare.compare(worlds=1)


@pytest.mark.parametrize(
    ("name", "kind", "tokens"),
    [
        ("sampler_match", "iid", [F(793, 576), F(499, 324), F(133, 81)]),
        ("chain", "iid", [F(19, 9), 3, F(19, 9)]),
        ("block", "iid", [F(13, 6), 3, F(20, 9)]),
        ("gumbel", "coupled", [F(2653, 1296), 3, F(19, 9)]),
        ("target_only", "fixed", [F(16, 9), F(9, 4), F(7, 3)]),
        ("target_only", "iid", [F(15215, 9216), F(611, 324), F(163, 81)]),
        ("recursive", "iid", [F(43, 18), 3, F(62, 27)]),
        ("recursive", "without_replacement", [F(91, 36), 3, F(8, 3)]),
        ("deduplicated", "iid", [F(1351, 576), 3, F(7, 3)]),
        ("traversal", "iid", [F(1385, 576), 3, F(196, 81)]),
        ("traversal", "without_replacement", [F(47, 18), 3, F(25, 9)]),
        ("multi_path_block", "iid", [F(251, 96), F(39, 16), F(212, 81)]),
        ("conditional_transport", "iid", [F(251, 96), 3, F(212, 81)]),
        ("conditional_transport", "hub", [F(49, 18), 3, F(25, 9)]),
        ("greedy_transport", "hub", [F(197, 72), 3, F(25, 9)]),
    ],
)
def test_worked_examples(name: str, kind: Any, tokens: list[Fraction]) -> None:
    rule = named(name)
    assert [compare.worked(rule, kind, each) for each in compare.examples()] == tokens


def test_a_step_emits_a_token_at_least_and_at_most_one_more_than_its_depth(
    rule: Rule,
) -> None:
    model = compare.random_model(seed=1, n=0, vocab=2, mix=MIXES[1])
    for kind in compare.kinds(rule):
        shapes = compare.affordable(rule, kind, 2)
        assert shapes
        for shape in shapes:
            tokens = compare.tokens_per_step(rule, World("", *model, shape, kind))
            assert 1 <= tokens <= len(shape) + 1


@pytest.mark.parametrize("n", range(4))
def test_mixing_raises_acceptance_by_as_much(n: int) -> None:
    apart = 1 - compare.overlap(compare.random_model(0, n, 3, F(0)))
    for mix in MIXES:
        model = compare.random_model(0, n, 3, mix)
        assert compare.overlap(model) == 1 - (1 - mix) * apart
        tokens = compare.tokens_per_step(named("chain"), World("", *model, (1,)))
        assert tokens == 1 + compare.overlap(model)


@pytest.mark.parametrize("kind", proposal.KINDS)
@pytest.mark.parametrize("vocab", [2, 3])
@pytest.mark.parametrize("shape", [(1,), (2,), (2, 1), (1, 2), (3,)])
def test_drafts_are_counted(shape: Branching, vocab: int, kind: proposal.Kind) -> None:
    rows = table.constant([1] * vocab)

    def draft(source: randomness.Source) -> proposal.Proposal:
        return proposal.draft(rows, shape, source, kind)

    every = {tuple(drafted.tokens) for drafted, _ in randomness.branches(draft)}
    most = compare.drafts(shape, kind, vocab)
    assert most == len(every) or (vocab < max(shape) and most > len(every))


def test_random_worlds_follow_the_seed(few: None, made: Comparison) -> None:
    assert compare.compare(worlds=1) == made
    other = compare.compare(worlds=1, seed=1)
    assert other.acceptance != made.acceptance
    assert [x.worked for x in other.lines] == [x.worked for x in made.lines]


def test_means_are_over_the_worlds(few: None) -> None:
    made = compare.compare(worlds=2)
    line = next(line for line in made.lines if line.rule.name == "recursive")
    for level, mix in enumerate(MIXES):
        models = [compare.random_model(0, n, 3, mix) for n in range(2)]
        each = [
            float(compare.tokens_per_step(line.rule, World("", *model, (2,), "iid")))
            for model in models
        ]
        assert line.random[2,][level] == pytest.approx(np.mean(each))
        overlaps = [float(compare.overlap(model)) for model in models]
        assert overlaps[0] != overlaps[1]
        assert made.acceptance[level] == pytest.approx(np.mean(overlaps))


def test_every_rule_on_every_kind_of_draft_that_differs_to_it(made: Comparison) -> None:
    pairs = [(line.rule.name, line.kind) for line in made.lines]
    assert pairs == [
        *(("greedy", k) for k in ("fixed", "iid", "without_replacement", "hub")),
        *(("gumbel", k) for k in ("fixed", "iid", "coupled")),
        ("chain", "iid"),
        *(("recursive", k) for k in ("iid", "without_replacement")),
    ]
    for line in made.lines:
        assert {*line.random} <= {*BUDGETS[line.rule.shape]}
        assert all(len(means) == len(MIXES) for means in line.random.values())


def test_text_has_each_number_where_it_belongs(made: Comparison) -> None:
    text = comparison_text(made).splitlines()
    found = [" ".join(line.split()) for line in text if line.startswith("recursive ")]
    assert found[0] == "recursive iid 43/18 2.3889 3 3.0000 62/27 2.2963"
    iid = next(x for x in made.lines if (x.rule.name, x.kind) == ("recursive", "iid"))
    means = [f"{mean:.3f}" for shape in ((2,), (2, 1)) for mean in iid.random[shape]]
    assert found[2] == " ".join(["recursive", "iid", *means, "-", "-"])
    chains = [line.split() for line in text if line.startswith("chain ")]
    assert len(chains) == 3
    chain = next(line for line in made.lines if line.rule.name == "chain")
    names = [each.name for each in recorded()]
    kept = [chain.recorded.get(name) for name in names]
    assert any(kept)
    shown = ["-" if mean is None else f"{mean:.2f}" for mean in kept]
    assert chains[-1] == ["chain", "iid", *shown]
    head = next(line.split() for line in text if line.split()[2:] == names)
    assert head == ["rule", "draft", *names]


def test_a_lossy_rule_is_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    rule = named("typical")
    monkeypatch.setattr(compare, "RULES", {rule.name: rule})
    text = comparison_text(compare.compare(worlds=0)).splitlines()
    marked = [line for line in text if line.startswith("typical ")]
    kinds = compare.kinds(rule)
    assert [line.split()[1] for line in marked[: len(kinds)]] == [
        *map(compare.draft_name, kinds)
    ]
    for line in marked[: len(kinds)]:
        assert line.endswith(f"  {float(F(rule.bias)):.4f}")


def test_command_prints_and_writes(
    few: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["list", "rules", "--compare", "--worlds", "0", "--json", "-"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert {*shown} == {
        "vocab", "worlds", "seed", "acceptance", "recorded", "lines",
    }  # fmt: skip
    chain = next(line for line in shown["lines"] if line["rule"] == "chain")
    assert list(chain["worked"].values()) == ["19/9", "3", "19/9"]
    assert chain["random"] == {}
    assert main(["list", "rules", "--compare", "--vocab", "2", "--worlds", "1"]) == 0
    assert "1 random worlds of 2 words" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ("list models --compare", "for rules"),
        ("list rules --plot x.png", "--compare"),
        ("list rules --seed 1", "--compare"),
        ("list rules --compare --vocab 1", "vocab 1: give"),
        ("list rules --compare --worlds -1", "worlds -1: give"),
        ("list rules --compare --seed -1", "seed -1: give"),
    ],
)
def test_bad_usage_is_one_line(
    words: str, hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words.split()) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.count("\n") == 1
    assert hint in shown.err


def test_without_matplotlib_the_mend_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delitem(sys.modules, "specsim.plot", raising=False)
    monkeypatch.delattr("specsim.plot", raising=False)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert main(["list", "rules", "--compare", "--plot", "x.png"]) == 2
    assert "specsim-llm[report]" in capsys.readouterr().err


def test_comparing_loads_nothing_heavy() -> None:
    ours = "specsim.compare, specsim.facts, specsim.tables"
    code = f"import sys, {ours}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True
    )
    heavy = {"torch", "scipy", "matplotlib", "pandas", "statsmodels", "transformers"}
    assert not heavy & {*done.stdout.split()}
    assert "specsim.facts" in done.stdout.split()


def test_picture(made: Comparison, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from specsim import plot

    file = tmp_path / "rules.png"
    plot.draw(made, file)
    assert file.read_bytes().startswith(b"\x89PNG")
    for name, hint in {"no/such/x.png": "No such file", "x.what": "what"}.items():
        with pytest.raises(Bad, match=hint):
            plot.draw(made, tmp_path / name)
    with pytest.raises(Bad, match="--worlds"):
        plot.draw(compare.compare(worlds=0), file)
