"""The hints of exercise 13: titles say what the learner sees, layers say more each."""

from pagedkv_edu.report import Hint

BEGIN = "I do not know where to begin"
DECIMAL = "There is a decimal point in my result"
CHANGES = "It changes the list that it was given"
THREE = "I do not return three lists"
TOKENS = "My first list, the tokens, is wrong"
POSITIONS = "My second list, the positions, is wrong"
SLOTS = "My third list, the slots, is wrong"

PYTHON_ERROR = "My code stops with an error"
ONE_PLAN = "The plan is asked for more than once, or never"
COPIES = "Copies are missing or come too late"
ONE_BATCH = "The model is called once for each sequence"
ROWS = "A row holds the wrong tokens"
APPEND = "A sequence has a token too many or too few"
FINISH = "The wrong sequences are finished"
RETURN = "The plan is not returned"

_ROWS = (
    Hint(
        BEGIN,
        (
            "A sequence has 10 tokens in the cache, and the last 3 of them are "
            "computed now. At which positions do they stand?",
            "From `seq_len - num_tokens` to `seq_len - 1`. The token, the slot and the "
            "position of each all follow from that.",
            "`positions = list(range(seq_len - num_tokens, seq_len))`; then a list of "
            "`known_ids[p]`, and one of slots.",
        ),
    ),
    Hint(
        THREE,
        (
            "What type does the signature promise?",
            "A tuple of three lists of equal length, in the order tokens, positions, "
            "slots.",
            "`return token_ids, positions, slots`",
        ),
    ),
    Hint(
        TOKENS,
        (
            "Are the tokens that you return the last ones that are known, or the last "
            "ones that have a slot?",
            "`known_ids` may be longer than `seq_len`: a long prompt is computed in "
            "chunks, and what comes after the chunk has no slot yet.",
            "`known_ids[seq_len - num_tokens : seq_len]`",
        ),
    ),
    Hint(
        POSITIONS,
        (
            "At which position does the first token of a sequence stand? And the first "
            "one of this step?",
            "Positions count through the whole sequence, from 0; the last token stands "
            "at `seq_len - 1`.",
            "`range(seq_len - num_tokens, seq_len)`",
        ),
    ),
    Hint(
        SLOTS,
        (
            "In which block is a position, and at which slot does that block begin?",
            "As in exercise 3.2: logical block, then the table, then block id times "
            "`block_size` plus offset.",
            "`block_ids[p // block_size] * block_size + p % block_size`",
        ),
    ),
    Hint(
        DECIMAL,
        (
            "Which of your operators makes a number with a decimal point?",
            "`/` divides and gives 2.0. A list index must be a whole number.",
            "`//` divides and rounds down.",
        ),
    ),
    Hint(
        CHANGES,
        (
            "Whose list is it, and what is it used for after your call?",
            "`known_ids` and `block_ids` belong to the caller, who goes on with them.",
            "`known_ids[a:b]` makes a new list and leaves the old one.",
        ),
    ),
)

_STEP = (
    Hint(
        BEGIN,
        (
            "Say in words what one step does. Which five parts has it?",
            "Plan, copy, compute, append, finish. The scheduler decides, the engine "
            "does, and you carry the tokens between them.",
            "`plan = scheduler.step()`, `engine.copy(plan.copies)`, a list of rows, "
            "`engine.compute(rows)`, and a loop over what came back.",
        ),
    ),
    Hint(
        PYTHON_ERROR,
        (
            "Which sequence does your line ask for, and is it in `plan.scheduled`?",
            "A sequence that waits has no table, and one that is over has none any "
            "more. Take every table before anybody is finished.",
            "`tables = {s: manager.table(s) for s in plan.scheduled}`, after the plan "
            "and before `finish`.",
        ),
    ),
    Hint(
        ONE_PLAN,
        (
            "How often is `scheduler.step()` called when your function runs once?",
            "Each call gives out tokens and blocks. Keep the plan in a name and read "
            "from that.",
            "`plan = scheduler.step()`, once, at the top.",
        ),
    ),
    Hint(
        COPIES,
        (
            "What would attention read in a block whose copy has not been made yet?",
            "The copies of a step come before its writes and reads: lesson 05. They "
            "include what comes back from the host.",
            "`engine.copy(plan.copies)` in the line after the plan.",
        ),
    ),
    Hint(
        ONE_BATCH,
        (
            "What does a GPU read for each call of the model, however few rows it has?",
            "All weights. So the rows of all sequences go into one call, prompts and "
            "single tokens mixed.",
            "Build the list of rows in a loop, and call `engine.compute(rows)` after "
            "the loop.",
        ),
    ),
    Hint(
        ROWS,
        (
            "Which tokens have got a slot in this step?",
            "The plan says how many; the table, asked after the plan, ends with them. "
            "`known` may go on behind them.",
            "`stop = table.seq_len`, then `known[seq_id][stop - num_tokens : stop]`.",
        ),
    ),
    Hint(
        APPEND,
        (
            "After which token does the model's next token come, if only a chunk of a "
            "prompt was computed?",
            "After the chunk, where the prompt goes on already. Only when all known "
            "tokens are computed is the next one new.",
            "`if table.seq_len == len(known[seq_id]): known[seq_id].append(token)`",
        ),
    ),
    Hint(
        FINISH,
        (
            "Who is over after this step, and when do you ask?",
            "`is_over` looks at what is known, so ask after the new token was "
            "appended. Who was refused has been freed already.",
            "`if is_over(seq_id): scheduler.finish(seq_id)`, below the append.",
        ),
    ),
    Hint(
        RETURN,
        (
            "What does the caller of your function want to know?",
            "It shows who was admitted and preempted, and reads that from the plan.",
            "`return plan` as the last line.",
        ),
    ),
)

HINTS: dict[str, tuple[Hint, ...]] = {"13.1": _ROWS, "13.2": _STEP}
