// What the live view knows: the frames of replay/served_film.py, and what can be read off
// them at any step. A frame has the state of film.js and more, so blocks are drawn by the
// same code as in the player.

// The JSON of a run -> {film, prompts, size, reserve, tokenBytes, marks}.
function readRun(run) {
  const live = {
    title: run.title, source: run.source, size: run.block_size, reserve: run.reserve ?? 0,
    tokenBytes: run.token_bytes ?? 0, prompts: [],
    film: { numBlocks: run.num_blocks, blockSize: run.block_size, frames: [], hasTables: true,
      hueBySeq: new Map(), live: [], cache: new Map() },
    moments: [], // by step: {states, texts, ended, last} with Maps that later steps share
  };
  livePrompts(live, run.prompts);
  liveFrames(live, 0, run.frames);
  return live;
}

// Take up prompts that are new; each gets the next hue.
function livePrompts(live, prompts) {
  for (const prompt of prompts) {
    if (live.prompts.some((known) => known.seq === prompt.seq)) continue;
    live.film.hueBySeq.set(prompt.seq, live.prompts.length % HUES.length);
    live.prompts.push(prompt);
  }
}

// Take up frames from step `first` on. Returns false where some in between are missing.
function liveFrames(live, first, frames) {
  const known = live.film.frames.length;
  if (first > known) return false;
  const fresh = frames.slice(known - first);
  addFrames(live.film, fresh);
  for (const frame of fresh) live.moments.push(nextMoment(live.moments.at(-1), frame));
  return true;
}

function nextMoment(before, frame) {
  const states = new Map(before?.states);
  for (const [seq, state] of Object.entries(frame.states)) states.set(seq, state);
  const texts = new Map(before?.texts);
  for (const [seq, text] of frame.new) texts.set(seq, [...(texts.get(seq) ?? []), text]);
  const ended = new Map(before?.ended);
  for (const [seq, [why, length]] of Object.entries(frame.ended)) {
    if (!ended.has(seq)) ended.set(seq, { why, length, step: frame.step, gave: frame.freed_by[seq]?.length ?? 0 });
  }
  const lost = new Map(before?.lost); // by sequence: when its blocks went, and how many
  for (const [seq, blocks] of Object.entries(frame.dropped_by)) lost.set(seq, { step: frame.step, blocks: blocks.length });
  const left = new Map(before?.left); // by block: who gave it back last, and when
  for (const gone of [frame.dropped_by, frame.freed_by]) {
    for (const [seq, blocks] of Object.entries(gone)) for (const block of blocks) left.set(block, { seq, step: frame.step });
  }
  return { states, texts, ended, lost, left };
}

// One sequence at a step, as the answers are drawn from it.
function liveSequence(live, at, prompt) {
  const moment = live.moments[at];
  const table = at < 0 ? undefined : stateAt(live.film, at).tables.get(prompt.seq);
  return {
    prompt,
    state: moment?.states.get(prompt.seq) ?? "waiting",
    texts: moment?.texts.get(prompt.seq) ?? [],
    ended: moment?.ended.get(prompt.seq),
    lost: moment?.lost.get(prompt.seq),
    blocks: table?.blocks ?? [],
    len: table?.len ?? 0,
  };
}

// The pieces of one sequence in runs: [{block, from, to, texts}], block null where a token
// has no slot: it waits, or was chosen in this very step.
function liveRuns(sequence, size, from, to) {
  const all = [...sequence.prompt.pieces, ...sequence.texts];
  const runs = [];
  for (let position = from; position < to; position += 1) {
    const block = position < sequence.len ? sequence.blocks[Math.floor(position / size)] ?? null : null;
    const last = runs.at(-1);
    if (last && last.block === block) last.texts.push(all[position]);
    else runs.push({ block, texts: [all[position]] });
  }
  return runs;
}

// The words of the tokens that a block holds for one of its owners.
function liveWords(live, at, block) {
  const owners = factsAt(live.film, at).owners.get(block) ?? [];
  if (!owners.length) return null;
  const prompt = live.prompts.find((one) => one.seq === owners[0]);
  const sequence = liveSequence(live, at, prompt);
  const logical = sequence.blocks.indexOf(block);
  const from = logical * live.size;
  const to = Math.min(sequence.len, from + live.size);
  const all = [...prompt.pieces, ...sequence.texts];
  return { owners, count: to - from, text: all.slice(from, to).join("") };
}

// The next or the previous step in which somebody takes a block, or null.
function liveTaking(live, at, by) {
  for (let step = at + by; step >= 0 && step < live.film.frames.length; step += by) {
    if (Object.keys(live.film.frames[step].taken_by).length) return step;
  }
  return null;
}
