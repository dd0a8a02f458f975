"""Pages, XML, Markdown and badges say what was found, and no more."""

import json
import re
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest

from specsim.oracle.report import EXIT, PROOF, grade
from specsim.oracle.reporting import badge, drawing, html, junit, markdown, matrix
from tests.oracle.reporting.made import VILE, rejected, report, tier, vile

VOID = {"meta", "link", "wbr"}


class Strict(HTMLParser):
    """The text of a page whose elements are all closed in order."""

    def __init__(self, page: str):
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.said = ""
        self.feed(page)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.said += data


@pytest.mark.parametrize("verdict", EXIT)
def test_every_verdict_has_a_page_a_badge_a_suite_and_a_summary(verdict: str) -> None:
    made = report(verdict)
    page = Strict(html.page(made))
    assert made.headline in page.said
    assert "mine:verify" in page.said
    assert made.replay in page.said
    assert made.headline in markdown.document(made)
    told = json.loads(badge.document(made))
    assert (told["schemaVersion"], told["label"]) == (1, "specsim")
    assert told["message"] == verdict.replace("_", " ")
    assert told["color"] in ("brightgreen", "yellow", "red", "lightgrey")
    assert ET.fromstring(junit.document(made)).find("testsuite/testcase") is not None


def test_the_page_of_a_refuted_engine_tells_everything() -> None:
    made = rejected()
    said = Strict(html.page(made)).said
    for part in (
        "log10 E 11.2",
        "after 500 blocks",
        "TV at least 0.185 (99% confidence)",
        "found 0.248 (0.1751 to 0.3332)",
        "residual(p[i], q[i])",
        "accept-all",
        "something odd",
        "a coin of 0",
        "python",
        "Seed 7",
    ):
        assert part in said, part


def test_reports_in_public_are_links_and_hearsay_is_not() -> None:
    page = Strict(html.page(rejected()))
    links = [dict(attrs)["href"] for name, attrs in page.seen if name == "a"]
    assert links == ["https://github.com/vllm-project/vllm/issues/8320"]
    assert "somewhere else" in page.said


@pytest.mark.parametrize("page", [html.page(vile()), matrix.page([vile(), vile()])])
def test_what_an_engine_says_is_never_markup(page: str) -> None:
    read = Strict(page)
    assert not {"script", "img", "iframe"} & {name for name, _ in read.seen}
    assert "<script>alert(1)</script>" in read.said
    assert "\x1b" not in page
    assert "\x00" not in page
    page.encode()


def test_a_page_needs_nothing_from_elsewhere() -> None:
    page = html.page(rejected())
    read = Strict(page)
    assert not [a for _, a in read.seen if "src" in a]
    linked = [a["href"] for name, a in read.seen if name == "link"]
    assert linked == ["data:,"]
    assert "url(" not in page
    assert "@import" not in page


def test_xml_counts_and_holds_what_xml_may() -> None:
    suite = ET.fromstring(junit.document(vile())).find("testsuite")
    assert suite is not None
    counts = [suite.get(name) for name in ("tests", "failures", "errors", "skipped")]
    assert counts == ["2", "1", "1", "0"]
    failure = suite.find("testcase/failure")
    assert failure is not None
    assert "<script>" in str(failure.get("message"))
    skipped = ET.fromstring(junit.document(report("inconclusive"))).find("testsuite")
    assert skipped is not None
    assert skipped.get("skipped") == "1"


def test_markdown_is_not_led_astray() -> None:
    text = markdown.document(vile())
    outside = re.sub(r"(`+)[^`].*?[^`]\1(?!`)|\\.", "", text)
    assert "<" not in outside
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert len(table) == 4
    bars = [line.replace(r"\|", "").count("|") for line in table]
    assert bars == [5] * 4


def test_a_code_span_outlasts_the_ticks_inside() -> None:
    assert markdown.code("a``b") == "``` a``b ```"
    assert markdown.code("plain") == "`plain`"


def test_grades_begin_where_they_should() -> None:
    graded = [grade(e) for e in (-3, 0.99, 1, 2.99, 3, 5.99, 6, 8.99, 9, 1000)]
    assert graded == [
        *["clean"] * 2,
        *["note"] * 2,
        *["suspicious"] * 2,
        *["very suspicious"] * 2,
        *["fail"] * 2,
    ]


def test_an_impossible_token_is_infinite_evidence_and_stays_in_the_picture() -> None:
    told = tier("rejected", log10_e=PROOF, path=((125, PROOF),))
    drawn = drawing.evidence([told], 1e-9)
    assert drawn
    assert "log10 E infinite after 125 blocks" in drawn
    heights = [float(y) for y in drawn.split('points="')[1].split('"')[0].split()[1:]
               for y in y.split(",")[1:]]  # fmt: skip
    assert all(0 <= y <= drawing.HIGH for y in heights)


def test_only_the_furthest_tokens_of_a_wide_row_are_drawn() -> None:
    made = rejected()
    assert made.witness
    wide = tuple([1 / 100] * 100)
    off = (0.5, *wide[1:])
    fields = {**vars(made.witness), "wanted": wide, "found": off, "token": 0}
    drawn = drawing.row(type(made.witness)(**fields))
    assert drawn
    assert drawn.count(">token ") == drawing.SHOWN
    assert ">token 0<" in drawn


def test_the_matrix_has_a_row_a_case_and_a_column_an_engine() -> None:
    many = [report("exact"), rejected(), report("errored")]
    table = matrix.as_dict(many)
    names = ["verify/rng/errored", "verify/rng/exact", "verify/rng/rejected"]
    assert table["cases"] == names
    assert [e["verdict"] for e in table["engines"]] == ["exact", "rejected", "errored"]
    page = Strict(matrix.page(many))
    ids = {attrs["id"] for _, attrs in page.seen if attrs.get("id")}
    inner = {a["href"] for name, a in page.seen if name == "a" and a["href"]}
    assert {link[1:] for link in inner if link and link[0] == "#"} <= ids
    titles = [attrs.get("title") for _, attrs in page.seen]
    assert "fail, log10 E 11.2: 500 blocks" in titles
    text = matrix.text(many).splitlines()
    assert text[1].split() == ["verify/rng/errored", "-", "-", "errored"]
    assert matrix.summary(many).count("\n") == 2 + len(names) + 1


def test_vile_is_vile() -> None:
    assert all(c in VILE for c in "<>&\"'|`\x1b\x00")
