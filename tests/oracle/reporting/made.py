"""Reports to write: one of each verdict, and one by an engine that lies."""

from specsim.oracle.report import Diagnosis, Effect, Finding, Report, Tier, Witness

VILE = "<script>alert(1)</script>&\"'|`\x1b[31m\x00\ud800"
"""What a hostile engine may say."""


def tier(verdict: str, detail: str = "as it should be", **more: object) -> Tier:
    return Tier(f"verify/rng/{verdict}", verdict, detail, 0.25, 3, **more)  # type: ignore[arg-type]


def report(verdict: str = "exact", **more: object) -> Report:
    made = Report("mine:verify", verdict, 7, "specsim check mine:verify --seed 7")
    made.tiers = [tier(verdict)]
    made.seconds = 1.25
    for name, value in more.items():
        setattr(made, name, value)
    return made


def rejected() -> Report:
    """A sampled engine, refuted, with everything that may be told of one."""
    effect = Effect("two/iid/1", (), (0, 2), 0.5, 367, 500, 0.185, 0.99)
    drawn = tier(
        "rejected",
        "500 blocks",
        log10_e=11.2,
        path=((125, 0.1), (250, -0.4), (500, 11.2)),
        effect=effect,
    )
    known = Diagnosis(
        "residual-is-target",
        "chain",
        "residual",
        "residual(p[i], q[i]) -> p[i]",
        ("vllm-project/vllm#8320", "somewhere else"),
        "99% of the evidence",
    )
    witness = Witness(
        "two/iid/1",
        {"root": ["1/4", "1/4", "1/2"], "0": ["1", "0", "0"]},
        {"root": ["1/2", "1/2", "0"]},
        (),
        2,
        "1/2",
        "31 of 125 draws",
        1,
        (0.25, 0.25, 0.5),
        (0.376, 0.376, 0.248),
        125,
    )
    finding = Finding("a coin of 0", {"p": [[1.0, 0.0]], "coin": 0.0}, "[1]", "0")
    return report(
        "rejected",
        tiers=[tier("exact"), drawn],
        diagnosis=[known],
        witness=witness,
        findings=[finding],
        excluded=["accept-all"],
        notes=["something odd"],
        log10_e=11.2,
    )


def vile() -> Report:
    """The same, of an engine whose every word is an attack."""
    made = rejected()
    made.engine = made.law = made.replay = VILE
    made.notes = made.excluded = [VILE]
    made.tiers = [Tier(VILE, verdict, VILE, 0.1) for verdict in ("errored", "rejected")]
    made.findings = [Finding(VILE, {VILE: VILE}, VILE, VILE)]
    made.diagnosis = [Diagnosis(VILE, VILE, VILE, VILE, (VILE,), VILE)]
    return made
