"""Vocabularies as large as real ones, where a law can only be sampled."""
