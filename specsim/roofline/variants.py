"""Models that share the shape of a row of models.csv under another name.

Fine-tunes, distillations and later dates change numbers, not shapes. A pattern is met
by the whole name: last part of the path, lower case, words joined by hyphens, without
precision, tuning and date (`plain`).
"""

import re
from functools import lru_cache

from specsim.roofline import precisions

SAME_SHAPE: tuple[tuple[str, str, str], ...] = (
    # pattern of the plain name, name of the row, where it says so
    (r"llama-?33b|llama-?30b", "llama1-30b", "Llama paper: 32.5 B, called 30B and 33B"),
    (r"(open-?llama|alpaca|guanaco|wizardlm|koala|baize)-?(7|13)b", r"llama1-\2b",
     "model cards: Llama 1 architecture"),
    (r"vicuna-(7|13|33)b.*", r"vicuna-\1b", "FastChat: v1.3 Llama 1, v1.5 Llama 2"),
    (r"(?:stable-beluga|nous-hermes|orca-2|xwin-lm|tulu-2(?:-dpo)?)-(7|13|70)b",
     r"llama2-\1b", "model cards: Llama 2 fine-tunes"),
    (r"llama-?2-?(?:chat-)?(7|13|70)b.*", r"llama2-\1b", "the same model, tuned"),
    (r"(?:meta-)?llama-?3(\.\d)?-?(8|70|405|1|3)b.*", r"llama3\1-\2b",
     "the same model, tuned"),
    (r"deepseek-r1-distill-llama-(8|70)b", r"llama3.1-\1b",
     "deepseek-ai/DeepSeek-R1 README: distilled from Llama 3.1 8B and 3.3 70B"),
    (r"deepseek-r1-distill-qwen-(1\.5|7|14|32)b", r"qwen2.5-\1b",
     "deepseek-ai/DeepSeek-R1 README: distilled from Qwen2.5"),
    (r"deepseek-v3(\.1)?(-terminus|-\d{4})?", "deepseek-v3", "deepseek-ai model cards"),
    (r"deepseek-r1(-\d{4}|-zero)?", "deepseek-r1", "deepseek-ai model cards"),
    (r"deepseek-v3\.2.*", "deepseek-v3.2", "deepseek-ai model cards"),
    (r"deepseek-(?:coder-)?v2(?:\.5)?(-lite)?(?:-16b|-236b)?", r"deepseek-v2\1",
     "DeepSeek-Coder-V2 README: DeepSeek-V2 continued"),
    (r"qwq-32b(-preview)?", "qwen2.5-32b", "Qwen/QwQ-32B card: Qwen2.5-32B"),
    (r"qwen-?2\.5-(?:coder|math|vl)?-?(0\.5|1\.5|3|7|14|32|72)b", r"qwen2.5-\1b",
     "Qwen2.5-Coder, -Math, -VL cards: same language model"),
    (r"qwen-?2-(?:math|vl|audio)?-?(1\.5|7|72)b", r"qwen2-\1b", "Qwen2 cards"),
    (r"qwama-0\.5b", "qwen2-0.5b", "turboderp/Qwama-0.5B card: Qwen2-0.5B"),
    (r"qwen-?3-(?:coder|vl|embedding)?-?(0\.6|1\.7|4|8|14|32|30b-a3|235b-a22|480b-a35)b.*",
     r"qwen3-\1b", "Qwen3 cards"),
    (r"qwen-?3-coder-480b", "qwen3-coder-480b", "Qwen3 cards"),
    (r"qwen-?3-next-80b.*", "qwen3-next-80b-a3b", "Qwen3-Next cards"),
    (r"qwen-?3\.[5-9]-(27b|35b-a3b|122b-a10b|397b-a17b).*", r"qwen3.5-\1",
     "Qwen3.6 and later cards of one size: the shape of Qwen3.5"),
    (r"kimi-k2(-thinking|-\d{4})?", "kimi-k2", "moonshotai cards"),
    (r"minimax-m2(\.\d)?", "minimax-m2.5", "MiniMaxAI cards: M2 and later agree"),
    (r"glm-4\.[5-7](-\d+b.*)?", "glm-4.5", "zai-org cards: 355B-A32B"),
    (r"glm-4\.5-air|glm-4\.[5-6]v", "glm-4.5-air", "zai-org cards: 106B-A12B"),
    (r"(zephyr|openchat|starling-lm|openhermes|dolphin|nous-hermes|mathstral|biomistral)"
     r"(-.*)?-7b.*", "mistral-7b-v0.1", "model cards: Mistral 7B fine-tunes"),
    (r"mistral-7b.*", "mistral-7b", "the same model"),
    (r".*mixtral-8x(7|22)b.*", r"mixtral-8x\1b", "the same model"),
    (r"(mistral-small|magistral-small|devstral-small)(-3(\.\d)?)?(-24b)?(-\d{4})?",
     "mistral-small-24b", "mistralai cards: Small 3 and later, 24B"),
    (r"(mistral-nemo|pixtral)(-12b)?(-\d{4})?", "mistral-nemo-12b", "mistralai cards"),
    (r"mistral-large(-2)?(-123b)?(-\d{4})?", "mistral-large-123b", "mistralai cards"),
    (r"ministral-8b(-\d{4})?", "ministral-8b", "mistralai cards"),
    (r"(?:phind-|wizardcoder-)?code-?llama-(7|13|34|70)b.*", r"codellama-\1b",
     "codellama, Phind, WizardLM cards"),
    (r"tiny-?llama(-1\.1b)?.*", "tinyllama-1.1b", "the same model"),
    (r"yi-(?:1\.5|coder)-(6|9|34)b|yi-(6|9|34)b.*", r"yi-\1\2b", "01-ai cards"),
    (r"phi-1\.5(-1\.3b)?|phi-1(-1\.3b)?", "phi-1.5", "microsoft cards"),
    (r"phi-2(-2\.7b)?|dolphin-2.*-phi-2", "phi-2", "microsoft cards: 2.7 B"),
    (r"phi-3(?:\.5)?-(mini|medium).*", r"phi-3-\1", "microsoft cards"),
    (r"phi-4(-reasoning)?(-plus)?(-14b)?", "phi-4", "microsoft cards"),
    (r"phi-4-mini.*", "phi-4-mini", "microsoft cards"),
    (r"gemma-?(2|7)b.*|codegemma-(2|7)b.*", r"gemma-\1\2b", "google cards"),
    (r"gemma-?([23])-(1|2|4|9|12|27)b.*", r"gemma\1-\2b", "google cards"),
    (r"gemma-?4-(26b-a4b|31b).*", r"gemma4-\1", "google cards"),
    (r"gpt-oss-(20|120)b.*", r"gpt-oss-\1b", "openai cards"),
    (r"gpt-?2(-(?:medium|large|xl))?(-(117|124|345|355|762|774)m|-1\.5b)?", r"gpt2\1",
     "openai-community cards"),
    (r"gpt-?j(-6b)?", "gpt-j-6b", "EleutherAI cards"),
    (r"bloom(z)?(-176b)?", "bloom-176b", "bigscience cards"),
    (r"falcon-(7|40|180)b.*", r"falcon-\1b", "tiiuae cards"),
    (r"smollm2?-(135m|360m|1\.7b).*", r"smollm2-\1", "HuggingFaceTB cards"),
    (r"llama-4-(scout|maverick).*", r"llama4-\1", "meta-llama cards"),
)  # fmt: skip

TUNINGS = re.compile(
    r"(?<=-)(instruct(ion)?|chat|base|it|hf|sft|dpo|preview|thinking|reasoning|latest|"
    r"text|class|moe|v\d+(\.\d+)*|[0-9]{6,8}|2[0-9]{3}|eagle3?|tp\d+|dp\d+|ep\d+)(?=-|$)"
)
"""Words that name a training, a date or a division, and no shape."""


@lru_cache(10_000)
def plain(name: str) -> str:
    """A model's name without owner, precision, tuning, date and remarks.

    >>> plain("nvidia/Llama-3.1-8B-Instruct-FP8"), plain("Qwen3-235B-A22B (MoE)")
    ('llama-3.1-8b', 'qwen3-235b-a22b')
    """
    words = _joined(name)
    while (fewer := TUNINGS.sub("", words)) != words:
        words = re.sub(r"-+", "-", fewer).strip("-")
    return words


def _joined(name: str) -> str:
    """Last part of the path, no remarks in brackets, no precision, hyphens only."""
    last = re.sub(r"\([^)]*\)", " ", name).strip(" /").rpartition("/")[2]
    return re.sub(r"[\s_\-:,+]+", "-", precisions.without(last).lower()).strip("-.")


@lru_cache(10_000)
def row_name(name: str) -> str | None:
    """The name of the row whose shape it has, None if the table has none.

    >>> row_name("DeepSeek-R1-Distill-Qwen-14B"), row_name("Vicuna-7B-v1.3")
    ('qwen2.5-14b', 'vicuna-7b')
    """
    for words in (_joined(name), plain(name)):
        for pattern, row, _ in SAME_SHAPE:
            if found := re.fullmatch(pattern, words):
                return found.expand(row)
    return None
