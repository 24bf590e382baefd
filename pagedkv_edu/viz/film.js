// A film as it comes from replay/film.py: keyframes and changes, decoded to the state
// after any event, and what can be read off a state.

// The JSON of replay/film.py -> {numBlocks, blockSize, frames, hasTables, hueBySeq}.
// Ask stateAt(film, i) and factsAt(film, i); addFrames(film, more) makes it longer.
function readFilm(json) {
  const film = {
    numBlocks: json.num_blocks,
    blockSize: json.block_size,
    frames: [],
    hasTables: json.block_size !== null,
    hueBySeq: new Map(),
    live: [],
    cache: new Map(),
  };
  addFrames(film, json.frames);
  return film;
}

// Take up more frames. They must begin with a keyframe or follow the last one.
function addFrames(film, frames) {
  for (const frame of frames) {
    film.frames.push(frame);
    const { tables } = frame.state ?? frame.changes;
    if (frame.state) film.live = film.live.filter((seq) => seq in tables);
    for (const [seq, table] of Object.entries(tables)) {
      if (table === null) film.live = film.live.filter((other) => other !== seq);
      else if (!film.live.includes(seq)) {
        if (!film.hueBySeq.has(seq)) film.hueBySeq.set(seq, nextHue(film));
        film.live.push(seq);
      }
    }
    film.hasTables ||= film.live.length > 0;
  }
}

// The same rule as next_hue in palette.py: of the hues that no live sequence has, the
// one given least often, first in order.
function nextHue(film) {
  const taken = new Set(film.live.map((seq) => film.hueBySeq.get(seq)));
  const times = HUES.map((_, i) => [...film.hueBySeq.values()].filter((h) => h === i).length);
  const all = HUES.map((_, i) => i);
  const open = all.filter((i) => !taken.has(i));
  return (open.length ? open : all).reduce((a, b) => (times[b] < times[a] ? b : a));
}

// The hue of a sequence; one that the film never shows a table of gets the first.
function hueOf(film, seq) {
  return HUES[film.hueBySeq.get(String(seq)) ?? 0];
}

// The state after event i: {counts: Int32Array by block, tables: Map of {blocks, len}
// by sequence, parents: object}. Before the first event nothing is held.
function stateAt(film, i) {
  if (i < 0) return emptyState(film);
  if (film.cache.has(i)) return film.cache.get(i);
  const frame = film.frames[i];
  let state;
  if (frame.state) {
    state = emptyState(film);
    change(state, frame.state);
  } else {
    // walk from the nearest known state, without recursion
    let from = i;
    while (!film.frames[from].state && !film.cache.has(from)) from -= 1;
    const start = film.cache.get(from) ?? stateAt(film, from);
    state = { counts: start.counts.slice(), tables: new Map(start.tables), parents: {} };
    for (let k = from + 1; k <= i; k += 1) change(state, film.frames[k].changes);
  }
  state.cached = new Set(film.frames[i].cached); // free blocks that can be found, where told
  film.cache.set(i, state);
  if (film.cache.size > 32) film.cache.delete(film.cache.keys().next().value);
  return state;
}

function emptyState(film) {
  return { counts: new Int32Array(film.numBlocks), tables: new Map(), parents: {} };
}

function change(state, changes) {
  for (const [block, count] of Object.entries(changes.counts)) {
    if (block in state.counts) state.counts[block] = count ?? 0;
  }
  for (const [seq, table] of Object.entries(changes.tables)) {
    if (table === null) state.tables.delete(seq);
    else state.tables.set(seq, table);
  }
  state.parents = changes.parents ?? {};
}

// Whether the state before frame 0 is known: a film that was cut from a longer one
// begins in the middle, and then nothing may be said of what was before.
function knowsBefore(film, i) {
  if (i > 0) return true;
  const [first] = film.frames;
  const { tables, counts } = first.state ?? first.changes;
  const own = Object.keys(tables).every((seq) => seq === first.seq);
  return own && Object.keys(counts).every((block) => first.taken.includes(Number(block)));
}

// --- what can be read off a state --------------------------------------------------

// {state, owners: Map block -> [sequences], filled: Map block -> slots that hold a token
// of some owner, low: Map block -> slots that hold a token of every owner,
// numHeld, notes: Map sequence -> [what is wrong with its table]}.
// It must be right for a wrong manager too, so nothing is taken for granted.
function factsAt(film, i) {
  return factsOf(film, stateAt(film, i));
}

function factsOf(film, state) {
  state.facts ??= new Facts(film, state);
  return state.facts;
}

// Worked out when they are first asked for: of the state before an event seldom all are.
class Facts {
  constructor(film, state) {
    this.film = film;
    this.state = state;
  }

  get owners() { return this.#blocks().owners; }
  get filled() { return this.#blocks().filled; }
  get low() { return this.#blocks().low; }

  get numHeld() {
    if (this.held === undefined) {
      this.held = 0;
      for (const count of this.state.counts) this.held += count !== 0;
    }
    return this.held;
  }

  get notes() {
    if (!this.wrong) {
      this.wrong = new Map();
      for (const [seq, table] of this.state.tables) {
        const notes = tableNotes(this.film, this.state, table);
        if (notes.length) this.wrong.set(seq, notes);
      }
    }
    return this.wrong;
  }

  #blocks() {
    this.byBlock ??= readTables(this.film, this.state);
    return this.byBlock;
  }
}

function readTables(film, state) {
  const owners = new Map();
  const filled = new Map();
  const low = new Map();
  const size = film.blockSize ?? 1;
  for (const [seq, { blocks, len }] of state.tables) {
    for (let k = 0; k < blocks.length; k += 1) {
      const block = blocks[k];
      const here = Math.max(0, Math.min(size, len - k * size));
      const holders = owners.get(block);
      if (!holders) {
        owners.set(block, [seq]);
        filled.set(block, here);
        low.set(block, here);
        continue;
      }
      if (holders.at(-1) !== seq) holders.push(seq);
      if (here > filled.get(block)) filled.set(block, here);
      if (here < low.get(block)) low.set(block, here);
    }
  }
  return { owners, filled, low };
}

function tableNotes(film, state, table) {
  const notes = [];
  const { blocks, len } = table;
  const once = new Set(blocks);
  const twice = once.size === blocks.length ? [] : [...once].filter((b) => blocks.indexOf(b) !== blocks.lastIndexOf(b));
  const unknown = [...once].filter((block) => !isBlock(film, block));
  const free = [...once].filter((block) => isBlock(film, block) && !state.counts[block]);
  const named = (ids) => (ids.length === 1 ? `block ${ids[0]} is` : `blocks ${listed(ids)} are`);
  if (twice.length) notes.push(`${named(twice)} in this table twice`);
  if (unknown.length) notes.push(`the pool has no block ${listed(unknown)}`);
  if (free.length) notes.push(`${named(free)} free, and in this table`);
  const needed = Math.ceil(len / (film.blockSize ?? 1));
  if (film.blockSize && needed !== blocks.length) {
    notes.push(`${amount(len, "token")} need ${amount(needed, "block")}, here are ${blocks.length}`);
  }
  return notes;
}

function isBlock(film, block) {
  return Number.isInteger(block) && block >= 0 && block < film.numBlocks;
}

// What cellSvg wants to know of one block; add x, y, size and how it is to be shown.
function cellOf(film, facts, block) {
  const owners = facts.owners.get(block) ?? [];
  const count = isBlock(film, block) ? facts.state.counts[block] : 0;
  return {
    id: block,
    owners: owners.map((seq) => ({ label: seq, hue: hueOf(film, seq) })),
    count,
    filled: facts.filled.get(block) ?? 0,
    low: facts.low.get(block) ?? 0,
    slots: film.blockSize,
    state: cellState(film, owners, count, facts.state.cached?.has(block)),
    wrongCount: film.hasTables && (owners.length > 0 || count !== 0) && count !== owners.length,
  };
}

// free, held; cached: free and findable; lost: counted and in no table; dangling: in a
// table and free.
function cellState(film, owners, count, isCached = false) {
  if (!count && isCached && !owners.length) return "cached";
  if (!film.hasTables) return count ? "held" : "free";
  if (owners.length) return count ? "held" : "dangling";
  return count ? "lost" : "free";
}
