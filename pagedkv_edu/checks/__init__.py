"""Is it right, and if not, what is the shortest way to see it."""
