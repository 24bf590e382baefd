"""The parts of `pagedkv_kernels.checks`: one module for each kind of answer."""
