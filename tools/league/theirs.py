"""Transformers on the same weights: plain, assisted, and prompt lookup."""

from collections.abc import Iterator
from dataclasses import asdict
from functools import cache
from typing import Any

import torch
from transformers import LlamaConfig, LlamaForCausalLM, StoppingCriteria

from specsim import pretrained
from specsim.errors import Bad
from specsim.generation import clock
from specsim.generation.prediction import fields
from specsim.generation.run import Run
from tools.league.cells import PLAIN, Cell, Method, Place
from tools.league.ours import plain, token_ms
from tools.league.subject import NEW, K, Subject

THEIRS = "transformers"
NUMBERS = {"fp32": torch.float32, "bf16": torch.bfloat16}
ASSISTED, LOOKUP = "draft-model", "prompt-lookup"


def methods(subject: Subject) -> Iterator[Method]:
    """In both formats; assisted where there is a draft model."""
    names = [PLAIN, LOOKUP, *([ASSISTED] if subject.draft else [])]
    for name in names:
        for numbers in NUMBERS:
            yield Method(THEIRS, name, numbers)


class Beside(StoppingCriteria):
    """Stops never. Told of each step, it lets a run of ours catch up, and takes the
    time of that off theirs; what comes before the first step is their prompt.
    """

    def __init__(self, run: Iterator[Run], prompt: int):
        self._runs, self._prompt = run, prompt
        self.run, self.first = next(run), 0
        self.since, self.away = 0.0, 0.0

    def __call__(self, input_ids: Any, scores: Any, **others: Any) -> Any:
        entered, said = clock.now(), input_ids.shape[1] - self._prompt
        while len(self.run.emitted) < said and next(self._runs, None):
            pass
        left = clock.now()
        if not self.first:
            self.first, self.since = said, left
        else:
            self.away += left - entered
        return torch.zeros(len(input_ids), dtype=torch.bool)


def measured(subject: Subject, prompt: str, place: Place, method: Method) -> Cell:
    """Beside plain decoding of ours; their tokens after those of the first step."""
    scene = plain(subject, prompt, place)
    ids = torch.tensor([scene.request.prompt])
    beside = Beside(scene.plodding(NEW), ids.shape[1])
    torch.manual_seed(0)
    made = model(subject, False, method.numbers).generate(
        ids,
        attention_mask=torch.ones_like(ids),
        max_new_tokens=NEW,
        stopping_criteria=[beside],
        **_drawing(place.temperature),
        **_drafting(subject, method),
    )
    taken = clock.now() - beside.since - beside.away
    count = made.shape[1] - ids.shape[1] - beside.first
    token, base = 1000 * taken / count, token_ms(beside.run)
    return Cell(place, method, token, base, [base / token])


def _drawing(temperature: float) -> dict[str, Any]:
    """Filters are off, as in ours."""
    if not temperature:
        return {"do_sample": False}
    return {"do_sample": True, "temperature": temperature, "top_k": 0, "top_p": 1.0}


def _drafting(subject: Subject, method: Method) -> dict[str, Any]:
    """As many tokens drafted as ours; all else is as it comes."""
    if method.name == LOOKUP:
        return {"prompt_lookup_num_tokens": K}
    if method.name == PLAIN:
        return {}
    draft = model(subject, True, method.numbers)
    draft.generation_config.num_assistant_tokens = K
    draft.generation_config.num_assistant_tokens_schedule = "constant"
    return {"assistant_model": draft}


@cache
def model(subject: Subject, draft: bool, numbers: str) -> Any:
    """Their Llama of the same weights; no token ends a text."""
    stored = subject.draft if draft else subject.target
    if stored is None:
        raise Bad("there is no draft model")
    made: Any = LlamaForCausalLM(described(stored))
    made.to(NUMBERS[numbers])
    arrays = {name: torch.from_numpy(array) for name, array in stored.arrays.items()}
    missing, spare = made.load_state_dict(arrays, strict=False)
    if spare or {*missing} - {"lm_head.weight"}:
        raise Bad(f"transformers wants other tensors: {missing}, not {spare}")
    made.tie_weights()
    made.generation_config.eos_token_id = None
    made.generation_config.pad_token_id = 0
    return made.eval()


def described(stored: pretrained.Pretrained) -> LlamaConfig:
    """The shape in their words."""
    config = stored.config
    if config.qkv_bias or config.qk_norm or config.scaling:
        raise Bad("transformers is compared on plain Llamas: give another target")
    return LlamaConfig(
        **fields(asdict(config)),
        rms_norm_eps=config.eps,
        rope_parameters={"rope_type": "default", "rope_theta": config.theta},
        max_position_embeddings=4096,
        bos_token_id=None,
        eos_token_id=None,
        pad_token_id=None,
    )
