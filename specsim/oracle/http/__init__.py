"""Servers judged over HTTP, and a stub server to try it on."""
