"""Drafters, batched, where tensors do the work; others have one implementation."""
