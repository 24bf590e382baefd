// The left column: block tables in logical order, with family lines of forks, what is
// wrong with a table, and the waste of paging beside that of a contiguous twin.

const ENTRY = { height: 20, line: 24, left: 64 };
const CHIP_LEFT = 16;
const ROW_HEIGHT = 44; // of a table of one line

// Entries are as wide as the largest block id.
function entryWidth(film) {
  return Math.max(26, 8 + 7 * String(film.numBlocks - 1).length);
}

// How many entries a line has, and how many lines a table may take.
function entryLines(film, width, numTables) {
  const perLine = Math.max(2, Math.floor((width - ENTRY.left + 2) / (entryWidth(film) + 2)));
  return { perLine, maxLines: numTables > 8 ? 1 : numTables > 4 ? 2 : 3 };
}

// Tables in the order they are listed: each child after its parent.
function listedTables(view) {
  const tables = new Map([...view.shown.state.tables, ...view.gone]);
  const parents = { ...view.before.state.parents, ...view.shown.state.parents };
  const children = new Map();
  const roots = [];
  for (const seq of tables.keys()) {
    const parent = parents[seq];
    if (parent !== undefined && parent !== seq && tables.has(parent)) {
      children.set(parent, [...(children.get(parent) ?? []), seq]);
    } else roots.push(seq);
  }
  const order = [];
  const walk = (seq) => {
    if (order.some((row) => row.seq === seq)) return;
    const parent = tables.has(parents[seq]) ? parents[seq] : null;
    order.push({ seq, table: tables.get(seq), parent });
    (children.get(seq) ?? []).forEach(walk);
  };
  roots.forEach(walk);
  [...tables.keys()].forEach(walk); // a circle of parents, from a wrong manager
  return order;
}

// Which entries of a long table are shown: the first, the last, and a gap between.
function shownEntries(blocks, perLine, maxLines) {
  const room = perLine * maxLines;
  const all = blocks.map((block, k) => ({ block, k }));
  if (all.length <= room) return all;
  const tail = Math.max(1, Math.min(perLine - 1, Math.floor(room / 2)));
  const head = room - tail - 1;
  return [...all.slice(0, head), { gap: all.length - head - tail }, ...all.slice(-tail)];
}

// {width, height, rows: [{seq, table, parent, y, height, cells: [{block, k, x, y, last}], notes}]}
function layTables(film, view, width) {
  const order = listedTables(view);
  const { perLine, maxLines } = entryLines(film, width, order.length);
  const step = entryWidth(film) + 2;
  let y = 4;
  const rows = order.map(({ seq, table, parent }) => {
    const entries = shownEntries(table.blocks, perLine, maxLines);
    const cells = entries.map((entry, i) => ({
      ...entry,
      x: ENTRY.left + (i % perLine) * step,
      y: y + Math.floor(i / perLine) * ENTRY.line,
      last: i % perLine === perLine - 1 || i === entries.length - 1,
    }));
    const lines = Math.max(1, Math.ceil(entries.length / perLine));
    const notes = rowNotes(view, seq, table, parent);
    const below = y + (lines - 1) * ENTRY.line + ENTRY.height + 9;
    const lower = notes.length ? below + 7 + 13 * (notes.length - 1) + 7 : 0;
    const height = Math.max(ROW_HEIGHT + ENTRY.line * (lines - 1) - (lines > 1 ? 6 : 0), lower - y);
    const row = { seq, table, parent, y, height, cells, notes, below };
    y += height;
    return row;
  });
  return { width, height: y, rows };
}

// Lines under a table: what is wrong with it, where it has gone, what it shares.
function rowNotes(view, seq, table, parent) {
  if (view.gone.has(seq)) return [goneNote(view, seq)];
  const wrong = (view.shown.notes.get(seq) ?? []).map((text) => ({ text, loss: true }));
  if (parent === null) return wrong;
  const parents = new Set(view.shown.state.tables.get(parent)?.blocks ?? []);
  const shared = table.blocks.filter((block) => parents.has(block)).length;
  const num = table.blocks.length;
  const part = shared === num ? (num > 1 ? `all ${num}` : "its 1") : shared ? `${shared} of ${num}` : "none of its";
  return [{ text: `forked from ${parent}: ${part} block${part === "its 1" ? "" : "s"} shared` }, ...wrong];
}

function goneNote({ frame, before, after }, seq) {
  const blocks = new Set(before.state.tables.get(seq).blocks);
  const freed = [...blocks].filter((block) => after.state.counts[block] === 0).length;
  const kept = [...blocks].filter((block) => after.state.counts[block] && after.owners.has(block)).length;
  const lost = [...blocks].filter((block) => after.state.counts[block] && !after.owners.has(block)).length;
  const why = { preempt: "preempted", swap_out: "moved to the host", finish: "ended" }[frame.kind] ?? "gone";
  const rest = (kept ? `, ${kept} still held` : "") + (lost ? `, ${lost} lost` : "");
  return { text: `${why}: ${amount(freed, "block")} free again${rest}`, loss: lost > 0 };
}

function tablesSvg(film, paint, view, layout, selected) {
  const { rows } = layout;
  const rowOf = new Map(rows.map((row) => [row.seq, row]));
  let out = "";
  // the last child first: what the lines of siblings have in common shows the first one's hue
  for (const row of [...rows].reverse()) {
    if (row.parent !== null && rowOf.has(row.parent)) out += familySvg(film, rowOf.get(row.parent), row);
  }
  for (const row of rows) {
    const gone = view.gone.has(row.seq);
    const marked = row.seq === selected;
    if (marked) {
      out += rectSvg(CHIP_LEFT - 3, row.y - 3, 40, 26, { rx: 6, fill: "none", stroke: "var(--ink)", "stroke-width": 2 });
    }
    const chip = chipSvg(film, row.seq, CHIP_LEFT, row.y);
    out += `<g data-seq="${esc(row.seq)}">${gone ? `<g opacity="0.55">${chip}</g>` : chip}`;
    out += rectSvg(0, row.y - 4, ENTRY.left - 4, 38, { fill: "transparent" });
    const label = gone ? "gone" : `${withCommas(row.table.len)} tok`;
    out += textSvg(CHIP_LEFT + 17, row.y + 32, label, { "font-size": 10, fill: "var(--ink2)", "text-anchor": "middle" });
    for (const cell of row.cells) out += tableCellSvg(film, paint, view, row, cell, marked);
    row.notes.forEach(({ text, loss }, i) => {
      const fill = loss ? "var(--loss)" : "var(--ink2)";
      const note = textWidth(text, 9.5) > layout.width - ENTRY.left ? text.replace("forked ", "") : text;
      out += textSvg(ENTRY.left, row.below + 7 + i * 13, note, { "font-size": 10.5, fill, "font-weight": loss ? 600 : 400 });
    });
    out += "</g>";
  }
  return out;
}

function tableCellSvg(film, paint, view, row, cell, marked) {
  const { x, y } = cell;
  const width = entryWidth(film);
  if (cell.gap) {
    return textSvg(x + width / 2, y + 14, `+${cell.gap}`, { "font-size": 10, fill: "var(--ink2)", "text-anchor": "middle" });
  }
  const { block, k } = cell;
  if (view.gone.has(row.seq)) return entrySvg(paint, { x, y, width, text: block, look: "struck" });
  const owners = view.shown.owners.get(block) ?? [];
  const twice = row.table.blocks.indexOf(block) !== row.table.blocks.lastIndexOf(block);
  const free = !isBlock(film, block) || view.shown.state.counts[block] === 0;
  const touched = view.entries.has(`${row.seq}/${k}`) || marked;
  const look = twice || free ? "wrong" : touched ? "touched" : "plain";
  const hues = owners.slice(0, 4).map((seq) => hueOf(film, seq));
  return entrySvg(paint, { x, y, width, text: block, look, owners: hues });
}

function familySvg(film, parent, child) {
  const hue = hueOf(film, child.seq).fill;
  const [from, to] = [parent.y + 10, child.y + 10];
  return `<path d="M${CHIP_LEFT},${from} H6 V${to} H${CHIP_LEFT - 1}" fill="none" stroke="${hue}" stroke-width="2"/>`;
}

// Draw the tables, with the row of the event or of the chosen sequence in sight.
function drawTables(p) {
  const { film, view, size } = p;
  const { tablesSvg: svg, tablesPaint } = p.parts;
  const layout = layTables(film, view, size.leftWidth);
  resizeSvg(svg, size.leftWidth, Math.max(layout.height, 20));
  svg.body.innerHTML = layout.rows.length
    ? tablesSvg(film, tablesPaint, view, layout, p.seq)
    : textSvg(0, 20, "no sequence is live", { fill: "var(--ink2)" });
  const row = layout.rows.find(({ seq }) => seq === (p.seq ?? view.frame.seq));
  if (row) {
    const [top, bottom] = [row.y - 6, row.y + row.height];
    if (top < p.scrolled) p.scrolled = Math.max(0, top);
    else if (bottom > p.scrolled + size.tablesInside) p.scrolled = bottom - size.tablesInside;
  }
  return layout;
}

// Last of all, because it makes the browser lay out the page. For the same reason the
// position is kept in p and never asked for.
function scrollTables(p) {
  if (p.scrolledTo === p.scrolled) return;
  p.scrolledTo = p.scrolled;
  p.parts.tablesBox.scrollTop = p.scrolled;
}

// --- waste ------------------------------------------------------------------------

// What a contiguous cache would reserve for the same live sequences. A server that keeps
// each sequence in one piece must reserve the most it may become before it knows; here
// that is the longest length any sequence reaches in the whole film, rounded up to a
// power of two. The page says so beside the bar.
function twinReserve(longest) {
  let reserve = 1;
  while (reserve < longest) reserve *= 2;
  return reserve;
}

function wasteOf(film, facts, reserve) {
  let used = 0;
  for (const [block, filled] of facts.filled) if (isBlock(film, block)) used += filled;
  let tokens = 0;
  for (const table of facts.state.tables.values()) tokens += table.len;
  const numSeqs = facts.state.tables.size;
  return {
    numSeqs,
    paged: { used, held: facts.numHeld * film.blockSize },
    twin: { used: tokens, held: numSeqs * reserve },
  };
}

// Two bars at one scale, in slots, and what is assumed of the twin. No shares: the twin of
// a short film reserves so little that its share of empty slots can be the smaller one.
function wasteHtml(paint, waste, { reserve, longest, scale, width }) {
  const { numSeqs } = waste;
  const px = (slots) => Math.min(width, (width * slots) / scale);
  const bar = (name, { used, held }, verb) => {
    const empty = Math.max(0, held - used);
    const full = px(Math.min(used, held));
    return (
      `<div class="row"><b>${name}</b><span>${amount(held, "slot")} ${verb}, ${withCommas(empty)} empty</span></div>` +
      `<svg width="${width}" height="15" aria-hidden="true">` +
      rectSvg(0, 0, full, 15, { rx: 2, fill: "var(--ink2)" }) +
      rectSvg(full + 0.5, 0.5, px(held) - full - 1, 14, { rx: 2, fill: paint.hatch(), stroke: "var(--ink2)" }) +
      "</svg>"
    );
  };
  const twin = numSeqs ? twinSentence(reserve, longest) : "no sequence is live";
  return (
    '<div class="title">Slots held, and how many are empty</div>' +
    bar("paged", waste.paged, "held") + bar("contiguous twin", waste.twin, "reserved") +
    `<div class="small">${twin}</div>`
  );
}

function twinSentence(reserve, longest) {
  return (
    `The twin gives each live sequence one run of ${amount(reserve, "slot")} and shares nothing. ` +
    `${withCommas(reserve)} is the longest sequence of this film, ${amount(longest, "token")}, rounded up to a power of two; ` +
    "a server that does not know the end may reserve more."
  );
}

function drawWaste({ film, view, size, told, parts }) {
  parts.waste.hidden = !film.blockSize;
  if (!film.blockSize) return;
  const reserve = twinReserve(told.longest);
  const scale = Math.max(film.numBlocks * film.blockSize, told.mostLive * reserve);
  const assumed = { reserve, longest: told.longest, scale, width: size.leftWidth };
  parts.wasteText.innerHTML = wasteHtml(parts.wastePaint, wasteOf(film, view.shown, reserve), assumed);
}
