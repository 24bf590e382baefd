// The middle column: the physical pool as a grid of cells in SVG, up to a thousand blocks.
// Of a larger pool the grid is a lens, and player_overview.js draws the whole.

const SVG_UP_TO = 1024;
const LENS = { cols: 8, rows: 4, size: 44, gap: 4 };

// The grid that fits a width best: the largest cells that stay within a height.
function poolGrid(numBlocks, width, maxHeight, largest) {
  let best = null;
  for (const cols of [4, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64]) {
    for (const gap of [4, 2, 1]) {
      const size = Math.min(largest, Math.floor((width + gap) / cols - gap));
      const wanted = size >= 30 ? 4 : size >= 16 ? 2 : 1;
      const rows = Math.ceil(numBlocks / cols);
      if (gap !== wanted || size < 4 || rows * (size + gap) > maxHeight) continue;
      if (!best || size >= best.size) best = { cols, rows, size, gap };
    }
  }
  return best ?? { cols: 64, rows: Math.ceil(numBlocks / 64), size: 5, gap: 1 };
}

function gridBox(grid, k) {
  const pitch = grid.size + grid.gap;
  return { x: (k % grid.cols) * pitch, y: Math.floor(k / grid.cols) * pitch, row: Math.floor(k / grid.cols), col: k % grid.cols };
}

// A grid of cells: a layer of all cells, each drawn again only when it changes, and a
// layer on top for what is touched, with rings that reach over neighbours.
function makeGrid(film, svg, paint) {
  const base = svg.body.appendChild(document.createElementNS(SVG_NAMES, "g"));
  const top = svg.body.appendChild(document.createElementNS(SVG_NAMES, "g"));
  let drawn = [];
  return {
    top,
    // shown: {view, grid, start, count, at: {x, y}, isInked(block), overlay: svg text}
    draw({ view, grid, start, count, at, isInked, badges, overlay = "" }) {
      const key = `${start}/${count}/${grid.cols}/${grid.size}/${at.x}/${at.y}`;
      if (drawn.key !== key) {
        base.replaceChildren();
        drawn = Array.from({ length: count }, () => ({ key: null, element: null }));
        drawn.key = key;
      }
      const raised = [];
      for (let k = 0; k < count; k += 1) {
        const block = start + k;
        const slot = drawn[k];
        const ring = view.rings.get(block) ?? "";
        const key = cellKey(view, block, ring);
        if (slot.key !== key || ring) {
          const box = gridBox(grid, k);
          const cell = { ...cellOf(film, view.shown, block), x: at.x + box.x, y: at.y + box.y, size: grid.size };
          cell.look = view.looks.get(block) ?? "";
          if ((cell.owners.length > 1 || cell.wrongCount) && !ring) cell.badge = "inside";
          const hasBadge = badges && film.hasTables && view.flight?.target !== block && (cell.count || cell.owners.length);
          if (ring) raised.push({ ...cell, ring, badge: hasBadge ? "inside" : "" });
          slot.key = key;
          slot.element ??= base.appendChild(document.createElementNS(SVG_NAMES, "g"));
          slot.element.innerHTML = cellSvg(paint, cell);
        }
        const inked = isInked(block);
        const { classList } = slot.element.firstChild;
        if (classList.contains("faded") === inked) classList.toggle("faded", !inked);
      }
      // badges last: no ring of a neighbour reaches over them
      const cells = raised.map((cell) => cellSvg(paint, { ...cell, badge: "" }));
      top.innerHTML = cells.join("") + overlay + raised.map(countSvg).join("");
    },
  };
}

// What a cell's picture depends on; comparing this is cheaper than drawing.
function cellKey({ shown, looks }, block, ring) {
  return `${shown.owners.get(block)?.join("|")};${shown.filled.get(block)};${shown.low.get(block)};${shown.state.counts[block]};${shown.state.cached?.has(block)};${looks.get(block)};${ring !== ""}`;
}

// Slot addresses down the left side, for the rows that have room.
function rulerSvg(film, grid, start, at) {
  if (!film.blockSize) return "";
  const pitch = grid.size + grid.gap;
  const every = Math.max(1, Math.ceil(15 / pitch));
  const style = { "font-size": 10, fill: "var(--ink2)", "text-anchor": "end" };
  let out = textSvg(at.x - 8, at.y - 8, "slot", style);
  for (let row = 0; row < grid.rows; row += every) {
    const slot = (start + row * grid.cols) * film.blockSize;
    out += textSvg(at.x - 8, at.y + row * pitch + grid.size / 2 + 4, slot, style);
  }
  return out;
}

// An id on a plate beside a cell that is too small to carry it: to its right, where no
// arrow comes down, or above it where the right edge is near.
function calloutSvg(box, size, block, right) {
  const width = textWidth(block, 10) + 8;
  const fits = box.x + size + 7 + width <= right;
  const x = fits ? box.x + size + 7 : box.x + size / 2 - width / 2;
  const y = fits ? box.y + size / 2 - 7 : box.y - 20;
  return (
    rectSvg(x, y, width, 14, { rx: 3, fill: "var(--paper)", stroke: "var(--ink)" }) +
    textSvg(x + width / 2, y + 10.5, block, { "font-size": 10, "font-weight": 700, "text-anchor": "middle" })
  );
}

// The free blocks in order of their ids; which is handed out next is not promised.
// Blocks that leave in this event are struck out, those that come back are bold.
function freeStripSvg(film, paint, view, width, y) {
  const { counts } = view.shown.state;
  const leaving = new Set(view.leaving);
  const free = [];
  for (let b = 0; b < counts.length; b += 1) {
    if (counts[b] === 0 || leaving.has(b)) free.push(b);
  }
  const numFree = free.filter((b) => !leaving.has(b) || counts[b] === 0).length;
  const special = free.findIndex((b) => leaving.has(b) || view.looks.has(b));
  const left = 74;
  const step = entryWidth(film) + 2;
  const room = Math.max(3, Math.floor((width - left - 78) / step));
  const first = special >= room ? special - 1 : 0;
  let out = textSvg(0, y + 14, "free blocks", { "font-weight": 600 });
  if (!free.length) return out + textSvg(left, y + 14, "none", { fill: "var(--ink2)" });
  const shown = free.slice(first, first + room);
  shown.forEach((block, k) => {
    const look = leaving.has(block) ? "struck" : view.looks.has(block) ? "touched" : "plain";
    out += entrySvg(paint, { x: left + k * step, y, width: step - 2, text: block, look });
  });
  const more = free.length - shown.length;
  const rest = first ? `… of ${numFree}` : more ? `and ${withCommas(more)} more` : "";
  return out + textSvg(width, y + 14, rest, { fill: "var(--ink2)", "text-anchor": "end" });
}

// --- drawing and finding blocks --------------------------------------------------------

function drawPool(p) {
  const { film, view, size, parts } = p;
  const { cells, at, large } = size;
  const isInked = (block) =>
    view.inked.has(block) || block === p.block || block === p.cursor ||
    (p.seq !== null && (view.shown.owners.get(block) ?? []).includes(p.seq));
  const start = large ? lensStart(p) : 0;
  const count = Math.min(film.numBlocks - start, large ? 32 : film.numBlocks);
  const overlay = poolOverlaySvg(p, start, count);
  parts.poolTitle.innerHTML = poolTitleHtml(p);
  parts.grid.draw({ view, grid: cells, start, count, at, isInked, badges: cells.size >= 28, overlay });
  let notes = rulerSvg(film, cells, start, at);
  if (large) {
    drawOverview(parts.canvas, film, view, size.overview, canvasColours(p), isInked);
    notes += `<g transform="translate(${at.x},${size.top})">${overviewMarksSvg(film, view, size.overview, start)}</g>`;
    notes += textSvg(at.x, at.y - 12, `blocks ${withCommas(start)} to ${withCommas(start + count - 1)}`, { fill: "var(--ink2)" });
  }
  const strip = freeStripSvg(film, parts.poolPaint, view, size.poolWidth - at.x, 0);
  parts.poolNotes.innerHTML = `${notes}<g transform="translate(${at.x},${size.stripY})">${strip}</g>`;
}

// The pool's own count of free blocks is shown, and marked where it does not add up.
function poolTitleHtml({ film, view }) {
  const { numHeld } = view.shown;
  const numFree = view.shown === view.after ? view.frame.num_free : film.numBlocks - numHeld;
  const adds = numHeld + numFree === film.numBlocks;
  const free = adds ? `${withCommas(numFree)} free` : `<b class="loss">the pool says ${withCommas(numFree)} free</b>`;
  return (
    `<span class="title">${film.hasTables ? "Physical pool" : "Block pool"}</span>` +
    `<span class="small">${withCommas(numHeld)} of ${amount(film.numBlocks, "block")} held, ${free}</span>`
  );
}

// The chosen block, and the ids of small cells that are touched or pointed at.
function poolOverlaySvg(p, start, count) {
  const { cells, at } = p.size;
  const boxOf = (block) => {
    const { x, y } = gridBox(cells, block - start);
    return { x: x + at.x, y: y + at.y };
  };
  const inside = (block) => block !== null && block >= start && block < start + count;
  const mark = p.cursor ?? p.block;
  let out = "";
  if (inside(mark)) {
    const { x, y } = boxOf(mark);
    out += rectSvg(x - 3, y - 3, cells.size + 6, cells.size + 6, { rx: 6, fill: "none", stroke: "var(--focus)", "stroke-width": 2 });
  }
  if (cells.size >= 28) return out;
  const named = new Set([...[...p.view.rings.keys()].slice(0, ARROWS_UP_TO), p.hover, mark]);
  for (const block of named) {
    if (inside(block)) out += calloutSvg(boxOf(block), cells.size, block, at.x + cells.cols * (cells.size + cells.gap));
  }
  return out;
}

// Where a block's cell is in the picture, or null while it is not in the lens.
function cellBox(p, block) {
  const { large, cells, at } = p.size;
  const k = block - (large ? lensStart(p) : 0);
  if (k < 0 || k >= (large ? 32 : p.film.numBlocks)) return null;
  const box = gridBox(cells, k);
  const { pool } = p.size.places;
  return { ...box, x: pool.x + at.x + box.x, y: pool.y + at.y + box.y, size: cells.size };
}

// The block under the pointer, or null.
function blockAt(p, event) {
  const { cells, at, overview, top, large } = p.size;
  const area = p.parts.poolSvg.getBoundingClientRect();
  const [x, y] = [event.clientX - area.left - at.x, event.clientY - area.top];
  const find = (grid, fromTop, start, count) => {
    const pitch = grid.size + grid.gap;
    const col = Math.floor((x + grid.gap / 2) / pitch);
    const row = Math.floor((y - fromTop + grid.gap / 2) / pitch);
    const k = row * grid.cols + col;
    const inside = col >= 0 && col < grid.cols && row >= 0 && k < count && start + k < p.film.numBlocks;
    return inside ? start + k : null;
  };
  if (overOverview(p, event)) return find(overview, top, 0, p.film.numBlocks);
  return find(cells, at.y, large ? lensStart(p) : 0, large ? 32 : p.film.numBlocks);
}
