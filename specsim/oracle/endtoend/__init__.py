"""Whole engines, judged by what they emit from the probe pair."""
