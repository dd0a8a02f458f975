"""What an engine can express comes back as it was; what it cannot is refused."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specsim.errors import Bad
from specsim.roofline.configurations import ENGINES, Setup, Tree, emit, gguf, parse
from specsim.roofline.configurations.setup import (
    BRANCHING,
    DRAFTERS,
    MODELLESS,
    SEPARATE,
)
from specsim.roofline.speculation.drafters import DRAFTER_COSTS

T = TypeVar("T")

names = st.from_regex(r"[A-Za-z0-9/.~][\w.\-/ '\"#:{\\=]{0,9}[a-z0-9]", fullmatch=True)


def outcome(call: Callable[..., str], *args: object) -> str | Bad:
    try:
        return call(*args)
    except Bad as error:
        return error


def optional(strategy: st.SearchStrategy[T]) -> st.SearchStrategy[T | None]:
    return st.none() | strategy


@st.composite
def setups(draw: st.DrawFn) -> Setup:
    drafter = draw(st.sampled_from([*DRAFTERS]))
    k = draw(optional(st.integers(1, 60)))
    tree = None
    if k and drafter in BRANCHING and draw(st.booleans()):
        tree = Tree(draw(st.integers(2, 12)), draw(st.integers(k, 4 * k)))
    window = None
    if drafter in MODELLESS and draw(st.booleans()):
        window = tuple(sorted(draw(st.tuples(*[st.integers(1, 30)] * 2))))
    with_model = drafter in SEPARATE or (drafter == "mtp" and draw(st.booleans()))
    return Setup(
        drafter,
        k,
        draw(names) if with_model else None,
        tree,
        window,
        draw(optional(st.floats(0, 1))),
        draw(optional(names)),
        draw(optional(st.integers(1, 64))),
        draw(optional(st.integers(1, 64))),
    )


def kept(setup: Setup, engine: str) -> Setup:
    """What a configuration can say: llama.cpp's files have no owners."""
    if engine != "llamacpp":
        return setup

    def file(name: str | None) -> str | None:
        whole = name is None or gguf.is_repository(name)
        return name if whole else gguf.model(gguf.file(str(name)))

    target, draft_model = file(setup.target), file(setup.draft_model)
    split = setup.tensor_parallel if setup.tensor_parallel != 1 else None
    return replace(setup, target=target, draft_model=draft_model, tensor_parallel=split)


@pytest.mark.parametrize("engine", ENGINES)
@given(setup=setups())
def test_what_is_written_reads_as_it_was(engine: str, setup: Setup) -> None:
    written = outcome(emit, setup, engine)
    if isinstance(written, Bad):
        assert written.args[0].startswith(engine)
        assert "\n" not in written.args[0]
    else:
        again = parse(written, engine)
        assert again == kept(setup, engine)
        assert again.left_out == ()
        assert parse(emit(again, engine), engine) == again


FULL = {
    "vllm": [
        Setup("draft-model", 5, "a/b", target="c/d", tensor_parallel=4),
        Setup("draft-model", 5, "a/b", target="c/d", draft_tensor_parallel=1),
        Setup("eagle", 3, "a/b"),
        Setup("eagle3", 3, "a/b", target="c/d"),
        Setup("mtp", 1),
        Setup("mtp", 2, "a/b"),
        Setup("medusa", 4, "a/b"),
        Setup("dflash", 15, "a/b"),
        Setup("pard", 8, "a/b"),
        Setup("prompt-lookup", 5, window=(2, 4), target="c/d", tensor_parallel=2),
        Setup("suffix", min_probability=0.2),
    ],
    "sglang": [
        Setup("draft-model", 4, "a/b", target="c/d", tensor_parallel=4),
        Setup("eagle", 5, "a/b", Tree(8, 63)),
        Setup("eagle3", 3, "a/b", Tree(4, 15), target="c/d"),
        Setup("eagle3", draft_model="a/b"),
        Setup("mtp", 3),
        Setup("dflash", 15, "a/b"),
        Setup("prompt-lookup", 11, tree=Tree(10, 11), window=(1, 18)),
        Setup("prompt-lookup", 4),
    ],
    "trtllm": [
        Setup("draft-model", 4, "a/b", target="c/d", tensor_parallel=4),
        Setup("eagle3", 6, "a/b", Tree(10, 60)),
        Setup("mtp", 3),
        Setup("mtp"),
        Setup("dflash", 4, "a/b"),
        Setup("pard", 4, "a/b"),
        Setup("prompt-lookup", 3, window=(1, 4)),
        Setup("suffix", 4),
        Setup("suffix", 4, window=(3, 3)),
    ],
    "llamacpp": [
        Setup("draft-model", 8, "d", min_probability=0.75, target="t"),
        Setup("draft-model", 8, "o/d-GGUF:Q8_0", target="o/t-GGUF"),
        Setup("eagle3", 3, "d", target="t", tensor_parallel=2),
        Setup("mtp", 3),
        Setup("dflash", 15, "d"),
        Setup("prompt-lookup", 48, window=(12, 12), target="t"),
    ],
}


@pytest.mark.parametrize(
    ("engine", "setup"),
    [(engine, setup) for engine, many in FULL.items() for setup in many],
)
def test_each_engine_has_words_for_what_it_does(engine: str, setup: Setup) -> None:
    written = emit(setup, engine)
    assert parse(written, engine) == setup
    assert parse(written) == setup  # and it tells whose words they are


@pytest.mark.parametrize(
    ("target", "draft", "said"),
    [
        ("Qwen/Qwen3-8B", "o/head", "-m Qwen3-8B.gguf {} --spec-draft-model head.gguf"),
        ("a/t.gguf", "/d/", "-m a/t.gguf {} --spec-draft-model MODEL.gguf"),
        ("o/t-GGUF", "o/d-gguf:Q8_0", "-hf o/t-GGUF {} --spec-draft-hf o/d-gguf:Q8_0"),
    ],
)
def test_llamacpp_loads_files_or_repositories_of_them(
    target: str, draft: str, said: str
) -> None:
    setup = Setup("eagle3", 3, draft, target=target, tensor_parallel=1)
    written = emit(setup, "llamacpp")
    assert said.format("--spec-type draft-eagle3") in written
    assert "split" not in written


def test_every_drafter_has_a_price() -> None:
    assert set(DRAFTERS) <= set(DRAFTER_COSTS)


def test_a_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "options.yaml"
    file.write_text(emit(FULL["trtllm"][1], "trtllm"))
    assert parse(file) == parse(str(file)) == FULL["trtllm"][1]


@pytest.mark.parametrize(
    ("engine", "setup", "said"),
    [
        ("vllm", Setup("eagle3", 3, "a/b", Tree(4, 9)), "a tree of drafts"),
        ("vllm", Setup("eagle", 3, "a/b", min_probability=0.5), "min_probability"),
        ("vllm", Setup("prompt-lookup"), "say how many"),
        ("sglang", Setup("medusa", 3, "a/b"), "no drafter medusa"),
        ("sglang", Setup("prompt-lookup", 3, window=(2, 4)), "begin the window at 1"),
        ("sglang", Setup("prompt-lookup", 3, tree=Tree(4, 9)), "make k so"),
        ("sglang", Setup("prompt-lookup"), "say how many"),
        (
            "sglang",
            Setup("draft-model", 3, "a/b", draft_tensor_parallel=1),
            "draft_tensor",
        ),
        ("trtllm", Setup("eagle", 3, "a/b"), "no drafter eagle"),
        ("trtllm", Setup("eagle3", 3, "a/b", Tree(2, 9)), "holds 6 nodes"),
        ("trtllm", Setup("draft-model", draft_model="a/b"), "say how many"),
        ("trtllm", Setup("prompt-lookup", 3, window=(2, 4)), "begin the window at 1"),
        ("trtllm", Setup("suffix", 3, window=(2, 4)), "give it as both"),
        ("llamacpp", Setup("eagle3", 3, "a", Tree(2, 4)), "a tree of drafts"),
        ("llamacpp", Setup("prompt-lookup", 3, window=(2, 4)), "give it as both"),
        ("llamacpp", Setup("draft-model", draft_model="a"), "say how many"),
        ("pytorch", Setup("prompt-lookup", 3), "choose from vllm"),
    ],
)
def test_what_an_engine_cannot_express_is_refused_with_the_mend(
    engine: str, setup: Setup, said: str
) -> None:
    with pytest.raises(Bad, match=said) as caught:
        emit(setup, engine)
    assert engine in caught.value.args[0]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"drafter": "magic"}, "drafter 'magic': choose from draft"),
        ({"drafter": "draft-model"}, "name its draft model"),
        ({"drafter": "prompt-lookup", "draft_model": "a"}, "leave the draft model out"),
        ({"drafter": "prompt-lookup", "k": 0}, "k 0: give a whole number from 1"),
        ({"drafter": "prompt-lookup", "k": 10**9}, "from 1 to 1,000"),
        ({"drafter": "prompt-lookup", "k": True}, "k True"),
        ({"drafter": "prompt-lookup", "k": 2.5}, "k 2.5"),
        ({"drafter": "suffix", "k": 3, "tree": Tree(2, 4)}, "leave the tree out"),
        ({"drafter": "mtp", "tree": Tree(2, 4)}, "how deep"),
        ({"drafter": "mtp", "k": 5, "tree": Tree(2, 4)}, "tree.nodes 4: .* from 5"),
        ({"drafter": "mtp", "k": 2, "tree": Tree(1, 4)}, "tree.topk 1"),
        ({"drafter": "mtp", "window": (1, 2)}, "leave the window out"),
        ({"drafter": "prompt-lookup", "window": (3, 2)}, "window 3: .* from 1 to 2"),
        ({"drafter": "suffix", "min_probability": 1.5}, "min_probability 1.5"),
        ({"drafter": "mtp", "target": "--help"}, "target '--help'"),
        ({"drafter": "mtp", "target": "a\nb"}, "on one line"),
        ({"drafter": "mtp", "tensor_parallel": 0}, "tensor_parallel 0"),
    ],
)
def test_a_setup_checks_itself(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(Bad, match=said):
        Setup(**fields)
