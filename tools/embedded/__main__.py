"""Build, measure, write the README."""

import argparse
import tempfile
from pathlib import Path

import torch

from specsim import tokens
from specsim.training import data
from tools.embedded.build import DRAFT_ALONE, build
from tools.embedded.corpus import corpus
from tools.embedded.measure import measure, prompts
from tools.embedded.readme import readme


def main() -> None:
    """All stages on one thread, each said when it is done."""
    parser = argparse.ArgumentParser(description="Build the embedded models.")
    parser.add_argument("--output", type=Path, required=True, metavar="FOLDER")
    output = parser.parse_args().output
    scratch = Path(tempfile.gettempdir(), "specsim-embedded")
    for folder in (output, scratch):
        folder.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    texts = corpus(scratch)
    reports = []
    for report in build(data.read(texts.training), output, scratch):
        print(report.text(), flush=True)
        reports.append(report)
    asked = prompts(texts.held, tokens.load(output / tokens.FILE))
    found = [*measure(output, scratch / DRAFT_ALONE, asked)]
    (output / "README.md").write_text(readme(output, reports, found, len(asked)))


if __name__ == "__main__":
    main()
