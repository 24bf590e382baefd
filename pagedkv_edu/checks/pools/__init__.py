"""What a block pool is held to."""
