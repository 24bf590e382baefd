"""Triton paged attention, read next to its oracles."""
