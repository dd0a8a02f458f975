"""specsim report: results of checks, for every reader."""

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from specsim.commands import Add
from specsim.commands.saying import put, say, writable
from specsim.errors import Bad

if TYPE_CHECKING:
    from specsim.oracle.report import Report


def add(command: Add) -> None:
    """Declare `report`."""
    made = command("report", report, "a check's result as a page; several as a matrix")
    made.add_argument(
        "results", nargs="+", metavar="RESULT.json", help="of specsim check --json"
    )
    made.add_argument("--html", metavar="FILE", help="a page in one file")
    made.add_argument("--markdown", metavar="FILE", help="for a CI step's summary")
    made.add_argument("--badge", metavar="FILE", help="of one result, for shields.io")
    made.add_argument("--junit", metavar="FILE", help="of one result: JUnit XML")


def report(args: Namespace) -> int:
    from specsim.oracle.reporting import results

    names = "html", "markdown", "badge", "junit"
    writable(**{name: vars(args)[name] for name in names})
    reports = [results.load(Path(name)) for name in args.results]
    if len(reports) == 1:
        return _one(args, reports[0])
    if args.badge or args.junit:
        raise Bad("--badge and --junit are of one result: name one file")
    return _several(args, reports)


def _one(args: Namespace, result: "Report") -> int:
    from specsim.oracle.reporting import badge, html, junit, markdown

    if args.html:
        put("--html", args.html, html.page(result))
    if args.markdown:
        put("--markdown", args.markdown, markdown.document(result))
    if args.badge:
        put("--badge", args.badge, badge.document(result))
    if args.junit:
        put("--junit", args.junit, junit.document(result))
    say(args, result.as_dict(), lambda: _plain(result.text()))
    return 0


def _several(args: Namespace, reports: list["Report"]) -> int:
    from specsim.oracle.reporting import matrix

    if args.html:
        put("--html", args.html, matrix.page(reports))
    if args.markdown:
        put("--markdown", args.markdown, matrix.summary(reports))
    say(args, matrix.as_dict(reports), lambda: _plain(matrix.text(reports)))
    return 0


def _plain(text: str) -> str:
    from specsim.oracle.reporting.markup import clean

    return clean(text)
