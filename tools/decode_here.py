"""A real transformer on this machine, its decode step measured and predicted.

A Llama of random weights (492 million) decodes greedily with torch, in fp32 and in
bf16. In the same rounds the probes of `specsim calibrate` are timed, and the rows they
give predict the step: interleaved, both see the same machine, whatever else runs on it.

    python -m tools.decode_here [--threads 1] [--seconds 40]
"""

import argparse
import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch.nn import functional

from specsim.progress import Progress
from specsim.roofline.calibration import rounds, rows
from specsim.roofline.calibration.bench import bench
from specsim.roofline.calibration.kernels import measured
from specsim.roofline.calibration.probes import Point, Probe, Work
from specsim.roofline.calibration.rounds import Say
from specsim.roofline.prediction import Prediction, predict

CONFIG: dict[str, Any] = {
    "model_type": "llama",
    "hidden_size": 2048,
    "intermediate_size": 5632,
    "num_hidden_layers": 8,
    "num_attention_heads": 16,
    "num_key_value_heads": 4,
    "vocab_size": 32000,
    "tie_word_embeddings": False,
}
FORMATS = {"fp32": torch.float32, "bf16": torch.bfloat16}
CONTEXT, MOST = 128, 192
OF = "attention", "key_value"
WIDTH = CONFIG["hidden_size"] // CONFIG["num_attention_heads"]
EPSILON = 1e-5

Layer = dict[str, torch.Tensor]


class Llama:
    """Decodes one token at a time, with a cache of fixed size."""

    def __init__(self, config: dict[str, Any], form: str) -> None:
        self.form, self.config = form, config
        hidden, inner = config["hidden_size"], config["intermediate_size"]
        kv = config["num_key_value_heads"] * WIDTH
        self.layers = [
            {
                "qkv": self._matrix(hidden + 2 * kv, hidden),
                "o": self._matrix(hidden, hidden),
                "gate_up": self._matrix(2 * inner, hidden),
                "down": self._matrix(hidden, inner),
                "norm": torch.ones(2, hidden, dtype=FORMATS[form]),
                "cache": self._matrix(2 * config["num_key_value_heads"] * MOST, WIDTH),
            }
            for _ in range(config["num_hidden_layers"])
        ]
        self.embedding = self._matrix(config["vocab_size"], hidden)
        self.head = self._matrix(config["vocab_size"], hidden)
        self.norm = torch.ones(hidden, dtype=FORMATS[form])
        self.turns = self._rotations()
        self.token, self.at = torch.tensor([0]), CONTEXT

    def _matrix(self, rows: int, columns: int) -> torch.Tensor:
        return torch.empty(rows, columns, dtype=FORMATS[self.form]).uniform_(
            -0.04, 0.04
        )

    def _rotations(self) -> torch.Tensor:
        """Cosine and sine for every position (2, MOST, WIDTH)."""
        rates = 10000 ** (-torch.arange(0, WIDTH, 2) / WIDTH)
        angles = torch.outer(torch.arange(MOST), rates).repeat(1, 2)
        return torch.stack([angles.cos(), angles.sin()]).to(FORMATS[self.form])

    def step(self) -> int:
        """The next token, greedily; after MOST tokens of context back to CONTEXT."""
        state = self.embedding[self.token]
        for layer in self.layers:
            state = state + self._attention(layer, self._norm(state, layer["norm"][0]))
            state = state + self._mlp(layer, self._norm(state, layer["norm"][1]))
        logits = functional.linear(self._norm(state, self.norm), self.head)
        self.token = logits.argmax(-1)
        self.at = self.at + 1 if self.at + 1 < MOST else CONTEXT
        return int(self.token)

    def _norm(self, state: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
        return functional.rms_norm(state, (state.shape[-1],), scale, EPSILON)

    def _rotated(self, heads: torch.Tensor) -> torch.Tensor:
        cosine, sine = self.turns[:, self.at]
        first, second = heads.chunk(2, -1)
        turned: torch.Tensor = heads * cosine + torch.cat((-second, first), -1) * sine
        return turned

    def _attention(self, layer: Layer, x: torch.Tensor) -> torch.Tensor:
        heads, groups = (self.config[f"num_{of}_heads"] for of in OF)
        keys, values = layer["cache"].view(2, groups, MOST, WIDTH)
        projected = functional.linear(x, layer["qkv"]).view(-1, WIDTH)
        query, key, value = projected.tensor_split([heads, heads + groups])
        keys[:, self.at], values[:, self.at] = self._rotated(key), value
        found = functional.scaled_dot_product_attention(
            self._rotated(query)[None, :, None],
            keys[None, :, : self.at + 1],
            values[None, :, : self.at + 1],
            enable_gqa=True,
        )
        return functional.linear(found.reshape(1, -1), layer["o"])

    def _mlp(self, layer: Layer, x: torch.Tensor) -> torch.Tensor:
        gate, up = functional.linear(x, layer["gate_up"]).chunk(2, -1)
        return functional.linear(functional.silu(gate) * up, layer["down"])


@dataclass(frozen=True)
class Outcome:
    """A step as measured, seconds, and as predicted."""

    measured: Point
    predicted: Prediction

    @property
    def inside(self) -> bool:
        """Whether the measured step lies in the predicted interval."""
        low, high = self.predicted.low_ms, self.predicted.high_ms
        return low <= 1e3 * self.measured.seconds <= high

    def text(self) -> str:
        """One line."""
        made, seen = self.predicted, self.measured
        return (
            f"{seen.work.format}: measured {1e3 * seen.seconds:.1f} ms a step "
            f"({1e3 * seen.low:.1f} to {1e3 * seen.high:.1f}), predicted "
            f"{made.step_ms:.1f} ms ({made.low_ms:.1f} to {made.high_ms:.1f}), "
            f"{made.step_ms / seen.seconds / 1e3 - 1:+.1%}; at the bandwidth of memory "
            f"it would take {made.ideal_ms:.1f} ms"
        )


def outcomes(threads: int, seconds: float, say: Say) -> Iterator[Outcome]:
    """Both formats; the probes' rows are all that the predictions know."""
    here = bench("cpu", threads)
    with here.ready():
        steps = [_step(form) for form in FORMATS]
        probes = [*here.probes(), *steps]
        samples = rounds.sample(probes, here.clock, seconds, say)
    last = len(probes) - len(steps)
    found = rows.found(probes[:last], samples[:, :last])
    card = rows.card(found, here.row)
    machine = measured(card, rows.kernels(found, card))
    with written(CONFIG) as model:
        for point in rounds.points(steps, samples[:, last:]):
            context, form = (CONTEXT + MOST) // 2, point.work.format
            made = predict(model, machine, context=context, weights=form, kv=form)
            yield Outcome(point, made)


def _step(form: str) -> Probe:
    llama = Llama(CONFIG, form)
    return Probe(Work("step", form, 1, 0, 0, 0), lambda _: llama.step())


@contextmanager
def written(config: dict[str, Any]) -> Iterator[str]:
    """The path of its config.json."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "config.json")
        file.write_text(json.dumps(config))
        yield str(file)


def main() -> None:
    """Measure, predict, say."""
    asked = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    asked.add_argument("--threads", type=int, default=1)
    asked.add_argument("--seconds", type=float, default=40.0)
    args = asked.parse_args()
    with Progress() as say:
        found = list(outcomes(args.threads, args.seconds, say))
    for outcome in found:
        print(outcome.text(), "" if outcome.inside else "OUTSIDE")


if __name__ == "__main__":
    main()
