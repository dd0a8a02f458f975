"""A server of the probe pair, judged as a whole engine: its law after each prefix."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from specsim.oracle.endtoend.cases import Case
from specsim.oracle.endtoend.judge import limited
from specsim.oracle.endtoend.law import Law
from specsim.oracle.endtoend.offer import PLAIN, Offer
from specsim.oracle.endtoend.request import SURFACE, Answer, Request
from specsim.oracle.endtoend.trial import Control, Trial
from specsim.oracle.http.ask import Ask, Reply
from specsim.oracle.http.server import Server
from specsim.oracle.probe import pair
from specsim.oracle.report import Report

PATIENCE = 5
"""How much longer a case may take than an engine in a process of ours has."""
SERVED = "served"
"""The mode of the server that is judged."""
Say = Callable[[str], None]


def silent(text: str) -> None:
    """Nobody watches."""


@dataclass
class Told(Trial):
    """A trial that says which case is next."""

    say: Say = silent

    def judge(self, case: Case) -> None:
        """As a trial's."""
        self.say(f"generate/{self.mode}/{case.name}, of {len(self.cases)} cases")
        super().judge(case)


class Session:
    """A server as drawing.Session."""

    def __init__(self, server: Server):
        self._server = server

    def generate(self, requests: Sequence[Request]) -> list[Answer]:
        """An answer for each, many in flight at once."""
        replies = self._server.ones(map(self._asked, requests))
        return [*map(answered, requests, replies)]

    def revive(self) -> None:
        """Nothing, if the server still answers; Bad if it does not."""
        self._server.one(Ask((3, 4, 5), 1))

    def _asked(self, request: Request) -> Ask:
        given = vars(request) | {"top": 0 if request.logprobs else None}
        given["seed"] = request.seed if "seed" in self._server.offers else None
        del given["logprobs"]
        return Ask(**given)


def answered(request: Request, reply: Reply) -> Answer:
    """What a reply says, in the form of the endtoend judge."""
    logprobs = reply.logprobs if request.logprobs else None
    return Answer(reply.ids, logprobs, reply.drafted, reply.accepted)


def run(
    server: Server,
    plain: Server | None,
    budget: str,
    seed: int,
    false_alarm: float,
    report: Report,
    say: Say,
) -> None:
    """Every case of endtoend.cases, of the plain server first; tiers go into `report`,
    and `say` is told which case is next.
    The odds of a false alarm are shared with the checks of a server.

    Bad: a server broke down.
    """
    servers = {PLAIN: plain, SERVED: server} if plain else {SERVED: server}
    offer = Offer(
        format="hf",
        modes={mode: {} for mode in servers},
        surface=SURFACE & server.offers,
        order=server.dialect.order,
        ends=(pair.END,),
    )
    target, draft = (Law(each(), offer.order) for each in (pair.target, pair.draft))
    limits, control = limited(offer, budget, false_alarm), Control()
    limits = limits._replace(
        hurdle=limits.hurdle + math.log10(2), seconds=PATIENCE * limits.seconds
    )
    for mode, each in servers.items():
        asked = Session(each), offer, mode, limits, seed, target, draft, control
        Told(*asked, report, say=say).run()
