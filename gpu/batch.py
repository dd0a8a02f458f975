"""What a batched rule is given: requests of different lengths, checked and aligned."""

from collections.abc import Callable
from inspect import cleandoc
from typing import Any, Literal, NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import pad

from .fused.reading import readings
from .fused.request import Sequential
from .fused.run import Given, run
from .logits import Filters, Setting, process
from .rows import select, weight
from .verified import Verified

AXES = {
    "p": "BRV",
    "q": "BNV",
    "tokens": "BN",
    "parents": "BN",
    "lengths": "B",
    "accept": "BN",
    "sample": "BR",
    "race": "BRW",
}
"""B requests, N drafted tokens, R = N + 1 rows of the target, V words, W in a race."""
INTEGERS = {"tokens", "parents", "lengths"}


class Batch(NamedTuple):
    """B requests, up to N drafted tokens each, V words.

    p:       (B, N + 1, V) the target's rows: row 0 at the root, row i + 1 after node i
    q:       (B, N, V) the row each token was drawn from; empty if the rule is blind
    tokens:  (B, N) int64, anything in [0, V) where nothing is drafted
    parents: (B, N) the node above, which comes earlier; -1 is the root
    accept:  (B, N) uniforms by node
    sample:  (B, N + 1) uniforms by row
    drafted: (B, N) bool, which nodes there are
    faulty:  (B,) bool, which requests came with nodes that cannot be
    race:    (B, N + 1, W) times of races by depth; empty if the rule reads none
    """

    p: Tensor
    q: Tensor
    tokens: Tensor
    parents: Tensor
    accept: Tensor
    sample: Tensor
    drafted: Tensor
    faulty: Tensor
    race: Tensor

    @property
    def wanted(self) -> Tensor:
        """What p gives (B, N) to each token, on chains: at the row before it."""
        return weight(self.p[:, :-1], self.tokens)

    @property
    def offered(self) -> Tensor:
        """What q gives (B, N) to each token."""
        return weight(self.q, self.tokens)

    def goes_on(self, kept: Tensor) -> Tensor:
        """Whether (B,) a chain has a token after its first `kept` (B,)."""
        return select(pad(self.drafted, (0, 1)), kept)

    def q_after(self, kept: Tensor) -> Tensor:
        """The row (B, V) that token was drawn from; zeros where there is none."""
        nodes = self.q.shape[1]
        if not nodes:
            return torch.zeros_like(self.p[:, 0])
        row = select(self.q, kept.clamp(max=nodes - 1))
        return row.masked_fill(~self.goes_on(kept)[:, None], 0)


Rule = Callable[..., Verified]
"""Of a Batch, and of the rule's own options by keyword."""


def batched(
    *, reads_q: bool, reads_races: bool = False, fused: Sequential | None = None
) -> Callable[[Rule], Callable[..., Verified]]:
    """Give a rule on a Batch the signature that every rule has; q is seen if read, and
    so are races. fused: the same rule for one request, from logits on the CPU.
    """

    def frame(rule: Rule) -> Callable[..., Verified]:
        def verify(
            p: Tensor,
            q: Tensor | None,
            tokens: Tensor,
            parents: Tensor | None,
            lengths: Tensor,
            accept: Tensor,
            sample: Tensor,
            race: Tensor | None = None,
            *,
            logits: bool = False,
            drafted: Literal["logits", "rows"] = "logits",
            temperature: Setting | None = None,
            filters: Filters | None = None,
            **options: Any,
        ) -> Verified:
            """
            B requests at once, each as its reference with the same coins.

            p:       (B, N + 1, V) float: row 0 at the root, row i + 1 after node i
            q:       (B, N, V) float, the row each token was drawn from; None will do
                     for a rule that does not look at it
            tokens:  (B, N) integers
            parents: (B, N) integers, parents before children; None where all are chains
            lengths: (B,) drafted tokens of each request, 0 to N; the rest is padding
            accept:  (B, N) uniforms in [0, 1) by node
            sample:  (B, N + 1) uniforms in [0, 1) by row of p
            race:    (B, N + 1, W) times of Exp(1) by depth, for rules that read races:
                     W is V, or V for each list that is read
            logits:  p and q are logits, which `temperature` and `filters` turn into the
                     rows that the target and the draft were to be drawn from
            drafted: "rows" where, though p is logits, q is what tokens were drawn from
            options: the rule's own, if it has any

            Computes in float64 if p or q is float64, otherwise in float32. ValueError
            if shapes or dtypes do not fit; values are not looked at, so that nothing
            waits for the device: see `Verified.fallback`.
            """
            if reads_q and q is None:
                raise ValueError("q is None, but this rule compares p with q")
            if not logits and (temperature, filters) != (None, None):
                raise ValueError("temperature and filters need logits: logits=True")
            if reads_races and race is None:
                raise ValueError("race is None, but this rule reads races")
            q = q if reads_q else None
            race = race if reads_races else None
            _require(
                p=p,
                q=q,
                tokens=tokens,
                parents=parents,
                lengths=lengths,
                accept=accept,
                sample=sample,
                race=race,
            )
            if logits and fused and p.device.type == "cpu":
                given = Given(p, q, tokens, parents, lengths, accept, sample)
                asked = readings(len(p), temperature, filters, drafted == "logits")
                return run(fused, given, asked)
            p, q = _promoted(p, q)
            if logits:
                p = process(p, temperature, filters)
                if q is not None and drafted == "logits":
                    q = process(q, temperature, filters)
            batch = _aligned(p, q, tokens, parents, lengths, accept, sample, race)
            return rule(batch, **options)

        docs = cleandoc(rule.__doc__ or ""), cleandoc(verify.__doc__ or "")
        verify.__doc__ = "\n\n".join(docs)
        verify.__module__ = rule.__module__
        return verify

    return frame


def _require(p: Tensor, **others: Tensor | None) -> None:
    """ValueError, naming the tensor, unless shapes and dtypes fit."""
    if p.ndim != 3 or 0 in p.shape[1:]:
        raise ValueError(f"p has shape {tuple(p.shape)}: expected (B, N + 1, V)")
    batch, rows, vocab = p.shape
    size = {"B": batch, "N": rows - 1, "R": rows, "V": vocab}
    if (race := others["race"]) is not None:
        size["W"] = vocab * max(1, race.shape[-1] // vocab)
    for name, tensor in {"p": p, **others}.items():
        if tensor is None:
            continue
        shape = tuple(size[axis] for axis in AXES[name])
        if tensor.shape != shape:
            raise ValueError(
                f"{name} has shape {tuple(tensor.shape)}: expected {shape}, "
                f"since p has shape {tuple(p.shape)}"
            )
        if tensor.is_floating_point() == (name in INTEGERS):
            kind = "integers" if name in INTEGERS else "floating point"
            raise ValueError(f"{name} has dtype {tensor.dtype}: expected {kind}")


def _promoted(p: Tensor, q: Tensor | None) -> tuple[Tensor, Tensor | None]:
    """Both in the dtype that is computed in."""
    dtype = torch.promote_types(p.dtype, torch.float32)
    if q is None:
        return p.to(dtype), None
    dtype = torch.promote_types(dtype, q.dtype)
    return p.to(dtype), q.to(dtype)


def _aligned(
    p: Tensor,
    q: Tensor | None,
    tokens: Tensor,
    parents: Tensor | None,
    lengths: Tensor,
    accept: Tensor,
    sample: Tensor,
    race: Tensor | None,
) -> Batch:
    """Everything on the axes of a Batch, with the nodes that cannot be taken out."""
    order = torch.arange(tokens.shape[1], device=p.device)
    last = len(order) - 1
    above = order - 1 if parents is None else parents.long().clamp(-1, last)
    given = order < lengths[:, None]
    safe = tokens.long().clamp(0, p.shape[-1] - 1)
    drafted = given & (tokens == safe)
    if q is not None:
        drafted = drafted & (weight(q, safe) > 0)
    return Batch(
        p=p,
        q=p.new_empty(0) if q is None else q,
        tokens=safe,
        parents=above.expand_as(safe),
        accept=_below_one(accept, p.dtype),
        sample=_below_one(sample, p.dtype),
        drafted=drafted,
        faulty=(given & ~drafted).any(1),
        race=p.new_empty(0) if race is None else race.to(p.dtype),
    )


def _below_one(coins: Tensor, dtype: torch.dtype) -> Tensor:
    """Uniforms in `dtype`: one that rounds up to 1 would be refused where p = q."""
    return coins.to(dtype).clamp(max=1 - torch.finfo(dtype).eps / 2)
