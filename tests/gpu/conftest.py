"""Nothing to collect in cases.py: without torch, what imports it is skipped."""

collect_ignore = ["cases.py"]
