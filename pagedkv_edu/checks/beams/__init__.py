"""What a step of beam search is held to."""
