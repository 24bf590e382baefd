"""Serve a real model whose keys and values live in a block pool.

Importing this room imports torch and transformers, so it is asked for by name.
"""

# before transformers, which imports triton: one process interprets or compiles
import pagedkv_kernels as pagedkv_kernels
