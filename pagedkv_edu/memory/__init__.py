"""Who owns which block."""
