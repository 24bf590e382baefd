"""Record the small model answering four prompts, for machines without the model.

    python -m tools.record_run

writes pagedkv_edu/course/recordings/four_prompts.json. It needs `make model`.
"""

import json
import sys
from pathlib import Path

from pagedkv_edu.course.live import PROMPTS, RECORDING
from pagedkv_edu.course.live_session import LETTERS
from pagedkv_edu.engine import Sampling, Server, load_model
from pagedkv_edu.engine.chat import chat_prompt, pieces
from pagedkv_edu.replay.served_film import ServedFilm, ServedPrompt
from pagedkv_edu.report import Json

FOLDER = Path(__file__).resolve().parents[1] / "pagedkv_edu" / "course" / "recordings"
NUM_BLOCKS, BLOCK_SIZE, MAX_NEW_TOKENS = 24, 16, 90
MOST_BYTES = 500_000


def record() -> Json:
    """Serve the prompts; return the run as the view takes it."""
    model = load_model()
    server = Server(model, num_blocks=NUM_BLOCKS, block_size=BLOCK_SIZE)
    film = ServedFilm(
        NUM_BLOCKS, BLOCK_SIZE, MAX_NEW_TOKENS + 32, server.spec.bytes_per_token
    )
    sampling = Sampling(MAX_NEW_TOKENS, stop_ids=model.stop_ids)
    for seq_id, (label, question) in enumerate(zip(LETTERS, PROMPTS, strict=False)):
        prompt_ids = model.token_ids(chat_prompt(question))
        server.submit(seq_id, prompt_ids, sampling)
        words = pieces(model, prompt_ids)
        film.ask(ServedPrompt(seq_id, label, question, words))
    server.run(film.add)
    return film.to_json(
        "Four prompts, one model, one pool", "SmolLM2-135M-Instruct, recorded"
    )


def main() -> int:
    """Write the recording; say what it holds."""
    text = json.dumps(record(), separators=(",", ":"), ensure_ascii=False) + "\n"
    if len(text.encode()) > MOST_BYTES:
        print(f"{len(text.encode()):,} bytes are more than {MOST_BYTES:,}")
        return 1
    path = FOLDER / RECORDING
    path.write_text(text, encoding="utf-8")
    print(f"{path.name}: {len(text.encode()):,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
