// A history over blocks, in rows: which blocks are drawn, what differs from the reference,
// and what is wrong by itself.

const LEAST_STATE = 290;
const MOST_STATE = 376; // two of them leave room for the calls

// How a history over blocks is drawn: which blocks (only those that some call touches,
// and free ones up to four), how large, and how wide the column is.
function blocksLook(sides) {
  const { shown, numBlocks } = shownBlocks(sides);
  const few = shown.length <= 8;
  const perLine = few ? Math.min(4, shown.length) : shown.length <= 24 ? 8 : 12;
  const [size, gap] = few ? [40, 8] : shown.length <= 24 ? [28, 9] : [18, 4];
  const poolWidth = perLine * (size + gap) + 6;
  const longest = Math.max(1, ...sides.map((side) => longestTable(side)));
  const tables = sides.some((side) => side.film.hasTables) ? 70 + Math.min(longest, 4) * 27 : 0;
  const beside = 14 + poolWidth + tables + 62;
  const stacked = beside > MOST_STATE;
  const stackedWidth = 14 + Math.max(poolWidth + 78, Math.min(tables, 330));
  return {
    width: Math.max(LEAST_STATE, Math.min(MOST_STATE, stacked ? stackedWidth : beside)),
    stacked,
    note: blocksNote(shown, numBlocks),
    differences: blockDifferences,
    draw: (film, i, marks, { ring }) => drawBlocks(film, i, marks, { shown, perLine, size, gap, ring }),
  };
}

function shownBlocks(sides) {
  const numBlocks = Math.max(...sides.map((side) => side.film.numBlocks));
  const touched = new Set();
  for (const { film } of sides) {
    film.frames.forEach((frame, i) => {
      const { state, owners } = factsAt(film, i);
      state.counts.forEach((count, block) => count && touched.add(block));
      for (const block of owners.keys()) touched.add(block);
      for (const block of [...(frame.taken ?? []), ...(frame.freed ?? [])]) touched.add(block);
    });
  }
  for (let block = 0; block < numBlocks && touched.size < 4; block += 1) touched.add(block);
  const shown = [...touched].filter((block) => block >= 0 && block < numBlocks);
  return { shown: shown.sort((a, b) => a - b), numBlocks };
}

function blocksNote(shown, numBlocks) {
  const rest = numBlocks - shown.length;
  if (!rest) return "";
  return rest === 1 ? "1 more block, always free" : `${rest} more blocks, always free`;
}

function longestTable({ film }) {
  let longest = 0;
  film.frames.forEach((_, i) => {
    for (const table of stateAt(film, i).tables.values()) longest = Math.max(longest, table.blocks.length);
  });
  return longest;
}

// For each call a Map: block -> "block", `${seq}.${k}` -> an entry, `${seq}` -> its
// length, "free" -> the number of free blocks; present where yours differs. Blocks are
// compared up to renaming: a block keeps its counterpart for as long as it is held.
function blockDifferences(yours, reference, numCalls) {
  const counterpart = new Map();
  return Array.from({ length: numCalls }, (_, i) => {
    const marks = new Map();
    if (!yours.film.frames[i] || !reference.film.frames[i]) return marks;
    const mine = factsAt(yours.film, i);
    const wanted = factsAt(reference.film, i);
    const given = [...counterpart].filter(([block]) => !mine.state.counts[block] && !mine.owners.has(block));
    given.forEach(([block]) => counterpart.delete(block));
    for (const [seq, table] of mine.state.tables) compareTable(marks, counterpart, seq, table, wanted.state.tables.get(seq));
    pairOwnerless(counterpart, yours.film, mine, wanted);
    for (const [block, other] of given) {
      const isMissed = wanted.state.counts[other] && ![...counterpart.values()].includes(other);
      // given back too early, or it can be found in one of the two only
      if (isMissed || mine.state.cached?.has(block) !== wanted.state.cached?.has(other)) marks.set(block, "block");
    }
    for (let block = 0; block < yours.film.numBlocks; block += 1) {
      const count = mine.state.counts[block];
      const inTables = mine.owners.get(block)?.length ?? 0;
      const other = counterpart.get(block);
      const known = other === undefined ? 0 : wanted.state.counts[other];
      if (marks.has(block)) continue;
      if (count !== known || (yours.film.hasTables && count !== inTables)) marks.set(block, "block");
    }
    if (yours.film.frames[i].num_free !== reference.film.frames[i].num_free) marks.set("free", true);
    return marks;
  });
}

function compareTable(marks, counterpart, seq, table, wanted) {
  if (!wanted) {
    marks.set(seq, true);
    return;
  }
  if (table.len !== wanted.len) marks.set(seq, true);
  const taken = new Set(counterpart.values());
  table.blocks.forEach((block, k) => {
    const other = wanted.blocks[k];
    if (!counterpart.has(block) && other !== undefined && !taken.has(other)) {
      counterpart.set(block, other);
      taken.add(other);
    }
    if (counterpart.get(block) !== other || other === undefined) marks.set(`${seq}.${k}`, true);
  });
}

// A pool by itself has no tables to compare; there the ids of held blocks are paired in
// the order in which they were taken.
function pairOwnerless(counterpart, film, mine, wanted) {
  if (film.hasTables) return;
  const held = (facts) => [...facts.state.counts.keys()].filter((block) => facts.state.counts[block]);
  const open = held(wanted).filter((block) => ![...counterpart.values()].includes(block));
  for (const block of held(mine)) {
    if (counterpart.has(block) || !open.length) continue;
    const same = open.indexOf(block);
    counterpart.set(block, open.splice(Math.max(0, same), 1)[0]);
  }
}

function drawBlocks(film, i, marks, look) {
  const facts = factsAt(film, i);
  const frame = film.frames[i];
  const parts = [poolSvg(film, facts, marks, look)];
  if (film.hasTables) parts.push(tablesHtml(film, facts, frame, marks));
  parts.push(freeHtml(frame.num_free, frame.cached?.length ?? 0, marks.has("free")));
  return { parts, notes: newNotes(i, (k) => stateNotes(film, k)) };
}

function poolSvg(film, facts, marks, { shown, perLine, size, gap, ring }) {
  const numLines = Math.ceil(shown.length / perLine);
  const pitch = size + gap;
  const top = size >= 28 ? 11 : 3;
  const label = shown.map((block) => blockSpoken(film, facts, block)).filter(Boolean).join("; ");
  const svg = newSvg(perLine * pitch + 6, numLines * pitch + top - gap + 4, label || "all blocks free");
  const paint = paintBox(svg);
  const cells = shown.map((block, k) => ({
    ...cellOf(film, facts, block),
    x: 4 + (k % perLine) * pitch,
    y: top + Math.floor(k / perLine) * pitch,
    size,
    ring: ring && marks.has(block) ? "wrong" : "",
    isWrong: marks.has(block),
  }));
  // badges last: the ring of a neighbour must not cover a count
  svg.body.innerHTML =
    cells.map((cell) => cellSvg(paint, { ...cell, letters: size < 36 && cell.owners.length < 2 }) + ownersSvg(cell)).join("") +
    cells.map((cell) => (film.hasTables ? cornerBadge(cell) : "")).join("");
  return svg;
}

// The owners' letters in a large cell. How full the block is shows in its level, and
// the length stands beside the table, so there is no "1/4" here.
function ownersSvg({ x, y, size, owners, filled, low, slots, state }) {
  if (size >= 40 && state === "cached") {
    return textSvg(x + size / 2, y + size / 2 + 9, "cached", { "font-size": 10, "text-anchor": "middle", ...HALO, "stroke-width": 4 });
  }
  if (size < 36 || !owners.length || state !== "held") return "";
  const isFull = !slots || (filled >= slots && low >= slots);
  const onHue = isFull && owners.length === 1;
  const look = onHue ? { fill: owners[0].hue.text } : HALO;
  const hasPlate = isFull && !onHue; // stripes from top to bottom: no halo is enough
  const plate = hasPlate ? rectSvg(x + 2, y + size / 2 - 7.5, size - 4, 15, { rx: 3, fill: "var(--paper)", opacity: 0.92 }) : "";
  return plate + textSvg(x + size / 2, y + size / 2 + 4, ownersLabel(owners, size - 6, 11.5), {
    "font-size": 11.5, "font-weight": 700, "text-anchor": "middle", ...look,
  });
}

function cornerBadge({ x, y, size, count, isWrong, wrongCount }) {
  if (size < 28 || !count) return "";
  return badgeSvg(x + size - 1, y + 1, count, { radius: size >= 40 ? 9 : 7.5, loss: isWrong || wrongCount });
}

function blockSpoken(film, facts, block) {
  const owners = facts.owners.get(block) ?? [];
  const count = facts.state.counts[block];
  if (!count && !owners.length) return facts.state.cached?.has(block) ? `block ${block}: free, and can be found` : "";
  const slots = film.blockSize && owners.length ? `, ${facts.filled.get(block)} of ${film.blockSize} slots` : "";
  const who = owners.length ? listed(owners) : film.hasTables ? "in no table" : "held";
  return `block ${block}: ${who}${slots}, ref_count ${count}`;
}

const MOST_TABLES = 4;

function tablesHtml(film, facts, frame, marks) {
  const list = node("ul", { class: "v-tables", "aria-label": "tables" });
  const { tables } = facts.state;
  const told = toldTables(tables, frame, marks);
  for (const seq of told) list.append(tableLine(film, seq, tables.get(seq), marks));
  const rest = tables.size - told.length;
  if (rest) list.append(node("li", { class: "v-len" }, `and ${amount(rest, "more table")}`));
  if (!tables.size) list.append(node("li", { class: "v-len" }, "no tables"));
  return list;
}

// Where there are many tables: the one that acts, those that are wrong, the newest.
function toldTables(tables, frame, marks) {
  const all = [...tables.keys()];
  if (all.length <= MOST_TABLES) return all;
  const isTold = (seq) => [frame.seq, frame.parent].includes(seq) || [...marks.keys()].some((key) => key === seq || String(key).startsWith(`${seq}.`));
  const first = all.filter(isTold).slice(0, MOST_TABLES);
  const others = all.filter((seq) => !first.includes(seq)).slice(first.length - MOST_TABLES);
  const told = new Set(first.length < MOST_TABLES ? [...first, ...others] : first);
  return all.filter((seq) => told.has(seq));
}

function tableLine(film, seq, table, marks) {
  const line = node("li", { title: `${seq}: ${table.blocks.join(", ")}` });
  line.innerHTML = chipHtml(film, seq);
  const cut = table.blocks.length > 4 ? table.blocks.length - 2 : 0;
  table.blocks.forEach((block, k) => {
    if (k > 0 && k < cut) {
      if (k === 1) line.append(node("span", { class: "v-len" }, "…"));
      return;
    }
    const isWrong = marks.has(`${seq}.${k}`);
    line.append(node("span", { class: `v-entry${isWrong ? " wrong" : ""}` }, block));
  });
  line.append(node("span", { class: `v-len${marks.has(seq) ? " wrong" : ""}` }, `${table.len} tok`));
  return line;
}

function freeHtml(numFree, numCached, isWrong) {
  const free = node("span", { class: `v-free${isWrong ? " wrong" : ""}` });
  free.innerHTML = isWrong ? iconHtml("wrong", 10) : "";
  free.append(`${numFree} free${numCached ? `, ${numCached} cached` : ""}`);
  return free;
}

// What is wrong with this state and was not wrong after the call before.
function newNotes(i, notesAt) {
  const before = new Set(i > 0 ? notesAt(i - 1) : []);
  return notesAt(i).filter((note) => !before.has(note));
}

function stateNotes(film, i) {
  const facts = factsAt(film, i);
  const notes = [];
  for (const [seq, told] of facts.notes) notes.push(...told.map((note) => `${seq}: ${note}`));
  for (let block = 0; film.hasTables && block < film.numBlocks; block += 1) {
    const count = facts.state.counts[block];
    const inTables = facts.owners.get(block)?.length ?? 0;
    if (count && !inTables) notes.push(`block ${block} is held by nobody`);
    else if (count && count !== inTables) {
      notes.push(`block ${block}: in ${amount(inTables, "table")}, ref_count ${count}`);
    }
  }
  return notes;
}
