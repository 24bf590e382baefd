"""Broken pools, caches and servers, and how well a learner's check tells them."""
