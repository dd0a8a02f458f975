"""What a check found, for every reader: pages, XML, Markdown, badges, matrices.

Each writer is a function of reports and returns text; what engines say is escaped.
"""
