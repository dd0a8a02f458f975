"""The exact law of a whole engine: p(next token | prompt, what was emitted, request).

The reference transformer in float64, then penalties and filters of reference/logits in
the engine's own order. Rows are remembered by prefix, and missing ones are worked out
many at a time, as nodes of one tree on top of the prompt.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from specsim import seam
from specsim.errors import Bad
from specsim.oracle.endtoend.request import NAMES, Request
from specsim.oracle.exact import Tokens
from specsim.pretrained import Pretrained
from specsim.roofline.fields import short

Array = NDArray[Any]
Key = tuple[Any, ...]

ROUNDING = 1e-4
"""Nats by which 32-bit floats may move a logit of the probe: twenty times what was seen
of engines that compute in them."""
TOGETHER = 64
"""Nodes in one pass: more cost more than they save."""


class Order(NamedTuple):
    """In which order an engine shapes a row after penalties.

    counts_prompt: whether presence and frequency penalties count the prompt as well.
    signed:        whether they are added to logits below 0, as OpenVINO GenAI has them:
                   documented to reduce what is said in "absolute log prob".
    """

    steps: tuple[str, ...]
    counts_prompt: bool = False
    signed: bool = False


ORDERS = {
    "transformers": Order(("temperature", "top_k", "top_p", "min_p")),
    "vllm": Order(("temperature", "min_p", "top_k", "top_p")),
    "llama.cpp": Order(("top_k", "top_p", "min_p", "temperature"), True),
    "mlx": Order(("top_p", "min_p", "top_k", "temperature"), True),
    "openvino": Order(("temperature", "top_p", "top_k", "min_p"), signed=True),
}
"""What is known of engines; see the head of reference/logits.py."""


class Row(NamedTuple):
    """What may come after a prefix.

    p:        (V,) the exact row.
    logits:   (V,) after penalties, before temperature and filters.
    possible: (V,) the tokens that rounding could let through the filters.
    settled:  whether rounding can change none of that.
    """

    p: Array
    logits: Array
    possible: Array
    settled: bool


class Law:
    """The rows of a model for every request, to be asked with prefixes.

    order:    the engine's, one of ORDERS.
    rounding: nats by which the engine may move a logit. A token outside the filters is
              held impossible only if it stays outside though its logit, and all lower
              ones, rise by twice that against the others.
    """

    def __init__(self, model: Pretrained, order: str, rounding: float = ROUNDING):
        if order not in ORDERS:
            raise Bad(f"order {short(order)}: choose from {', '.join(ORDERS)}")
        self.order, self.rounding = ORDERS[order], rounding
        self.vocab = model.config.vocab
        arrays = {k: v.astype(np.float64) for k, v in model.arrays.items()}
        transformer = seam.reference("model.transformer").Transformer
        self._network = transformer(model.config, arrays)
        self._after: dict[Tokens, Any] = {}
        self._logits: dict[tuple[Tokens, Tokens], Array] = {}
        self._rows: dict[tuple[Key, Tokens], Row] = {}

    def rows(self, request: Request, prefixes: Iterable[Tokens]) -> list[Row]:
        """One for each prefix: the tokens emitted before."""
        asked, which = [*prefixes], _essence(request)
        missing = [*dict.fromkeys(p for p in asked if (which, p) not in self._rows)]
        if missing:
            self._read(request.prompt, missing)
            made = self._processed(request, missing)
            self._rows.update(zip([(which, p) for p in missing], made, strict=True))
        return [self._rows[which, prefix] for prefix in asked]

    def row(self, request: Request, prefix: Tokens) -> Row:
        return self.rows(request, [prefix])[0]

    def allow(self, rounding: float) -> None:
        """From now on the engine may move logits so far."""
        if rounding != self.rounding:
            self.rounding = rounding
            self._rows.clear()

    def _read(self, prompt: Tokens, prefixes: Sequence[Tokens]) -> None:
        """Work out the logits after these prefixes, where they are not known."""
        unknown = sorted(p for p in prefixes if (prompt, p) not in self._logits)
        for nodes in _trees(unknown):
            tokens = [prefix[-1] for prefix in nodes if prefix]
            parents = [nodes[prefix[:-1]] for prefix in nodes if prefix]
            logits, _ = self._network_after(prompt).extend(tokens, parents)
            self._network_after(prompt).keep([])
            for prefix, row in zip(nodes, logits, strict=True):
                self._logits[prompt, prefix] = row

    def _network_after(self, prompt: Tokens) -> Any:
        if prompt not in self._after:
            network = self._network.fresh()
            network.extend(prompt, range(-1, len(prompt) - 1))
            network.keep(range(len(prompt)))
            self._after[prompt] = network
        return self._after[prompt]

    def _processed(self, request: Request, prefixes: Sequence[Tokens]) -> list[Row]:
        softmax = seam.reference("logits").softmax
        logits = np.array([self._penalised(request, prefix) for prefix in prefixes])
        odds = softmax(self._shaped(logits, request))
        possible = np.ones(odds.shape, dtype=bool)
        settled = np.ones(len(odds), dtype=bool)
        if request.temperature == 0 or request.changed & {"top_k", "top_p", "min_p"}:
            r = request.repetition_penalty
            shift = 2 * self.rounding * max(r, 1 / r)
            possible = self._survives(logits, request, shift)
            sure = self._survives(logits, request, -shift)
            settled = (possible == sure).all(-1)
        made = zip(odds, logits, possible, settled.tolist(), strict=True)
        return [Row(*each) for each in made]

    def _penalised(self, request: Request, prefix: Tokens) -> Array:
        """The logits (V,) after bias and penalties."""
        penalties, text = seam.reference("penalties"), (*request.prompt, *prefix)
        logits = self._logits[request.prompt, prefix]
        logits = penalties.bias(logits, request.logit_bias)
        repetition = request.repetition_penalty
        logits = penalties.repetition_penalty(logits, text, repetition)
        counted = text if self.order.counts_prompt else prefix
        for amounts in (request.presence_penalty, 0), (0, request.frequency_penalty):
            penalised = penalties.presence_frequency(logits, counted, *amounts)
            mirrored = self.order.signed & (logits < 0)
            logits = np.where(mirrored, 2 * logits - penalised, penalised)
        return np.asarray(logits)

    def _shaped(self, logits: Array, request: Request) -> Array:
        """Temperature and filters, (..., V) in and out."""
        steps = seam.reference("logits")
        for name in self.order.steps:
            step = steps.temper if name == "temperature" else getattr(steps, name)
            logits = step(logits, getattr(request, name))
        return logits

    def _survives(self, logits: Array, request: Request, shift: float) -> Array:
        """Whether each token passes though it and all lower ones move so (B, V)."""
        lower = logits[:, None, :] <= logits[:, :, None]
        kept = np.isfinite(self._shaped(logits[:, None, :] + shift * lower, request))
        return np.asarray(np.diagonal(kept, axis1=1, axis2=2))


def _essence(request: Request) -> Key:
    """All of it that the law depends on."""
    fields = (getattr(request, name) for name in NAMES if name != "logit_bias")
    return request.prompt, tuple(request.logit_bias.items()), *fields


def _trees(prefixes: Sequence[Tokens]) -> Iterator[dict[Tokens, int]]:
    """Prefixes and all that they begin with, the empty one first, by number of node."""
    nodes: dict[Tokens, int] = {(): -1}
    for prefix in prefixes:
        for length in range(1, len(prefix) + 1):
            nodes.setdefault(prefix[:length], len(nodes) - 1)
        if len(nodes) > TOGETHER:
            yield nodes
            nodes = {(): -1}
    if len(nodes) > 1 or () in prefixes:
        yield nodes
