"""What each kind of training makes of its task: weights to begin with, and a loss."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from specsim import pretrained, seam
from specsim.errors import Bad
from specsim.pretrained import Pretrained
from specsim.roofline.fields import Fields
from specsim.training import shapes
from specsim.training.base import Base, tensors
from specsim.training.memory import Memory
from specsim.training.options import Options
from specsim.training.words import Words
from specsim.weights import Array

Tensor = Any
Tensors = Mapping[str, Tensor]
Shapes = Mapping[str, tuple[int, ...]]
PLACES = 32
SLOW = 0.25
"""The learning rate of a target that is trained with its heads, compared with theirs"""


class Task(NamedTuple):
    """What is asked for: whom to draft for, on what text, how, and where.

    memory: of what the target read, if it is to be remembered.
    """

    target: Pretrained
    text: Tensor
    options: Options
    device: str
    memory: Memory | None = None

    def base(self) -> Base:
        """The target, which does not learn."""
        return Base(self.target, self.device, self.memory)

    def words(self) -> Words:
        """Those that the draft is to know."""
        size, most = self.target.config.vocab, self.options.vocabulary
        return Words(self.text, size, most, self.device)


class Part(NamedTuple):
    """A file of what was trained: what its name ends in, its weights, its header.

    settled: tensors that were there before, kept as they are.
    """

    ending: str
    names: list[str]
    metadata: dict[str, str]
    settled: Mapping[str, Array] = {}


class Made(NamedTuple):
    """A run to be. The loss is of weights, a batch (B, n + 1), and the step.

    texts: trained on in turn. slow: see gpu/train/loop. learnt: what the header says of
    the weights in the end.
    """

    weights: Tensors
    loss: Callable[[Tensors, Tensor, int], Tensor]
    parts: list[Part]
    texts: list[Tensor]
    slow: Mapping[str, float] = {}
    learnt: Callable[[Tensors], dict[str, str]] = lambda weights: {}


class Kind(NamedTuple):
    """What makes the run; how long and how fast it learns, if nothing is said."""

    make: Callable[[Task], Made]
    steps: int
    rate: float


def target(task: Task) -> Made:
    """A language model from nothing, of the target's shape or another."""
    config, begun, part = _model(task, shapes.described(task.target.config))
    loss = seam.gpu("train.language").loss

    def foretold(weights: Tensors, tokens: Tensor, step: int) -> Tensor:
        return loss(config, weights, tokens)

    return Made(begun, foretold, [part], [task.text])


def draft(task: Task) -> Made:
    """A model that learns the target's rows, on the target's own text too if asked."""
    config, begun, part = _model(task, shapes.DRAFT)
    base, options = task.base(), task.options
    loss = seam.gpu("train.distill").loss

    def taught(weights: Tensors, tokens: Tensor, step: int) -> Tensor:
        logits = base.logits(base.hidden(tokens))
        how = options.divergence, options.temperature
        return loss(config, weights, tokens, logits, *how)

    texts = [task.text]
    if options.sampled:
        texts.append(base.written(task.text, options))
    return Made(begun, taught, [part], texts)


def medusa(task: Task) -> Made:
    """Heads; with `joint` the target as well, in a file of its own."""
    base, options, words = task.base(), task.options, task.words()
    objective, features = seam.gpu("train.medusa"), seam.gpu("train.causal").features
    shapes_of = seam.reference("model.medusa").shapes
    needed = shapes_of(base.config, options.heads, len(words))
    begun = objective.initial(needed, words.rows(base.head))
    parts = [Part("", [*begun], {}, words.settled)]

    def alone(weights: Tensors, tokens: Tensor, step: int) -> Tensor:
        return objective.loss(weights, base.hidden(tokens, 1), words.labels(tokens))

    def together(weights: Tensors, tokens: Tensor, step: int) -> Tensor:
        share = objective.share(step, options.steps // 2)
        labels = words.labels(tokens)
        return objective.joint_loss(base.config, weights, tokens, labels, share)

    def learnt(weights: Tensors) -> dict[str, str]:
        tokens = _here_and_there(task.text, options).to(task.device)
        learnt_too = {**base.weights, **weights}
        hidden = (
            features(base.config, learnt_too, tokens[:, :-1])
            if options.joint
            else base.hidden(tokens, 1)
        )
        rates = objective.accuracies(weights, hidden, words.labels(tokens))
        return {"rates": json.dumps(rates.tolist())}

    if not options.joint:
        return Made(begun, alone, parts, [task.text], {}, learnt)
    header = {"config": json.dumps(shapes.described(base.config))}
    parts = [Part(".target", [*base.weights], header), *parts]
    begun, slow = {**begun, **base.weights}, dict.fromkeys(base.weights, SLOW)
    return Made(begun, together, parts, [task.text], slow, learnt)


def eagle(task: Task) -> Made:
    """A layer on the target's features."""
    base, words, objective = task.base(), task.words(), seam.gpu("train.eagle")
    layer = replace(task.target.config, input_norm=False)
    luck = partial(seam.gpu("train.luck").luck, "noise", task.options.seed)
    ends = objective.Ends(base.weights, words.rows(base.head))

    def loss(weights: Tensors, tokens: Tensor, step: int) -> Tensor:
        seen = base.hidden(tokens)
        how = luck(step), task.options.cross_entropy
        return objective.loss(layer, weights, ends, tokens, seen, *how)

    needed = seam.reference("model.eagle").shapes
    return _on_features(task, needed, loss, words.settled)


def mtp(task: Task) -> Made:
    """A module for one token further."""
    base, objective = task.base(), seam.gpu("train.mtp")

    def loss(weights: Tensors, tokens: Tensor, step: int) -> Tensor:
        hidden = base.hidden(tokens, 1)
        return objective.loss(base.config, weights, base.weights, tokens, hidden)

    return _on_features(task, seam.reference("model.mtp").shapes, loss)


KINDS = {
    "draft": Kind(draft, 2400, 3e-3),
    "medusa": Kind(medusa, 1000, 5e-3),
    "eagle": Kind(eagle, 1600, 3e-3),
    "mtp": Kind(mtp, 1600, 3e-3),
    "target": Kind(target, 3200, 3e-3),
}


def _here_and_there(text: Tensor, options: Options) -> Tensor:
    """Windows of the text, evenly apart: (at most PLACES, length + 1); those that were
    trained on, where the target remembers them.
    """
    length = options.length
    apart = max((len(text) - length - 1) // (PLACES - 1), 1)
    if options.remember:
        apart = max(apart - apart % length, length)
    return text.unfold(0, length + 1, apart)[:PLACES].long()


def _on_features(
    task: Task,
    needed: Callable[[Any], Shapes],
    loss: Any,
    settled: Mapping[str, Array] = {},
) -> Made:
    initial = seam.gpu("train.causal").initial
    begun = initial(needed(task.target.config), task.options.seed)
    return Made(begun, loss, [Part("", [*begun], {}, settled)], [task.text])


def _model(task: Task, shape: Mapping[str, Any]) -> tuple[Any, Tensors, Part]:
    """A model from nothing, or the draft to go on from: config, weights, file."""
    options, vocab = task.options, task.target.config.vocab
    if options.start is not None:
        config, arrays = pretrained.load(options.start)
        if config.vocab != vocab:
            raise Bad(f"{options.start}: has {config.vocab} tokens, the target {vocab}")
        begun = tensors(arrays)
    else:
        given = {**(options.shape or shape), "vocab_size": vocab}
        config = pretrained.config(Fields(Path("shape"), given))
        needed = seam.reference("model.transformer").shapes(config)
        begun = seam.gpu("train.causal").initial(needed, options.seed)
    header = {"config": json.dumps(shapes.described(config))}
    return config, begun, Part("", [*begun], header)
