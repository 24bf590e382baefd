// What one event of a film shows: which blocks and entries it touches, what is ringed,
// crossed out or faded, and the three beats of a copy. Pure functions of a film.

const RINGS_UP_TO = 12; // more rings than this are noise; full ink says it too
const ARROWS_UP_TO = 3;

// A copy is shown in three beats: 1 shared, 2 copied, 3 flipped. Other events have none.
function numBeats(film, i) {
  return copyOf(film, i) ? 3 : 0;
}

// [source, target] of the first copy inside the pool, if both can be shown.
function copyOf(film, i) {
  const copy = film.frames[i]?.copies.find(([, , kind]) => kind === "copy");
  if (!copy || !knowsBefore(film, i)) return null;
  const [source, target] = copy;
  return isBlock(film, source) && isBlock(film, target) && source !== target ? [source, target] : null;
}

// The picture of event i (in a beat, if it is a copy):
//   shown       facts to draw: those before the event in beat 1, between in beat 2, else after
//   rings       Map block -> "touched" | "fresh" | "wrong" (freed, and still in a table)
//   looks       Map block -> "freed" | "dropped" | "kept", for this one event
//   inked       Set of the blocks that keep full ink
//   entries     Set of "sequence/k", the table entries that keep full ink
//   arrows      [{seq, k, block}] from a table entry to its block
//   leaving     blocks that this event takes from the free ones
//   gone        Map sequence -> its last table, for a sequence that has just left
//   flight      {source, target, slots, hue} in beat 2
//   main        the block the event is about, or null
function viewOf(film, i, beat) {
  const frame = film.frames[i];
  const known = knowsBefore(film, i);
  const after = factsAt(film, i);
  const before = known ? factsAt(film, i - 1) : after;
  const copy = copyOf(film, i);
  const view = {
    index: i, frame, known, before, after, copy,
    beat: copy ? beat : 0,
    shown: copy && beat < 3 ? (beat === 2 ? copiedFacts(film, i) : before) : after,
    rings: new Map(), looks: new Map(), inked: new Set(), entries: new Set(),
    arrows: [], leaving: [], gone: new Map(), flight: null, main: null,
  };
  if (copy) showCopy(film, view);
  else showChange(film, view);
  view.main ??= mainBlock(view);
  for (const block of [...view.rings.keys(), ...view.looks.keys()]) view.inked.add(block);
  markEntries(view);
  return view;
}

// Between: the slots are copied, the table entry has not changed. The target is taken and
// holds what the source holds.
function copiedFacts(film, i) {
  const frame = film.frames[i];
  if (frame.copied) return frame.copied;
  const [source, target] = copyOf(film, i);
  const before = factsAt(film, i - 1);
  if (before.state.counts[target] !== 0) return before; // into a block in use: a mistake
  const counts = before.state.counts.slice();
  counts[target] = 1;
  const between = new Facts(film, { ...before.state, counts, facts: undefined });
  const filled = before.filled.get(source) ?? 0;
  between.owners.set(target, [frame.seq]);
  between.filled.set(target, filled);
  between.low.set(target, filled);
  frame.copied = between;
  return between;
}

function showCopy(film, view) {
  const { frame, copy, beat, before } = view;
  const [source, target] = copy;
  view.main = beat === 3 ? target : source;
  view.rings.set(source, "touched");
  if (beat > 1) {
    view.rings.set(target, "fresh");
    view.leaving = [target];
  }
  if (beat === 2) {
    const slots = before.filled.get(source) ?? 0;
    view.flight = { source, target, slots, hue: hueOf(film, frame.seq) };
  }
  if (beat === 3) {
    for (const block of changedBlocks(view)) ringOrCross(view, block);
    for (const block of writtenBlocks(film, view)) ringOrCross(view, block);
    view.rings.set(target, "fresh");
  }
}

function showChange(film, view) {
  const { frame } = view;
  const touched = new Set([...changedBlocks(view), ...writtenBlocks(film, view)]);
  if (frame.kind === "fork") {
    // sharing touches every block of the parent; the one that matters next is the last
    touched.forEach((block) => view.inked.add(block));
    view.main = view.after.state.tables.get(frame.seq)?.blocks.at(-1) ?? null;
    if (view.main !== null) view.rings.set(view.main, "touched");
  } else for (const block of touched) ringOrCross(view, block, touched.size);
  view.leaving = frame.taken.filter((block) => isBlock(film, block) && !frame.freed.includes(block));
  for (const [seq, table] of view.before.state.tables) {
    if (view.known && !view.after.state.tables.has(seq)) view.gone.set(seq, table);
  }
}

// Blocks whose count or owners changed. Where the state before is not known, the event
// says. A right manager changes both together; a wrong one may change one of them.
function changedBlocks({ known, frame, before, after }) {
  if (!known) return [...new Set([...frame.taken, ...frame.freed])];
  const [was, is] = [before.state.counts, after.state.counts];
  const changed = new Set(changedEntries(before.state.tables, after.state.tables));
  for (let b = 0; b < is.length; b += 1) if (is[b] !== was[b]) changed.add(b);
  return [...changed].filter((block) => block in is).sort((a, b) => a - b);
}

// Blocks that entered or left a table. A table that did not change is the same object.
function* changedEntries(before, after) {
  for (const seq of new Set([...before.keys(), ...after.keys()])) {
    if (before.get(seq) === after.get(seq)) continue;
    const [was, is] = [new Set(before.get(seq)?.blocks), new Set(after.get(seq)?.blocks)];
    for (const block of was) if (!is.has(block)) yield block;
    for (const block of is) if (!was.has(block)) yield block;
  }
}

// Blocks that the event's tokens are written into.
function writtenBlocks(film, { frame, after }) {
  const table = after.state.tables.get(frame.seq);
  if (!table || !frame.tokens || frame.error || !film.blockSize) return [];
  const first = Math.floor((table.len - frame.tokens) / film.blockSize);
  const last = Math.floor((table.len - 1) / film.blockSize);
  return table.blocks.slice(Math.max(0, first), last + 1).filter((block) => isBlock(film, block));
}

function ringOrCross(view, block, numTouched = 1) {
  const { frame, after } = view;
  if (after.state.counts[block] === 0 && after.owners.has(block)) view.rings.set(block, "wrong");
  else if (after.state.cached?.has(block)) view.rings.set(block, "touched"); // free, not gone
  else if (after.state.counts[block] === 0) {
    const looks = { preempt: "dropped", swap_out: "kept" };
    view.looks.set(block, looks[frame.kind] ?? "freed");
  } else if (numTouched <= RINGS_UP_TO) view.rings.set(block, "touched");
  else view.inked.add(block);
}

function mainBlock({ rings, looks, frame }) {
  return [...rings.keys()].at(-1) ?? [...looks.keys()].at(0) ?? frame.taken.at(-1) ?? null;
}

// An entry keeps full ink if its block does; arrows go to the ringed ones.
function markEntries(view) {
  const { frame, shown, rings, inked } = view;
  const own = [];
  const others = [];
  for (const [seq, table] of shown.state.tables) {
    table.blocks.forEach((block, k) => {
      const forked = frame.kind === "fork" && seq === frame.seq;
      if (rings.has(block) || forked || (inked.has(block) && frame.kind !== "fork")) {
        view.entries.add(`${seq}/${k}`);
      }
      if (rings.has(block)) (seq === frame.seq ? own : others).push({ seq, k, block });
    });
  }
  const ends = own.length > 2 ? [own[0], own.at(-1)] : own;
  view.arrows = [...ends, ...others].slice(0, ARROWS_UP_TO);
}
