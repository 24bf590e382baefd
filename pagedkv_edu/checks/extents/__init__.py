"""What an allocator of extents is held to."""
