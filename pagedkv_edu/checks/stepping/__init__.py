"""A step of continuous batching, led through small services without a model."""
