"""A report as JUnit XML: what continuous integration shows as tests."""

from xml.etree import ElementTree as ET

from specsim.oracle.report import Report, Tier
from specsim.oracle.reporting.markup import clean


def document(report: Report) -> str:
    """One test suite, a test for each case.

    Rejected is a failure, errored an error; unsupported and inconclusive are skipped.
    """
    verdicts = [tier.verdict for tier in report.tiers]
    skipped = sum(verdict in ("unsupported", "inconclusive") for verdict in verdicts)
    suite = ET.Element(
        "testsuite",
        name=clean(f"specsim {report.engine}"),
        tests=str(len(verdicts)),
        failures=str(verdicts.count("rejected")),
        errors=str(verdicts.count("errored")),
        skipped=str(skipped),
        time=f"{report.seconds:.3f}",
    )
    properties = ET.SubElement(suite, "properties")
    for name, value in {
        "verdict": report.verdict,
        "law": report.law,
        "seed": str(report.seed),
        "replay": report.replay,
        **report.versions,
    }.items():
        ET.SubElement(properties, "property", name=name, value=clean(value))
    for tier in report.tiers:
        suite.append(_case(report, tier))
    ET.SubElement(suite, "system-out").text = clean(report.text())
    top = ET.Element("testsuites")
    top.append(suite)
    ET.indent(top)
    declared = '<?xml version="1.0" encoding="utf-8"?>\n'
    return declared + ET.tostring(top, encoding="unicode") + "\n"


def _case(report: Report, tier: Tier) -> ET.Element:
    case = ET.Element(
        "testcase",
        classname=clean(report.engine),
        name=clean(tier.name),
        time=f"{tier.seconds:.3f}",
    )
    detail = clean(tier.detail)
    if tier.verdict == "rejected":
        failure = ET.SubElement(case, "failure", message=detail, type="rejected")
        failure.text = clean(report.text())
    elif tier.verdict == "errored":
        ET.SubElement(case, "error", message=detail, type="errored")
    elif tier.verdict in ("unsupported", "inconclusive"):
        ET.SubElement(case, "skipped", message=f"{tier.verdict}: {detail}")
    return case
