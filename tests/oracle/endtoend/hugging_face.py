"""The installed transformers as a whole engine: one request at a time, on CPU."""

from functools import cache
from importlib import import_module
from typing import Any, ClassVar

torch: Any = import_module("torch")
transformers: Any = import_module("transformers")
K = 3


@cache
def model(path: str) -> Any:
    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    made = transformers.AutoModelForCausalLM.from_pretrained(path, dtype=torch.float32)
    made.generation_config.eos_token_id = None
    made.generation_config.pad_token_id = 0
    made.generation_config.num_assistant_tokens = K
    made.generation_config.num_assistant_tokens_schedule = "constant"
    made.generation_config.assistant_confidence_threshold = 0.0
    return made.eval()


class Transformers:
    """`generate`, alone, with an assistant, with prompt lookup, and with the ensemble
    of both models, which is documented as lossy.
    """

    format = "hf"
    modes: ClassVar[dict[str, Any]] = {
        "plain": {},
        "assistant": {"without": ["stop_token_ids"]},
        "lookup": {},
        "ensemble": {"lossy": True},
    }
    surface = frozenset(
        {
            "temperature",
            "top_k",
            "top_p",
            "min_p",
            "repetition_penalty",
            "stop_token_ids",
            "seed",
        }
    )

    def generate(
        self, requests: list[dict[str, Any]], *, mode: str, target: str, draft: str
    ) -> list[dict[str, Any]]:
        big, small = model(target), model(draft)
        ways: dict[str, dict[str, Any]] = {
            "plain": {},
            "assistant": {"assistant_model": small},
            "lookup": {"prompt_lookup_num_tokens": K, "max_matching_ngram_size": 2},
            "ensemble": {"assistant_model": small, "assistant_ensemble_weight": 0.7},
        }
        return [self.answer(big, small, asked, ways[mode]) for asked in requests]

    def answer(
        self, big: Any, small: Any, asked: dict[str, Any], way: dict[str, Any]
    ) -> dict[str, Any]:
        seen = Seen(big)
        torch.manual_seed(asked["seed"])
        prompt = torch.tensor([asked["prompt"]])
        try:
            made = big.generate(
                prompt,
                attention_mask=torch.ones_like(prompt),
                max_new_tokens=asked["max_tokens"],
                eos_token_id=asked["stop_token_ids"] or None,
                repetition_penalty=asked["repetition_penalty"],
                **drawn(asked),
                **way,
            )
        finally:
            seen.close()
        tokens, steps = made[0, prompt.shape[1] :].tolist(), len(seen.fed)
        drafted = sum(seen.fed) - prompt.shape[1] - (steps - 1)
        accepted = max(0, len(tokens) - steps)
        counts = {"drafted": drafted, "accepted": accepted, "steps": steps}
        return {"tokens": tokens, **counts}


class Seen:
    """How many tokens each pass of the target was fed."""

    def __init__(self, big: Any):
        self.fed: list[int] = []
        self._hook = big.register_forward_pre_hook(self._note, with_kwargs=True)

    def _note(self, big: Any, given: Any, named: dict[str, Any]) -> None:
        self.fed.append(named["input_ids"].shape[1])

    def close(self) -> None:
        self._hook.remove()


def drawn(asked: dict[str, Any]) -> dict[str, Any]:
    """How tokens are drawn, in its words."""
    if asked["temperature"] == 0:
        return {"do_sample": False}
    min_p = {"min_p": asked["min_p"]} if asked["min_p"] else {}
    names = "temperature", "top_k", "top_p"
    return {"do_sample": True, **{name: asked[name] for name in names}, **min_p}
