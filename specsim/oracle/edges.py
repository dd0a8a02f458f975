"""Coins at the ends of [0, 1) and rows an ulp apart: defects no law can show."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from specsim.oracle.engines.contract import Call
from specsim.oracle.engines.host import Host
from specsim.oracle.report import Finding


@dataclass(frozen=True)
class Edge:
    """One call with one value for every coin, and the first tokens that are legal."""

    name: str
    p: tuple[tuple[float, ...], ...]
    q: tuple[tuple[float, ...], ...]
    token: int
    coin: float
    legal: tuple[int, ...]

    def call(self) -> Call:
        p, q = [*map(list, self.p)], [*map(list, self.q)]
        return Call("verify", p, q, [self.token], [-1], "iid")


HALVES = 0.5, 0.5
ROW = 0.25, 0.25, 0.5


def tie(under: float, coin: float) -> Edge:
    """P as q but a little less at the drafted token, so that no residual is left."""
    p = (ROW[0] - under, *ROW[1:])
    name = "p is an ulp under q at the drafted token, and nothing is left to draw from"
    return Edge(name, (p, ROW), (ROW,), 0, coin, (0, 1, 2))


EDGES = [
    Edge(
        "a token of probability 0 is kept when the coin is 0",
        ((1.0, 0.0), HALVES),
        (HALVES,),
        1,
        0.0,
        (0,),
    ),
    Edge(
        "a token of probability 0 is drawn when the coin is 0",
        ((0.0, 0.5, 0.5), (0.0, 0.5, 0.5)),
        ((0.0, 0.5, 0.5),),
        1,
        0.0,
        (1, 2),
    ),
    Edge(
        "a token of probability 0 is drawn when the coin is nearly 1",
        ((0.25, 0.75, 0.0), (0.25, 0.75, 0.0)),
        ((0.5, 0.5, 0.0),),
        0,
        1 - 2**-24,
        (0, 1),
    ),
    tie(2.0**-54, 1 - 2**-53),
]
SINGLE = tie(2.0**-25, 1 - 2**-24)
"""The tie as 32-bit floats have it: for engines that are exact to no more than those,
since in 64 bits the row falls short of 1 by more than some libraries allow.
"""


NOT_DRAWN = Edge(
    "a drafted token has probability 0 under q",
    (HALVES, HALVES),
    ((1.0, 0.0),),
    1,
    0.75,
    (0, 1),
)


def probe(engine: Host, mode: str, also: Sequence[Edge]) -> list[Finding]:
    """The edges at which the engine raises or emits what the target forbids."""
    found = []
    for edge in [*EDGES, *also]:
        call = edge.call()
        if mode == "coins":
            got = engine.once(call, [edge.coin], [edge.coin] * 2)
        else:
            got = engine.begun(call, edge.coin)
        if got is not None and not _legal(got, edge):
            shown = {k: v for k, v in asdict(call).items() if k in ("p", "q", "tokens")}
            what = got if isinstance(got, str) else str(list(got))
            legal = f"a block that starts with {' or '.join(map(str, edge.legal))}"
            found.append(Finding(edge.name, {**shown, "coin": edge.coin}, what, legal))
    return found


def _legal(got: tuple[int, ...] | str, edge: Edge) -> bool:
    return (
        not isinstance(got, str)
        and got[0] in edge.legal
        and all(row[token] > 0 for token, row in zip(got, edge.p, strict=False))
    )
