"""A drafter, a rule and what is asked of them, ready to be run again and again."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Any

from specsim import drafters, rules, seam
from specsim.drafters import Drafter
from specsim.errors import Bad
from specsim.generation import drafting
from specsim.generation.models import Backend, Models, load
from specsim.generation.request import Request, request
from specsim.generation.run import Emitted, Run, running
from specsim.generation.timing import Timed, in_turn
from specsim.rules import Rule
from specsim.seam import proposal

USUAL: "dict[proposal.Kind, str]" = {
    "iid": "chain",
    "fixed": "target_only",
    "without_replacement": "recursive",
}
"""The rule that goes with a kind of draft, where none is asked for."""
ROUNDS, PATIENCE = 5, 5.0
"""Times are medians of so many rounds, or of those begun within so many seconds."""
Listener = Callable[[Emitted], None]


@dataclass(frozen=True)
class Scene:
    """What is run: the same request gives the same text each time."""

    drafter: Drafter
    rule: Rule
    models: Models
    request: Request

    def speculative(self, listener: Listener | None = None) -> Run:
        """One run with the drafter; the listener is told of each token."""
        told = 0
        for run in self.speculating():
            if listener:
                for each in run.emitted[told:]:
                    listener(each)
            told = len(run.emitted)
        return run

    def plain(self, tokens: int) -> Run:
        """One run without, which goes on for so many tokens whatever they are."""
        (run,) = in_turn(self.plodding(tokens))
        return run

    def timed(self, tokens: int, rounds: int | None = None) -> Timed:
        """Rounds of both, of a text that is so long."""
        start, made, most = perf_counter(), Timed([], []), rounds or ROUNDS
        while len(made.runs) < most and perf_counter() - start < PATIENCE:
            run, plain = in_turn(self.speculating(), self.plodding(tokens))
            made.runs.append(run)
            made.plain.append(plain)
        return made

    def speculating(self) -> Iterator[Run]:
        """The run with the drafter, a step at a time."""
        made = drafting.made(self.drafter, self.rule, self.models, self.request)
        return self._running(made, self.request)

    def plodding(self, tokens: int) -> Iterator[Run]:
        """The run without, a token at a time."""
        endless = replace(self.request, most=tokens, ends=frozenset(), stop=())
        nothing = drafting.Nothing(self.rule, self.models.vocab)
        return self._running(nothing, endless)

    def _running(self, drafter: Any, asked: Request) -> Iterator[Run]:
        network = self.models.target.fresh()
        sampled = seam.reference("model.sampled").Sampled
        target = sampled(network, asked.sampling, len(asked.prompt))
        return running(asked, target, drafter, self.rule, self.models.words)

    def of(self, drafter: Drafter, rule: Rule) -> "Scene":
        """The same with others; Bad if the rule cannot do so many words.

        The rule `greedy` makes it one at temperature 0.
        """
        vocab, most = self.models.vocab, rule.most_words
        if most is not None and vocab > most:
            raise Bad(
                f"{rule.name} takes exponential time, {most} words at most, and "
                f"{self.models.name} has {vocab}; choose another rule"
            )
        asked = self.request
        if rule.greedy and not rule.lossy:
            cold = replace(asked.sampling, temperature=0.0)
            asked = replace(asked, sampling=cold)
        return replace(self, drafter=drafter, rule=rule, request=asked)


def pair(drafter: str, rule: str | None) -> tuple[Drafter, Rule]:
    """The rows of that name; Bad where there is none, or the pairing is unsound."""
    row = drafters.named(drafter)
    return drafters.paired(row, rules.named(rule or USUAL[row.kind]))


def stage(
    pairing: tuple[Drafter, Rule],
    prompt: str | Iterable[int] | None = None,
    *,
    target: str | Path | Models | None = None,
    draft_model: str | Path | None = None,
    k: int = 4,
    max_new_tokens: int = 64,
    seed: int = 0,
    stop: str | Sequence[str] = (),
    backend: Backend = "numpy",
    **sampling: Any,
) -> Scene:
    """Models loaded and everything checked; Bad, in one line, names what is wrong.

    prompt:   text or token ids; None: the model's own.
    target:   a folder as on Hugging Face, a file of `specsim train`, or models loaded
              before; None: the embedded.
    draft_model: what the drafter is made of, beside the target.
    k:        how deep to draft. stop: strings that end the text, and are not in it.
    sampling: temperature, top_k, top_p, min_p, repetition, presence, frequency,
              logit_bias, allowed (reference/logits).
    """
    if not isinstance(target, Models):
        part = drafting.part(pairing[0])
        target = load(target, draft_model, backend, part)
    asked = request(
        target.prompt if prompt is None else prompt,
        target.words,
        target.vocab,
        most=max_new_tokens,
        k=k,
        seed=seed,
        stop=stop,
        ends=target.ends,
        **sampling,
    )
    if pairing[1].name == "greedy" and sampling.get("temperature", 0) != 0:
        raise Bad("greedy is for temperature 0: leave temperature out")
    drafting.require(pairing[0], target)
    return Scene(*pairing, target, asked).of(*pairing)
