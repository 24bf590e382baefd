"""What runs in a learner's own process; it sees neither checks nor expected values."""
