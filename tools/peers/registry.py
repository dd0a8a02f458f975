"""Which simulators are run, and in which versions."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Peer:
    """A simulator.

    name:   on PyPI.
    module: its adapter, which has `answer(question)`.
    pins:   what pip installs for it; nothing: it runs in this interpreter.
    """

    name: str
    module: str
    pins: tuple[str, ...] = ()


OURS = Peer("specsim", "tools.peers.ours")

PEERS = (
    OURS,
    Peer(
        "aiconfigurator",
        "tools.peers.aiconfigurator",
        ("aiconfigurator==0.12.0",),
    ),
    Peer("genz-llm", "tools.peers.genz", ("genz-llm==0.0.16", "torch==2.13.0")),
    Peer("kavier", "tools.peers.kavier", ("kavier==0.5.3",)),
    Peer("llm-analysis", "tools.peers.llm_analysis", ("llm-analysis==0.2.2",)),
    Peer("llm-flops", "tools.peers.llm_flops", ("llm-flops==0.0.1",)),
    Peer("ridgepoint", "tools.peers.ridgepoint", ("ridgepoint==0.1.2",)),
    Peer("servcalc", "tools.peers.servcalc", ("servcalc==0.1.0",)),
    Peer(
        "vllm-sr-sim",
        "tools.peers.vllm_sr_sim",
        ("vllm-sr-sim==0.1.0.dev20260713123629",),
    ),
)
