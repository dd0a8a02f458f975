"""The page as a browser meets it; where there is one."""

import shutil
import subprocess
from pathlib import Path

import pytest

from specsim.oracle.reporting import html, matrix
from tests.oracle.reporting.made import rejected, report, vile

BROWSERS = "chromium", "chromium-browser", "google-chrome", "chrome"
BROWSER = next(filter(None, map(shutil.which, BROWSERS)), None)
POLICY = "default-src 'none'"

pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine")


def opened(page: str, folder: Path) -> tuple[str, str]:
    """The document as it stands after loading, and what the browser complained of."""
    file = folder / "page.html"
    file.write_text(page)
    words = "--headless --no-sandbox --disable-gpu --enable-logging=stderr --dump-dom"
    done = subprocess.run(
        [str(BROWSER), *words.split(), f"--user-data-dir={folder}", file.as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    return done.stdout, "\n".join(lines)


def test_pages_load_in_silence(tmp_path: Path) -> None:
    """The page's own policy forbids every request: one would be complained of."""
    for page in (html.page(vile()), matrix.page([report(), rejected()])):
        assert POLICY in page
        shown, complaints = opened(page, tmp_path)
        assert complaints == ""
        assert "REJECTED</h1>" in shown


def test_a_request_would_be_complained_of(tmp_path: Path) -> None:
    page = html.page(report()).replace("</main>", "<img src='x.png'></main>")
    assert "Content Security Policy" in opened(page, tmp_path)[1]
