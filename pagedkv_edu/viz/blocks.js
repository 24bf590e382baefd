// Shared by everything that draws blocks: a film's states, hues, and the language of
// VISUAL.md in SVG. The palette (const HUES) is put in front of this file by assets.py,
// and a widget's own file follows it; all share one scope, there are no imports.
//
//   const film = readFilm(json);               decode once
//   const facts = factsAt(film, i);            owners, filled slots, what is wrong
//   const svg = newSvg(width, height, "label");
//   const paint = paintBox(svg);               patterns and arrow heads of this svg
//   svg.body.innerHTML = cellSvg(paint, { ...cellOf(film, facts, blockId), x, y, size })
//
// Functions whose names end in Svg or Html return text; what they are given may hold
// any characters, they escape it.

// --- text -------------------------------------------------------------------------

const ESCAPED = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function esc(text) {
  if (typeof text === "number") return String(text);
  return String(text).replace(/[&<>"']/g, (c) => ESCAPED[c]);
}

// 1 block, 2 blocks
function amount(count, noun) {
  return `${withCommas(count)} ${noun}${count === 1 ? "" : "s"}`;
}

function withCommas(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ",");
}

// A, A and B, A, B and C; a long list is cut: 1, 2, 3, … and 9
function listed(items, most = 6) {
  const texts = items.map(String);
  const cut = texts.length > most ? [...texts.slice(0, 3), "…", texts.at(-1)] : texts;
  return cut.length < 2 ? cut.join("") : `${cut.slice(0, -1).join(", ")} and ${cut.at(-1)}`;
}

// About how wide a bold text is; enough to choose between two labels.
function textWidth(text, fontSize) {
  let units = 0;
  for (const c of String(text)) units += /[.,:;·|il'\s]/.test(c) ? 0.3 : /[MW@…]/.test(c) ? 0.95 : /[A-Z]/.test(c) ? 0.7 : 0.57;
  return units * fontSize;
}

// --- a film: keyframes and changes -> the state after event i ----------------------

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
    state: cellState(film, owners, count),
    wrongCount: film.hasTables && (owners.length > 0 || count !== 0) && count !== owners.length,
  };
}

// free, held; lost: counted and in no table; dangling: in a table and free.
function cellState(film, owners, count) {
  if (!film.hasTables) return count ? "held" : "free";
  if (owners.length) return count ? "held" : "dangling";
  return count ? "lost" : "free";
}

// --- HTML and SVG -----------------------------------------------------------------

// An HTML element: node("button", {class: "btn", onclick: f}, "Play", child).
function node(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name.startsWith("aria-")) element.setAttribute(name, String(value));
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child != null));
  return element;
}

const SVG_NAMES = "http://www.w3.org/2000/svg";

// An svg element with two children: svg.defs, kept, and svg.body, to be filled.
// With a label it is an image for a screen reader, without one it is decoration.
function newSvg(width, height, label = "") {
  const svg = document.createElementNS(SVG_NAMES, "svg");
  svg.defs = svg.appendChild(document.createElementNS(SVG_NAMES, "defs"));
  svg.body = svg.appendChild(document.createElementNS(SVG_NAMES, "g"));
  resizeSvg(svg, width, height);
  if (label) {
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", label);
  } else svg.setAttribute("aria-hidden", "true");
  return svg;
}

function resizeSvg(svg, width, height) {
  svg.setAttribute("width", width);
  svg.setAttribute("height", height);
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
}

// Patterns and arrow heads of one svg, made when they are first asked for. Each method
// returns what goes into fill or marker-end.
function paintBox(svg) {
  // Each widget of a notebook runs a copy of this file, so a counter would not do: the
  // ids are looked up in the whole page, and an svg that is scrolled away paints nothing.
  const uid = `pkv${Math.random().toString(36).slice(2)}`;
  const made = new Set();
  const make = (name, text) => {
    const id = `${uid}-${name}`;
    if (!made.has(id)) {
      made.add(id);
      svg.defs.insertAdjacentHTML("beforeend", text(id));
    }
    return `url(#${id})`;
  };
  const tile = (id, size, turn, inside) =>
    `<pattern id="${id}" width="${size}" height="${size}" patternUnits="userSpaceOnUse" ` +
    `patternTransform="rotate(${turn})">${inside}</pattern>`;
  return {
    // shared: a stripe for each owner's hue
    stripes(hues, width = 5) {
      const fills = hues.map((hue) => (hue ? hue.fill : "var(--ink3)"));
      const name = `st${width}-${fills.map((f) => f.replace(/\W/g, "")).join("-")}`;
      const bars = fills.map(
        (fill, k) => `<rect x="${k * width}" width="${width + 0.3}" height="99" fill="${fill}"/>`,
      );
      return make(name, (id) => tile(id, fills.length * width, 45, bars.join("")));
    },
    // reserved, empty, a hole
    hatch() {
      const line = '<path d="M0,0 V7" stroke="var(--ink3)" stroke-width="1.6"/>';
      return make("hatch", (id) => tile(id, 7, -45, line));
    },
    // cached, evictable
    dots() {
      const dot = '<circle cx="2.5" cy="2.5" r="1.1" fill="var(--ink3)"/>';
      return make("dots", (id) => tile(id, 5, 0, dot));
    },
    // held in a pool that knows no owners, with more than one reference
    greyStripes() {
      const bar = '<rect width="4" height="8" fill="var(--line2)"/>';
      return make("grey", (id) => tile(id, 8, 45, bar));
    },
    arrow(size = 8) {
      return make(
        `ah${size}`,
        (id) =>
          `<marker id="${id}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="${size}" ` +
          `markerHeight="${size}" orient="auto" markerUnits="userSpaceOnUse">` +
          '<path d="M0,0.6 L7.4,4 L0,7.4 z" fill="context-stroke"/></marker>',
      );
    },
    // a rounded square to cut a fill with
    clip(x, y, size) {
      const name = `c${x}_${y}_${size}`.replace(/[^\w]/g, "_");
      return make(
        name,
        (id) =>
          `<clipPath id="${id}"><rect x="${x}" y="${y}" width="${size}" height="${size}" ` +
          'rx="4"/></clipPath>',
      );
    },
  };
}

function rectSvg(x, y, width, height, attributes = {}) {
  return `<rect x="${x}" y="${y}" width="${Math.max(0, width)}" height="${Math.max(0, height)}" ${attrs(attributes)}/>`;
}

function textSvg(x, y, text, attributes = {}) {
  const all = { "font-size": 11, fill: "var(--ink)", ...attributes };
  return `<text x="${x}" y="${y}" ${attrs(all)}>${esc(text)}</text>`;
}

function attrs(attributes) {
  let out = "";
  for (const name in attributes) {
    const value = attributes[name];
    if (value !== undefined && value !== null) out += `${name}="${esc(value)}" `;
  }
  return out;
}

// A halo of paper, for small text over a fill.
const HALO = { "paint-order": "stroke", stroke: "var(--paper)", "stroke-width": 2.6 };

// --- icons ------------------------------------------------------------------------

const stroked = (d, width = 1.7) =>
  `<path d="${d}" fill="none" stroke="currentColor" stroke-width="${width}"/>`;
const filledIn = (d) => `<path d="${d}" fill="currentColor"/>`;
const copySquares =
  '<rect x="1.6" y="1.6" width="8.6" height="8.6" rx="1.4" fill="none" stroke="currentColor" stroke-width="1.6"/>' +
  '<rect x="5.8" y="5.8" width="8.6" height="8.6" rx="1.4" fill="currentColor" stroke="currentColor" stroke-width="1.6"/>';

// Each in a box of 16 x 16, drawn in the colour of the text around it.
const ICONS = {
  arrive: stroked("M8 1.5v8M4.6 6.4 8 9.8l3.4-3.4M2 11v3.2h12V11"),
  preempt: stroked("M8 10.5V2M4.4 5.4 8 1.8l3.6 3.6M2 10v4.2h12V10", 1.8),
  fork: stroked("M8 15V9.5C8 6.5 3.6 7 3.6 3M8 9.5C8 6.5 12.4 7 12.4 3M1.4 5l2.2-2.6L5.8 5M10.2 5l2.2-2.6L14.6 5", 1.6),
  copy: copySquares,
  finish: stroked("M3.5 15V1.8M3.5 2.4h9.2l-2 3 2 3H3.5"),
  refuse: '<circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" stroke-width="1.8"/>' + stroked("M3.8 12.2 12.2 3.8", 1.8),
  write: stroked("M2 14.2h12M8 1.8v8.6M5 7.6l3 3 3-3", 1.6),
  grow: stroked("M2 2h12v12H2zM8 5v6M5 8h6", 1.6),
  allocate: stroked("M2 2h12v12H2zM8 5v6M5 8h6", 1.6),
  share: stroked("M4.5 8h7M11.5 3.5 4.5 8l7 4.5", 1.4) +
    '<circle cx="3.6" cy="8" r="2" fill="currentColor"/><circle cx="12.2" cy="3.2" r="2" fill="currentColor"/><circle cx="12.2" cy="12.8" r="2" fill="currentColor"/>',
  free: stroked("M2 2h12v12H2zM5 8h6", 1.6),
  swap_out: stroked("M2 13.8h12M8 11V2.4M4.6 5.8 8 2.4l3.4 3.4"),
  swap_in: stroked("M2 13.8h12M8 2v8.6M4.6 7.2 8 10.6l3.4-3.4"),
  play: filledIn("M3.5 2v12l9.5-6z"),
  pause: filledIn("M3.5 2.5h3.2v11H3.5zM9.3 2.5h3.2v11H9.3z"),
  back: filledIn("M13.5 2.5v11L6 8zM2.5 2.5h2v11h-2z"),
  step: filledIn("M2.5 2.5v11l7.5-5.5zM11.5 2.5h2v11h-2z"),
  next: stroked("M5.5 2.5 11 8l-5.5 5.5", 2),
  right: stroked("M2.5 8.5 6.2 12.4 13.5 4", 2),
  wrong: stroked("M3.5 3.5l9 9M12.5 3.5l-9 9", 2),
};

// An icon for HTML. Icons are decoration: the words beside them say the same.
function iconHtml(name, size = 13) {
  return `<svg width="${size}" height="${size}" viewBox="0 0 16 16" aria-hidden="true" style="flex:none">${ICONS[name] ?? ""}</svg>`;
}

// An icon inside an svg, its top left at x, y.
function iconSvg(name, x, y, size = 14, colour = "var(--ink)") {
  return `<g transform="translate(${x},${y}) scale(${size / 16})" style="color:${colour}">${ICONS[name] ?? ""}</g>`;
}

// --- sequences and tables ---------------------------------------------------------

// A sequence's letter on its hue. A long id is cut at the end; its title has it all.
function chipHtml(film, seq) {
  const hue = hueOf(film, seq);
  return (
    `<span class="chip" title="${esc(seq)}" style="background:${hue.fill};color:${hue.text};` +
    `border-color:${hue.isLight ? "#1b1b1b" : hue.fill}">${esc(shortened(seq, 60, 12))}</span>`
  );
}

function chipSvg(film, seq, x, y, width = 34, height = 20) {
  const hue = hueOf(film, seq);
  const fontSize = height < 20 ? 11 : 12;
  const label = shortened(seq, width - 4, fontSize);
  return (
    `<g><title>${esc(seq)}</title>` +
    rectSvg(x, y, width, height, { rx: 4, fill: hue.fill, stroke: hue.isLight ? "#1b1b1b" : hue.fill }) +
    textSvg(x + width / 2, y + height / 2 + fontSize * 0.36, label, {
      "font-size": fontSize, "font-weight": 700, fill: hue.text, "text-anchor": "middle",
    }) +
    "</g>"
  );
}

function shortened(text, width, fontSize) {
  let cut = String(text);
  if (textWidth(cut, fontSize) <= width) return cut;
  while (cut.length > 1 && textWidth(`${cut}…`, fontSize) > width) cut = cut.slice(0, -1);
  return `${cut}…`;
}

function ending(text, width, fontSize) {
  let cut = text;
  while (cut && textWidth(cut, fontSize) > width) cut = cut.slice(1);
  return cut;
}

// One entry of a block table. look: plain, touched, wrong, struck (leaves the list).
// owners: the hues of a shared block, shown as a striped foot.
function entrySvg(paint, { x, y, width = 26, height = 20, text, look = "plain", owners = [] }) {
  const strokes = {
    plain: { fill: "none", stroke: "var(--line2)" },
    touched: { fill: "var(--paper)", stroke: "var(--ink)", "stroke-width": 2 },
    wrong: { fill: "var(--loss-paper)", stroke: "var(--loss)", "stroke-width": 1.6, "stroke-dasharray": "3 2" },
    struck: { fill: "none", stroke: "var(--ink)", "stroke-width": 1.4, "stroke-dasharray": "3 2" },
  };
  const loud = look !== "plain";
  let out = rectSvg(x, y, width, height, { rx: 3, ...strokes[look] });
  out += textSvg(x + width / 2, y + height / 2 + 4.3, shortened(text, width - 2, 11), {
    fill: loud ? "var(--ink)" : "var(--ink2)", "font-weight": loud ? 700 : 400, "text-anchor": "middle",
  });
  if (look === "struck") {
    out += `<path d="M${x + 3},${y + height / 2} h${width - 6}" stroke="var(--ink)" stroke-width="1.4"/>`;
  }
  if (owners.length > 1) {
    const fill = paint.stripes(owners, 4);
    out += rectSvg(x + 1.5, y + height + 1.5, width - 3, 4, { rx: 1, fill, opacity: loud ? 1 : "var(--dim)" });
  }
  return out;
}

// The badge with a ref_count.
function badgeSvg(x, y, count, { radius = 9, loss = false } = {}) {
  const colour = loss ? "var(--loss)" : "var(--ink)";
  return (
    `<circle cx="${x}" cy="${y}" r="${radius}" fill="var(--paper)" stroke="${colour}" stroke-width="1.5"/>` +
    textSvg(x, y + 3.9, count, { fill: colour, "font-weight": 700, "text-anchor": "middle" })
  );
}

// --- one block --------------------------------------------------------------------

// A block as a cell, in every state of VISUAL.md. Give it what cellOf says, and
//   x, y, size   where; letters from 18 px, ids from 28 px, "6/16" from 36 px
//   look         "" | "freed" (given back by a sequence that ends) | "dropped" (by one
//                that is preempted) | "kept" (preempted, kept on the host) | "reserved" |
//                "cached"; these four have no fill of their own
//   ring         "" | "touched" | "fresh" (a copy) | "wrong"
//   faded        the event does not touch it: only its fill fades
//   badge        "" | "inside" | "corner": where the ref_count stands
//   letters      false: no letters, whatever the size
function cellSvg(paint, cell) {
  const drawn = { look: "", ring: "", badge: "", letters: true, faded: false, owners: [], ...cell };
  const parts = [fillSvg(paint, drawn), labelSvg(drawn), ringSvg(drawn), countSvg(drawn)];
  return `<g class="cell${drawn.faded ? " faded" : ""}" data-block="${esc(drawn.id)}">${parts.join("")}</g>`;
}

const EMPTY_LOOKS = {
  free: { stroke: "var(--free)", "stroke-dasharray": "2.5 2.5" },
  freed: { stroke: "var(--ink2)", "stroke-width": 1.5, "stroke-dasharray": "4 3" },
  dropped: { stroke: "var(--loss)", "stroke-width": 2, "stroke-dasharray": "4 3" },
  lost: { stroke: "var(--loss)", "stroke-width": 2, "stroke-dasharray": "4 3" },
  dangling: { stroke: "var(--loss)", "stroke-width": 2, "stroke-dasharray": "4 3" },
  kept: { stroke: "var(--ink2)", "stroke-width": 1.5, "stroke-dasharray": "4 3" },
};

function fillSvg(paint, cell) {
  const { x, y, size, owners } = cell;
  const radius = size >= 18 ? 4 : size >= 8 ? 2 : 0;
  const box = (attributes, inset = 1) =>
    rectSvg(x + inset, y + inset, size - 2 * inset, size - 2 * inset, { rx: radius, ...attributes });
  const name = cell.look || cell.state;
  if (name === "reserved") {
    const hue = owners[0]?.hue.fill ?? "var(--ink2)";
    return box({ class: "fill", fill: "none", stroke: hue, "stroke-width": 1.6, "stroke-dasharray": "3 2" });
  }
  if (name === "cached") {
    return box({ class: "fill", fill: paint.dots(), stroke: "var(--free)" });
  }
  if (name in EMPTY_LOOKS) {
    const look = { fill: "none", "stroke-width": 1, ...EMPTY_LOOKS[name] };
    const loud = ["lost", "freed", "dropped"].includes(name) && size >= 8;
    const cross = loud ? crossSvg(x, y, size, look.stroke) : "";
    const loss = look.stroke === "var(--loss)" ? " loss" : "";
    return box({ class: `fill free${loss}`, ...look }, 0.5) + cross;
  }
  return heldSvg(paint, cell, box, radius);
}

function crossSvg(x, y, size, colour) {
  const r = Math.min(9, size * 0.2);
  const [cx, cy] = [x + size / 2, y + size / 2 + (size >= 28 ? 2 : 0)];
  return `<path d="M${cx - r},${cy - r} l${2 * r},${2 * r} M${cx + r},${cy - r} l${-2 * r},${2 * r}" stroke="${colour}" stroke-width="2" fill="none"/>`;
}

function heldSvg(paint, cell, box, radius) {
  const { x, y, size, owners } = cell;
  const hues = owners.slice(0, 4).map((owner) => owner.hue);
  const shared = hues.length > 1;
  const paper = box({ fill: "var(--paper)" });
  if (!hues.length) {
    const grey = cell.count > 1 ? paint.greyStripes() : "var(--line)";
    return `<g class="fill">${paper}${box({ fill: grey, stroke: "var(--ink2)", "stroke-width": 1.2 })}</g>`;
  }
  const fill = shared ? paint.stripes(hues, size >= 18 ? 5 : 3) : hues[0].fill;
  const edge = shared || hues[0].isLight ? "var(--ink)" : hues[0].fill;
  const share = cell.slots ? cell.filled / cell.slots : 1;
  if (share >= 1 && cell.low >= cell.slots) {
    return `<g class="fill">${paper}${box({ fill, stroke: edge, "stroke-width": size >= 18 ? 1.2 : 0.8 })}</g>`;
  }
  const inner = size - 2;
  const level = (part) => inner * Math.max(0, Math.min(1, part));
  const clip = radius ? ` clip-path="${paint.clip(x + 1, y + 1, inner)}"` : "";
  let inside = "";
  if (shared && cell.low < cell.filled) {
    // owners disagree on the length: the upper slots are those of the longer ones only
    const top = level(share);
    inside += rectSvg(x + 1, y + 1 + inner - top, inner, top, { fill: paint.hatch() });
  }
  const height = level(shared ? Math.min(cell.low, cell.filled) / cell.slots : share);
  inside += rectSvg(x + 1, y + 1 + inner - height, inner, height, { class: "level", fill });
  const line = shared ? "var(--ink)" : hues[0].fill;
  let out = `${paper}<g${clip}>${inside}</g>`;
  out += box({ fill: "none", stroke: line, "stroke-width": size >= 18 ? 2 : 1 }, 1.5);
  if (!shared && hues[0].isLight) {
    out += box({ fill: "none", stroke: "var(--ink)", "stroke-width": 0.8 }, 0.5);
  }
  return `<g class="fill">${out}</g>`;
}

function labelSvg(cell) {
  const { x, y, size, owners, look } = cell;
  if (size < 18) return "";
  const loud = cell.ring !== "" && !cell.faded;
  const empty = look ? look !== "cached" : cell.state === "free";
  const share = cell.slots ? cell.filled / cell.slots : 1;
  // over a full fill of one hue, letters have the hue's text colour; faded they are ink.
  // CSS does that, so a cell fades without being drawn again.
  const onHue = cell.state === "held" && !look && share >= 1 && owners.length === 1;
  const overFill = onHue ? { class: "on-hue", style: `--on:${owners[0].hue.text}` } : {};
  const centre = { "text-anchor": "middle", "font-weight": 700 };
  let out = "";
  const big = size >= 52 ? 1.2 : 1;
  if (size >= 28 && cell.id !== null) {
    const halo = share < 1 || owners.length > 1 ? HALO : {};
    out += textSvg(x + 4.5, y + 12.3 * (loud ? 1.05 : 1), cell.id, {
      "font-size": loud ? 11 : 10, "font-weight": loud ? 600 : 400,
      fill: loud || owners.length ? "var(--ink)" : "var(--ink2)", ...(empty ? {} : halo), ...overFill,
    });
  }
  if (!cell.letters || empty) return out;
  const counted = owners.length > 0 && cell.slots && share < 1 && size >= 36 && cell.state === "held";
  const middle = y + size / 2 + (counted ? 3.5 : size >= 28 ? 7 : 4);
  // where two letters do not fit, the count stands alone: in the badge, or as the label
  const short = size < 28 ? String(owners.length) : "";
  const label = owners.length > 1 && size < 36 ? short : ownersLabel(owners, size - 2, size < 28 ? 10 : 11);
  if (label) {
    const fontSize = (size < 28 ? 10 : owners.length > 1 || label.length > 2 ? 11 : counted ? 12 : 13) * big;
    const plate = owners.length > 1 && share >= 1 && size >= 36;
    if (plate) out += rectSvg(x + 2, middle - 11.1, size - 4, 15, { rx: 3, fill: "var(--paper)", opacity: 0.92 });
    const halo = plate || onHue ? {} : HALO;
    out += textSvg(x + size / 2, middle, label, { ...centre, "font-size": fontSize, ...halo, ...overFill });
  }
  if (counted) {
    const text = cell.low < cell.filled ? `${cell.low}≠${cell.filled}` : `${cell.filled}/${cell.slots}`;
    out += textSvg(x + size / 2, y + size - 5, text, { ...centre, "font-size": 10, "font-weight": 600, ...HALO });
  }
  return out;
}

// "A·A.1", or "A+2" where more do not fit: the first owner and how many others.
function ownersLabel(owners, width, fontSize) {
  const labels = owners.map((owner) => String(owner.label));
  const all = labels.join("·");
  if (textWidth(all, fontSize) <= width || !labels.length) return all;
  // of one long name the end tells most: S128 becomes 128
  if (labels.length === 1) return width < 26 ? ending(all, width, fontSize) : shortened(all, width, fontSize);
  return `${shortened(labels[0], width - 16, fontSize)}+${labels.length - 1}`;
}

function ringSvg(cell) {
  const { x, y, size, ring } = cell;
  const around = (distance, attributes) =>
    rectSvg(x - distance, y - distance, size + 2 * distance, size + 2 * distance, { fill: "none", stroke: "var(--ink)", ...attributes });
  const small = size < 18;
  if (ring === "fresh") {
    return (
      around(small ? 3 : 3.5, { rx: small ? 3 : 7, "stroke-width": 1.6, class: "ring" }) +
      around(0.2, { rx: small ? 2 : 4.5, "stroke-width": small ? 1 : 1.6 })
    );
  }
  if (ring === "touched") return around(small ? 1.5 : 2.5, { rx: small ? 3 : 6, "stroke-width": 2, class: "ring" });
  if (ring === "wrong") return around(3.5, { rx: 6, "stroke-width": 2.6, stroke: "var(--loss)", class: "ring" });
  return "";
}

function countSvg(cell) {
  const { x, y, size, badge, count } = cell;
  if (!cell.owners.length && cell.state === "held" && size >= 18 && !cell.look) {
    // a pool by itself: the count is all there is to know
    const fontSize = size >= 40 ? 18 : size >= 28 ? 13 : 11;
    return textSvg(x + size / 2, y + size / 2 + fontSize * (size >= 28 ? 0.5 : 0.36), count, {
      "font-size": fontSize, "font-weight": 700, "text-anchor": "middle", ...(count > 1 ? HALO : {}),
    });
  }
  if (badge === "" || size < 28) return "";
  if (badge === "inside") return badgeSvg(x + size - 10, y + 10, count, { radius: 7.5, loss: cell.wrongCount });
  return badgeSvg(x + size + 1, y - 1, count, { radius: size >= 40 ? 10 : 8.5, loss: cell.wrongCount });
}
