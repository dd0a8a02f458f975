"""specsim's own roofline, asked like the others."""

from specsim.errors import Bad
from specsim.roofline import Prediction, predict
from specsim.roofline.engines import ENGINES
from specsim.roofline.plan import Plan
from specsim.roofline.served import as_engines_store, served
from specsim.roofline.work import Work
from tools.peers.question import Answer, Cannot, Question


def answer(asked: Question) -> Answer:
    made = predicted(asked)
    if asked.kind == "decode":
        return Answer(made.step_ms)
    if asked.kind == "prefill":
        prompts = Work(asked.batch, asked.prompt, logits=1)
        return Answer(1000 * float(made.deployment.run(prompts).seconds))
    server = as_engines_store(made.deployment)
    load = served(server, asked.batch, asked.prompt, asked.output)
    return Answer(1000 * float(load.tpot_s), 1000 * float(load.ttft_s))


def predicted(asked: Question) -> Prediction:
    """By the measurement's own word for its weights, or else by its format."""
    refusal = "no format of weights"
    for words in filter(None, (asked.stored, asked.weights)):
        own = asked.model.moe_experts and words == asked.model.native_dtype
        try:
            return predict(
                asked.model.hf_id,
                asked.gpu.name,
                plan=Plan(tp=asked.gpus, pp=asked.stages),
                batch=asked.batch,
                context=asked.prompt,
                weights=None if own else words,
                engine=engine(asked.engine),
            )
        except Bad as error:
            refusal = str(error)
    raise Cannot(refusal)


def engine(words: str) -> str:
    """The engine of its table that the words name, the typical one if none."""
    heard = _letters(words)
    named = [name for name in ENGINES if _letters(name) in heard]
    return max(named, key=len, default="typical")


def _letters(words: str) -> str:
    spelled = words.lower().replace("tensorrt-llm", "trtllm")
    return "".join(filter(str.isalnum, spelled))
