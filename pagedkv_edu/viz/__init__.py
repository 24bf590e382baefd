"""What it looks like."""

from pagedkv_edu.viz.player import show as show
