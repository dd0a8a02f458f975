"""llama.cpp's programs that show speculative decoding, whole engines.

`specsim check specsim.oracle.engines.llama_cpp_programs:Speculative` runs the
llama-speculative that is on PATH, once for each request; `Simple` its simpler sister.
"""

import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar

from specsim.errors import Bad
from specsim.oracle.engines.llama_cpp import DRAFTED, EXACT, EXACT_DRAFT, program
from specsim.oracle.probe.pair import END, WORDS

Asked = dict[str, Any]
OPTIONS = {
    "temperature": "--temp",
    "top_k": "--top-k",
    "top_p": "--top-p",
    "min_p": "--min-p",
    "repetition_penalty": "--repeat-penalty",
    "presence_penalty": "--presence-penalty",
    "frequency_penalty": "--frequency-penalty",
    "seed": "--seed",
}
SAID = re.compile("|".join(map(re.escape, WORDS)))
SLACK = 64
"""Tokens asked for beyond those that are wanted: what is printed last is often lost
when the program ends.
"""
TRIES = 60
"""Runs, all with one seed and so with one text, until enough of it is printed."""
TOGETHER, SECONDS = 2, 30.0


class Speculative:
    """A run of a program for each request. It stops at the end token, unsaid."""

    name = "llama-speculative"
    way: tuple[str, ...] = ("--spec-draft-n-max", DRAFTED)
    format = "gguf"
    order = "llama.cpp"
    modes: ClassVar[dict[str, Any]] = {"draft-model": {}}
    surface = frozenset(OPTIONS)
    ends = (END,)

    def generate(
        self, requests: list[Asked], *, mode: str, target: str, draft: str
    ) -> list[dict[str, Any]]:
        start = [program(self.name), "--model", target, "--spec-draft-model", draft]
        start += [*EXACT, *EXACT_DRAFT, *self.way, "--ctx-size", "256"]
        with ThreadPoolExecutor(TOGETHER) as lanes:
            return list(lanes.map(lambda asked: answer(start, asked), requests))


class Simple(Speculative):
    """The same with one chain of drafted tokens, as llama-server drafts."""

    name = "llama-speculative-simple"
    way = ("--spec-type", "draft-simple", *Speculative.way)


def answer(start: list[str], asked: Asked) -> dict[str, Any]:
    """The text of a run. Bad: it says nothing, time and again."""
    prompt = "".join(WORDS[token] for token in asked["prompt"])
    most = asked["max_tokens"]
    command = [*start, "--prompt", prompt, "--predict", str(most + SLACK)]
    for name, option in OPTIONS.items():
        command += [option, str(asked[name])]
    for _ in range(TRIES):
        ran = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS
        )
        _, _, text = ran.stdout.decode(errors="replace").partition(prompt)
        tokens = ended([WORDS.index(word) for word in SAID.findall(text)])[:most]
        if len(tokens) == most or END in tokens or text.endswith("\n\n"):
            return {"tokens": tokens}
    raise Bad(f"{command[0]} printed no whole text in {TRIES} runs")


def ended(tokens: list[int]) -> list[int]:
    """The tokens up to the end token, if that is among them."""
    return tokens[: tokens.index(END) + 1] if END in tokens else tokens
