"""The accuracy that docs/roofline.md states is what `specsim validate` prints."""

from pathlib import Path

from specsim.roofline.validation import validate

PAGE = Path(__file__).parents[3] / "docs" / "roofline.md"

LINES = {
    "decode steps, all": ("decode", None),
    "decode steps without a flag": ("decode", ("flag", "none")),
    "time per token served, dense models": ("tpot", ("model", "dense")),
    "time per token served, mixtures": ("tpot", ("model", "mixture")),
    "time to first token served": ("ttft", None),
    "speed-up of speculation": ("speedup", None),
}


def test_the_table_of_the_page_is_true() -> None:
    made = validate()
    groups = {(g["quantity"], g["by"], g["group"]): g for g in made.groups}
    page = PAGE.read_text()
    for name, (quantity, group) in LINES.items():
        held = groups[quantity, *group] if group else made.metrics[quantity]
        mape, inside = (100 * float(str(held[key])) for key in ("mape", "coverage"))
        line = f"| {name} | {held['n']:,} | {mape:.1f} % | {inside:.0f} % |"
        assert line in page


def test_the_page_counts_the_drafts_assumed() -> None:
    assumed = len(validate().flagged["drafts assumed"])
    assert f"- {assumed} served rows do not say that they drafted" in PAGE.read_text()
