"""Drafters, one a file: what proposes the tokens that are verified."""
