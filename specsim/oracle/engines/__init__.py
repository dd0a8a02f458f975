"""Plumbing: how somebody else's engine is reached, one way a file."""
