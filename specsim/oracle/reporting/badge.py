"""The verdict as the JSON that shields.io's endpoint badge reads."""

import json

from specsim.oracle.report import Report
from specsim.oracle.reporting.words import TONES, spoken

COLORS = {"good": "brightgreen", "fair": "yellow", "bad": "red", "none": "lightgrey"}


def document(report: Report) -> str:
    """See https://shields.io/badges/endpoint-badge.

    >>> json.loads(document(Report("mine:verify", "exact", 0, "")))["message"]
    'exact'
    """
    badge = {
        "schemaVersion": 1,
        "label": "specsim",
        "message": spoken(report.verdict),
        "color": COLORS[TONES[report.verdict]],
    }
    return json.dumps(badge) + "\n"
