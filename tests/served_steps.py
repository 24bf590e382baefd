"""Steps of a server, served from a scheduler without a model: "a1" follows "a0"."""

from collections.abc import Iterator

from pagedkv_edu import BlockManager, BlockPool
from pagedkv_edu.replay.served_film import ServedFilm, ServedPrompt
from pagedkv_edu.serving.scheduler import Scheduler
from pagedkv_edu.serving.served import AnswerSoFar, Counters, NewToken, ServedStep
from pagedkv_edu.serving.workload import Request


def served_steps(
    requests: list[tuple[int, int]],
    *,
    num_blocks: int,
    block_size: int = 4,
    num_host_blocks: int = 0,
) -> Iterator[ServedStep]:
    """Serve (prompt, answer) lengths, all at once; a word stands for each token."""
    pool = BlockPool(num_blocks)
    host = BlockPool(num_host_blocks) if num_host_blocks else None
    manager = BlockManager(pool, block_size, host)
    scheduler = Scheduler(
        manager, pool, block_size, preempt_by="swap" if host else "recompute"
    )
    for seq_id, (num_prompt, num_answer) in enumerate(requests):
        scheduler.submit(Request(seq_id, num_prompt, num_answer, max_tokens=num_answer))
    texts: dict[int, list[str]] = {i: [] for i in range(len(requests))}
    left = set(texts)
    index = 0
    while scheduler.has_work:
        plan = scheduler.step()
        tables = {seq_id: manager.table(seq_id) for seq_id in plan.scheduled}
        new: list[NewToken] = []
        ended: dict[int, str] = {}
        for seq_id, table in tables.items():
            assert isinstance(seq_id, int)
            num_prompt, num_answer = requests[seq_id]
            if table.seq_len < num_prompt + len(texts[seq_id]):
                continue
            word = f" {'abcdefgh'[seq_id]}{len(texts[seq_id])}"
            texts[seq_id].append(word)
            new.append(NewToken(seq_id, 0, word))
            if len(texts[seq_id]) == num_answer:
                ended[seq_id] = "length"
                scheduler.finish(seq_id)
        answers = tuple(
            AnswerSoFar(i, "".join(texts[i]), len(texts[i]), ended.get(i, ""))
            for i in sorted(left)
        )
        left -= set(ended)
        yield ServedStep(
            index,
            plan,
            tuple(new),
            tables,
            answers,
            Counters(),
            num_blocks,
            pool.num_free,
        )
        index += 1


def film_of(
    requests: list[tuple[int, int]],
    *,
    num_blocks: int,
    block_size: int = 4,
    num_host_blocks: int = 0,
    reserve: int = 8,
) -> ServedFilm:
    """Return the film of such a run."""
    film = ServedFilm(num_blocks, block_size, reserve, token_bytes=2048)
    for seq_id, (num_prompt, _) in enumerate(requests):
        pieces = tuple(f" p{i}" for i in range(num_prompt))
        label = "ABCDEFGH"[seq_id]
        film.ask(ServedPrompt(seq_id, label, f"Question {label}?", pieces))
    for step in served_steps(
        requests,
        num_blocks=num_blocks,
        block_size=block_size,
        num_host_blocks=num_host_blocks,
    ):
        film.add(step)
    return film
