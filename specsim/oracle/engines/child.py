"""The process an engine runs in: requests on standard input, answers on a saved fd 1.

One JSON object a line each way. Whatever the engine itself prints is thrown away.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any, NoReturn

import numpy as np

from specsim.errors import Bad
from specsim.oracle.drafting import host as drafting
from specsim.oracle.drafting.contract import Asked, takes
from specsim.oracle.engines import contract
from specsim.oracle.engines.contract import Block, Call
from specsim.oracle.readings import scripted, standin, symbolic
from specsim.oracle.readings.cells import Unfollowable

Answer = dict[str, Any]


class Host:
    """Answers requests about one engine."""

    def __init__(self, spec: str):
        self.spec, self.engine = spec, contract.load(spec)
        self.operations = contract.operations(self.engine)
        self.process = os.getpid()

    def hello(self) -> Answer:
        offered = set(self.operations) & set(contract.OPERATIONS)
        return {
            "operations": {
                name: contract.modes(self.operations[name]) for name in sorted(offered)
            },
            "others": sorted(set(self.operations) - offered),
            "accepts": contract.extras(self.engine),
            "kinds": sorted(getattr(self.engine, "kinds", ())),
            "seeded": bool(getattr(self.engine, "seeded", False)),
            **self._drafter(),
        }

    def _drafter(self) -> Answer:
        """How it can be asked to draft, if at all; and whether at a temperature."""
        draft = self.operations.get("draft")
        if draft is None:
            return {"draft": [], "temperature": False}
        if not drafting.is_drafter(draft):
            note = "draft is not judged: it does not take (model, context, k)"
            return {"draft": [], "temperature": False, "unjudged": [note]}
        return {
            "draft": drafting.modes(draft),
            "temperature": "temperature" in takes(draft),
        }

    def offer(self) -> Answer:
        """What a whole engine says of itself."""
        from specsim.oracle.endtoend.offer import Offer

        return {"offer": Offer.of(self.engine).as_dict()}

    def generate(self, requests: list[Answer], **how: str) -> Answer:
        """What a whole engine answers."""
        from specsim.oracle.endtoend.contract import answered

        return {"answers": answered(self.operations["generate"], requests, **how)}

    def draft_law(self, asked: Answer, **how: Any) -> Answer:
        return drafting.law(self.operations["draft"], Asked(**asked), **how)

    def draft_draws(self, asked: Answer, **how: Any) -> Answer:
        return drafting.draws(self.operations["draft"], Asked(**asked), **how)

    def draft_kept(self, first: Answer, then: Answer, mode: str) -> Answer:
        pair = Asked(**first), Asked(**then)
        return drafting.kept(self.operations["draft"], *pair, mode)

    def ask(self, call: Call, **luck: Any) -> Block:
        """One call, with what the engine did wrong told as Bad."""
        arguments = call.arguments()
        answer = self.operations[call.operation](*arguments, **luck)
        if os.getpid() != self.process:
            os._exit(0)  # the engine forked: only one of us may answer
        return contract.block(answer, call)

    def law(
        self, calls: list[Call], mode: str, reading: str, seconds: float, checks: int
    ) -> Answer:
        """The law of each call, or why it cannot be read.

        checks: fresh runs that a scripted reading has to foretell.
        """
        deadline = time.monotonic() + seconds
        read = READINGS[mode, reading]
        laws = []
        for call in calls:
            try:
                law = read(self, call, lambda: time.monotonic() > deadline, checks)
            except symbolic.TooManyPaths:
                return {"slow": f"too slow to read within {seconds:g} s"}
            except symbolic.NotAFunction as reason:
                return {"unsteady": str(reason)}
            except Unfollowable as reason:
                return {"unreadable": str(reason)}
            except Exception as error:
                return {"failed": contract.told(error)}
            laws.append([[list(block), str(odds)] for block, odds in law.items()])
        return {"laws": laws}

    def once(self, call: Call, accept: list[float], sample: list[float]) -> Answer:
        """One call with written coins."""
        luck = {"accept": np.array(accept), "sample": np.array(sample)}
        try:
            return {"block": list(self.ask(call, **luck))}
        except Exception as error:
            return {"raised": contract.told(error)}

    def begun(self, call: Call, value: float) -> Answer:
        """One seed-mode call in which the first two uniforms are `value`."""
        try:
            return {"block": list(self.ask(call, rng=standin.StandIn(Begun(value))))}
        except Unfollowable:
            return {"block": None}
        except Exception as error:
            return {"raised": contract.told(error)}

    def blocks(
        self,
        calls: list[Call],
        which: list[int],
        seed: int,
        mode: str,
        seconds: float,
    ) -> Answer:
        """Real draws: call number which[j], for each j, from one seeded generator.

        Fewer where the time is over; at least one.
        """
        return self._drawn((calls[i] for i in which), seed, mode, seconds)

    def large(
        self,
        world: dict[str, int],
        drafts: list[list[int]],
        seed: int,
        mode: str,
        seconds: float,
    ) -> Answer:
        """The same in a world of real size, whose rows are made here."""
        from specsim.oracle.large.rows import Large

        asked = map(Large(**world).call, drafts)
        return self._drawn(asked, seed, mode, seconds)

    def _drawn(
        self, calls: Iterable[Call], seed: int, mode: str, seconds: float
    ) -> Answer:
        rng = np.random.default_rng(seed)
        deadline = time.monotonic() + seconds
        drawn: list[list[int]] = []
        for call in calls:
            drawn.append(self.sampled(call, rng, mode))
            if time.monotonic() > deadline:
                break
        return {"blocks": drawn}

    def sampled(self, call: Call, rng: np.random.Generator, mode: str) -> list[int]:
        n = len(call.tokens)
        luck = (
            {"rng": rng}
            if mode == "rng"
            else {"accept": rng.random(n), "sample": rng.random(n + 1)}
        )
        try:
            return list(self.ask(call, **luck))
        except Exception as error:
            raised = "" if isinstance(error, Bad) else "raised "
            what = f"engine {self.spec!r}: {raised}{contract.told(error)}"
            raise Bad(what) from None


class Begun:
    """Uniforms of which the first two are given and the rest are ordinary."""

    def __init__(self, value: float):
        self._rest = np.random.default_rng(0)
        self._first = [value, value]

    def uniform(self) -> float:
        return self._first.pop() if self._first else float(self._rest.random())

    def refuse(self, reason: str) -> NoReturn:
        raise Unfollowable(reason)


Law = dict[Block, Fraction]
Late = Callable[[], bool]


def symbolic_rng(host: Host, call: Call, late: Late, checks: int) -> Law:
    def run(path: symbolic.Path) -> Block:
        return host.ask(call, rng=standin.StandIn(path))

    return symbolic.law(run, expired=late)


def symbolic_coins(host: Host, call: Call, late: Late, checks: int) -> Law:
    def run(path: symbolic.Path) -> Block:
        accept, sample = standin.coins(path, len(call.tokens))
        return host.ask(call, accept=accept, sample=sample)

    return symbolic.law(run, expired=late)


def scripted_rng(host: Host, call: Call, late: Late, checks: int) -> Law:
    def run(rng: np.random.Generator) -> Block:
        return host.ask(call, rng=rng)

    return scripted.law(run, expired=late, checks=checks).law


def scripted_coins(host: Host, call: Call, late: Late, checks: int) -> Law:
    def run(accept: Any, sample: Any) -> Block:
        return host.ask(call, accept=accept, sample=sample)

    n = len(call.tokens)
    return scripted.law_of_coins(run, n, expired=late, checks=checks).law


READINGS: dict[tuple[str, str], Callable[[Host, Call, Late, int], Law]] = {
    ("rng", "symbolic"): symbolic_rng,
    ("coins", "symbolic"): symbolic_coins,
    ("rng", "scripted"): scripted_rng,
    ("coins", "scripted"): scripted_coins,
}


def serve(host: Host, request: dict[str, Any]) -> Answer:
    ask = request.pop("ask")
    for key in ("calls", "call"):
        if key in request:
            made = request[key]
            request[key] = [Call(**c) for c in made] if key == "calls" else Call(**made)
    answer: Answer = getattr(host, ask)(**request)
    return answer


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    requests = os.fdopen(os.dup(0))
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    sys.path.insert(0, os.getcwd())
    host: Host | None = None
    for line in requests:
        try:
            host = host or Host(sys.argv[1])
            answer = serve(host, json.loads(line))
        except Bad as error:
            answer = {"bad": str(error)}
        except SystemExit:
            answer = {"bad": f"engine {sys.argv[1]!r}: called sys.exit"}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
