"""What a block manager is held to."""
