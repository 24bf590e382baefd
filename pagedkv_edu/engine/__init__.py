"""Serve a real model whose keys and values live in a block pool.

Importing this room imports torch and transformers, so it is asked for by name.
"""

# before transformers, which imports triton: one process interprets or compiles
import pagedkv_kernels as pagedkv_kernels

from pagedkv_edu.engine.background import Running as Running
from pagedkv_edu.engine.background import start as start
from pagedkv_edu.engine.generate import generate as generate
from pagedkv_edu.engine.generate import prepare as prepare
from pagedkv_edu.engine.generate import stream as stream
from pagedkv_edu.engine.model import load_model as load_model
from pagedkv_edu.engine.sampling import Sampling as Sampling
from pagedkv_edu.engine.server import Server as Server
