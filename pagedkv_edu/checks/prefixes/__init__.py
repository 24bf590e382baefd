"""What a prefix cache is held to."""
