"""Record steps of real models: python -m tools.league.rows [--target F --eagle F ...]

Writes specsim/data/rows/NAME.safetensors. Of the prompts of the league, at temperature
0.7, every so-manieth step is kept. Tokens that all rows of a step agree are rare, a
hundredth of each at most, become one: that moves what a rule keeps by less than is
printed, the greatest difference of the means from those with all words, rule by rule.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from specsim import drafters, recorded, seam, weights
from specsim.generation import drafting
from specsim.generation.models import Part
from specsim.generation.scene import Scene
from specsim.recorded import Block, Recorded
from specsim.rules import RULES
from specsim.seam import proposal, randomness
from tools.league.prompts import prompts
from tools.league.subject import Subject, subject

TEMPERATURE, RARE = 0.7, 0.01
EACH, EVERY = 3, 3
"""Blocks of each prompt, and of how many steps one is kept."""
COINS = 100
"""How often each rule judges a block, to compare."""
DEPTHS = {"draft-model": 4, "prompt-lookup": 4, "eagle": 2, "mtp": 4}
"""Drafters, and how deep they draft."""


def steps(scene: Scene, k: int) -> Iterator[Block]:
    """Of the decode loop, as the rule was shown them; those that drafted nothing are
    left out.
    """
    seen: list[Block] = []
    verify = scene.rule.verify

    def heard(p: Any, drafted: proposal.Proposal, source: Any) -> list[int]:
        seen.append(Block(p, drafted))
        return verify(p, drafted, source)

    asked = scene.request
    drafter = drafting.made(scene.drafter, scene.rule, scene.models, asked)
    sampled = seam.reference("model.sampled").Sampled
    target = sampled(scene.models.target.fresh(), asked.sampling, len(asked.prompt))
    for _ in seam.reference("decode").decode(
        target,
        drafter,
        heard,
        asked.prompt,
        k=k,
        luck=lambda number, position: randomness.keyed(asked.seed, 0, number),
        max_tokens=asked.most,
    ):
        if (block := seen.pop()).drafted.tokens:
            yield block


def narrowed(block: Block) -> Block:
    """Words that are rare in all rows made one, the last."""
    p, drafted = block.p, block.drafted
    rows = p if drafted.q is None else np.vstack([p, drafted.q])
    order = np.argsort(-rows, axis=-1, kind="stable")
    below = np.cumsum(np.take_along_axis(rows, order, -1), -1) < 1 - RARE
    often = np.zeros(rows.shape[-1], np.bool_)
    for ranked, counts in zip(order, below.sum(-1) + 1, strict=True):
        often[ranked[:counts]] = True
    often[drafted.tokens] = True
    words = np.flatnonzero(often)

    def fewer(rows: Any) -> Any:
        rest = rows[:, ~often].sum(-1, keepdims=True)
        return np.hstack([rows[:, words], rest])

    tokens = np.searchsorted(words, drafted.tokens).tolist()
    q = None if drafted.q is None else fewer(drafted.q)
    return Block(fewer(p), drafted._replace(tokens=tokens, q=q))


def save(file: Path, made: Recorded) -> None:
    """In fp16."""
    arrays: dict[str, Any] = {}
    for number, block in enumerate(made.blocks):
        drafted = block.drafted
        arrays[f"{number}.tokens"] = np.array(drafted.tokens, np.int32)
        arrays[f"{number}.parents"] = np.array(drafted.parents, np.int32)
        arrays[f"{number}.p"] = np.asarray(block.p, np.float16)
        if drafted.q is not None:
            arrays[f"{number}.q"] = np.asarray(drafted.q, np.float16)
    said = {
        "model": made.model,
        "drafter": made.drafter.name,
        "temperature": f"{made.temperature:g}",
        "blocks": str(len(made.blocks)),
    }
    weights.save(file, arrays, said)


def apart(whole: Recorded, stored: Recorded) -> float:
    """The greatest difference it makes to a rule, in tokens a block."""
    return max(
        abs(
            recorded.tokens_per_block(rule, whole, COINS)
            - recorded.tokens_per_block(rule, stored, COINS)
        )
        for rule in RULES.values()
        if stored.takes(rule) and whole.takes(rule)
    )


def record(made: Subject, drafter: str) -> Iterator[Block]:
    """A few steps of each prompt."""
    for prompt in prompts():
        scene = made.scene(drafter, prompt.text, TEMPERATURE)
        found = [*steps(scene, DEPTHS[drafter])]
        yield from found[::EVERY][:EACH]


def main(given: Sequence[str] | None = None) -> None:
    """Every drafter that is named here and there is, of one model."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--model", default="embedded")
    parser.add_argument("--drafters", nargs="+", default=["draft-model", "eagle"])
    for name in ("target", "eagle", "medusa"):
        parser.add_argument(f"--{name}", type=Path)
    args = parser.parse_args(given)
    parts: dict[Part, Path] = {"eagle": args.eagle} if args.eagle else {}
    made = subject(args.model, args.target, parts)
    for name in args.drafters:
        blocks = [*record(made, name)]
        file = recorded.FOLDER / f"{args.model}-{name}.safetensors".lower()
        row = drafters.named(name)
        whole = Recorded(file.stem, args.model, row, TEMPERATURE, blocks)
        few = [*map(narrowed, blocks)]
        save(file, Recorded(file.stem, args.model, row, TEMPERATURE, few))
        off = apart(whole, recorded.load(file))
        size = file.stat().st_size
        print(f"{file.name}: {len(blocks)} blocks, {size:,} bytes, off by {off:.4f}")


if __name__ == "__main__":
    main()
