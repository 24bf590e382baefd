"""What happened: watch a pool or a manager from outside, and play it back."""

from pagedkv_edu.replay.describe import describe as describe
from pagedkv_edu.replay.describe import headline as headline
from pagedkv_edu.replay.events import Event as Event
from pagedkv_edu.replay.film import encode as encode
from pagedkv_edu.replay.frames import Frame as Frame
from pagedkv_edu.replay.frames import frames as frames
from pagedkv_edu.replay.memory import WordMemory as WordMemory
from pagedkv_edu.replay.recorded_pool import RecordedPool as RecordedPool
from pagedkv_edu.replay.recording import RecordedManager as RecordedManager
from pagedkv_edu.replay.recording import (
    RecordedSwappingManager as RecordedSwappingManager,
)
