"""Download and convert; then, if asked, write text and teach drafts on it."""

import argparse
import tempfile
from pathlib import Path

from tools.smollm2.convert import WRITTEN, convert, downloaded


def main() -> None:
    """What is there already is not made again."""
    parser = argparse.ArgumentParser(description="SmolLM2, and drafts for it.")
    parser.add_argument("folder", type=Path, help="of the model")
    parser.add_argument("--heads", type=Path, metavar="FOLDER", help="train drafts too")
    asked = parser.parse_args()
    if not all((asked.folder / name).exists() for name in WRITTEN):
        asked.folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as place:
            convert(downloaded(Path(place)), asked.folder)
    if asked.heads:
        from tools.smollm2.heads import heads

        asked.heads.mkdir(parents=True, exist_ok=True)
        for report in heads(asked.folder, asked.heads):
            print(report.text(), flush=True)


if __name__ == "__main__":
    main()
