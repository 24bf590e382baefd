// The whole of a pool that is too large for SVG, on a canvas, with a frame where the lens
// is: 32 cells around one place, drawn like a small pool.

// The canvas: a multiple of 32 columns, so that a lens of 32 blocks never wraps.
function overviewGrid(numBlocks, width, maxHeight = 190) {
  for (const cols of [64, 96, 128, 160, 192, 256, 384]) {
    const size = Math.floor(width / cols);
    const rows = Math.ceil(numBlocks / cols);
    if (size >= 1 && rows * size <= maxHeight) return { cols, rows, size, gap: 0 };
  }
  return { cols: 384, rows: Math.ceil(numBlocks / 384), size: 1, gap: 0 };
}

// The first of the 32 blocks in the lens: around what is chosen, or what the event is about.
function lensStart(p) {
  const wanted = p.cursor ?? p.hover ?? p.block ?? p.view.main ?? 0;
  return Math.floor(wanted / 32) * 32;
}

function drawOverview(canvas, film, view, grid, colours, isInked) {
  const scale = window.devicePixelRatio || 1;
  const [width, height] = [grid.cols * grid.size, grid.rows * grid.size];
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const pen = canvas.getContext("2d");
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.fillStyle = colours.paper2;
  pen.fillRect(0, 0, width, height);
  const { owners, state } = view.shown;
  const side = grid.size > 2 ? grid.size - 1 : grid.size;
  const box = (block) => gridBox(grid, block);
  // one pass for each fill: setting a fill for each of 16,384 cells costs more than drawing
  const batches = new Map();
  for (let block = 0; block < film.numBlocks; block += 1) {
    const who = owners.get(block);
    if (!who && state.counts[block] === 0) continue;
    const fill = who ? hueOf(film, who[0]).fill : film.hasTables ? colours.loss : colours.ink3;
    const key = `${fill}|${isInked(block) ? 1 : colours.dim}`;
    if (!batches.has(key)) batches.set(key, []);
    batches.get(key).push(block);
  }
  for (const [key, blocks] of batches) {
    const [fill, alpha] = key.split("|");
    pen.fillStyle = fill;
    pen.globalAlpha = Number(alpha);
    for (const block of blocks) {
      const { x, y } = box(block);
      const who = owners.get(block);
      pen.fillRect(x, y, side, side);
      if (who?.length > 1 && grid.size > 2) {
        pen.fillStyle = hueOf(film, who[1]).fill;
        pen.fillRect(x, y, side / 2, side);
        pen.fillStyle = fill;
      }
    }
  }
  pen.globalAlpha = 1;
}

// Rings, crosses and ids over the canvas, and the frame of the lens.
function overviewMarksSvg(film, view, grid, lensStart) {
  let out = "";
  const ring = (block, colour, dash) => {
    const { x, y } = gridBox(grid, block);
    const r = Math.max(3.5, grid.size / 2 + 2);
    const [cx, cy] = [x + grid.size / 2, y + grid.size / 2];
    return rectSvg(cx - r, cy - r, 2 * r, 2 * r, { rx: 2, fill: "none", stroke: colour, "stroke-width": 1.6, "stroke-dasharray": dash });
  };
  const lens = gridBox(grid, lensStart);
  out += rectSvg(lens.x - 1.5, lens.y - 1.5, 32 * grid.size + 3, grid.size + 3, { rx: 2, fill: "none", stroke: "var(--ink)", "stroke-width": 1.5 });
  for (const block of [...view.rings.keys()].slice(0, 12)) out += ring(block, "var(--ink)");
  for (const [block, look] of [...view.looks].slice(0, 400)) {
    out += ring(block, look === "dropped" ? "var(--loss)" : "var(--ink2)", "2 2");
  }
  for (const block of [...view.rings.keys()].slice(0, 3)) {
    out += calloutSvg(gridBox(grid, block), grid.size, block, grid.cols * grid.size);
  }
  return out;
}

// A canvas needs colours that are worked out, not variables; p.colours is dropped when
// the theme changes.
function canvasColours(p) {
  p.colours ??= workOutColours(p);
  return p.colours;
}

function workOutColours({ root, parts }) {
  const workedOut = (name) => {
    parts.spoken.style.color = `var(--${name})`;
    return getComputedStyle(parts.spoken).color;
  };
  const dim = Number(getComputedStyle(root).getPropertyValue("--dim")) || 0.3;
  return { paper2: workedOut("paper2"), ink3: workedOut("ink3"), loss: workedOut("loss"), dim };
}

// Whether the pointer is over the canvas, above the lens.
function overOverview({ size, parts }, event) {
  return size.large && event.clientY - parts.poolSvg.getBoundingClientRect().top < size.at.y - 20;
}
