// What runs over the picture: arrows from table entries to blocks, the flight of a copy,
// and the motion of one event. Only what moved is animated, and nothing is under
// prefers-reduced-motion.

const MOVE_MS = 300;

function drawOverlay(p, layout) {
  const { overlay } = p.parts;
  if (!p.size.places) return; // the first frame of a layout is drawn before it is measured
  overlay.body.innerHTML = (p.size.lanes ? arrowsSvg(p, layout) : "") + flightSvg(p);
}

// The arrows of the event, and one to the last block of the chosen sequence.
function shownArrows({ view, seq }) {
  const table = view.shown.state.tables.get(seq);
  if (!table?.blocks.length || view.arrows.some((arrow) => arrow.seq === seq)) return view.arrows;
  const k = table.blocks.length - 1;
  return [...view.arrows, { seq, k, block: table.blocks[k] }];
}

function arrowsSvg(p, layout) {
  const { tables } = p.size.places;
  const found = [];
  for (const { seq, k, block } of shownArrows(p)) {
    const entry = layout.rows.find((row) => row.seq === seq)?.cells.find((cell) => cell.k === k);
    const target = cellBox(p, block);
    if (!entry || !target) continue;
    const y = entry.y - p.scrolled;
    if (y < 0 || y + ENTRY.height > p.size.tablesInside) continue; // scrolled out of sight
    found.push({ seq, block, entry, target, x: entry.x + tables.x, y: y + tables.y });
  }
  found.sort((a, b) => a.y - b.y);
  return found.map((arrow, i) => arrowSvg(p, arrow, i, found)).join("");
}

// From the entry into the lane left of the ruler, up, along the lane above the pool, and
// down the gap between two columns: never across a cell.
function arrowSvg(p, { seq, block, entry, target, x, y }, i, found) {
  const { size } = p;
  const r = 6;
  const lane = { x: size.leftWidth + LANE_WIDTH + 6 * (i - 1), y: size.places.lane + 5 * i };
  const width = entryWidth(p.film);
  const before = found.slice(0, i).filter((other) => other.block === block).length;
  const from = entry.last ? { x: x + width + 1, y: y + ENTRY.height / 2 } : { x: x + width / 2, y: y - 2.5 };
  let path = entry.last ? `M${from.x},${from.y}` : `M${from.x},${y} V${from.y}`;
  // the first row of tables lies so near the lane that the bends must be smaller
  const bend = Math.min(r, Math.abs(from.y - lane.y) / 2);
  const up = Math.sign(from.y - lane.y);
  path += ` H${lane.x - bend} Q${lane.x},${from.y} ${lane.x},${from.y - up * bend}`;
  path += ` V${lane.y + up * bend} Q${lane.x},${lane.y} ${lane.x + bend},${lane.y}`;
  if (target.row === 0) {
    const end = target.x + target.size - Math.min(14, target.size * 0.32) - before * 10;
    path += ` H${end - r} Q${end},${lane.y} ${end},${lane.y + r} V${target.y - 4}`;
  } else {
    const gap = target.x - size.cells.gap / 2 - before * 2.4 + (target.col ? 0.6 : -2);
    const end = target.y + Math.max(target.size * 0.38, size.cells.size < 18 ? 4 : 10) + before * (target.size < 28 ? 5 : 9);
    path += ` H${gap - r} Q${gap},${lane.y} ${gap},${lane.y + r} V${end - 3} Q${gap},${end} ${gap + 3},${end} H${target.x + Math.min(6, target.size / 2)}`;
  }
  const head = p.parts.overlayPaint.arrow(target.size < 18 ? 6 : 8);
  return (
    `<path d="${path}" fill="none" stroke="var(--paper)" stroke-width="4" opacity="0.8"/>` +
    `<path class="table-arrow" pathLength="1" d="${path}" fill="none" stroke="${hueOf(p.film, seq).fill}" stroke-width="1.8" marker-end="${head}"/>`
  );
}

// --- the flight of a copy ---------------------------------------------------------------

// {d, x, y}: the arc from source to target, and the place of the packet in its middle.
function flightPath(p) {
  const [a, b] = [cellBox(p, p.view.flight.source), cellBox(p, p.view.flight.target)];
  if (!a || !b) return null;
  const side = Math.sign(b.x - a.x); // of the target
  const start = { x: a.x + (a.size * (1 + side)) / 2, y: a.y - 3 };
  const end = { x: b.x + (b.size * (1 - side)) / 2 - 5 * side, y: b.y - 4 };
  const top = Math.min(start.y, end.y) - 32;
  const bend = (end.x - start.x) * 0.2;
  const d = `M${start.x},${start.y} C${start.x + bend},${top} ${end.x - bend},${top} ${end.x},${end.y}`;
  return { d, x: (start.x + end.x) / 2, y: 0.125 * (start.y + end.y) + 0.75 * top };
}

function flightSvg(p) {
  const path = p.view.flight && flightPath(p);
  if (!path) return "";
  const { slots, hue } = p.view.flight;
  const many = Math.min(slots, 16);
  const width = Math.max(24, many * 10.5 + 9);
  const left = path.x - width / 2;
  const label = { "font-size": 10.5, "font-weight": 600, "text-anchor": "middle", ...HALO, "stroke-width": 3 };
  let packet = rectSvg(left, path.y - 10, width, 20, { rx: 4, fill: "var(--paper)", stroke: "var(--ink)", "stroke-width": 1.6 });
  for (let k = 0; k < many; k += 1) {
    packet += rectSvg(left + 5 + k * 10.5, path.y - 5.5, 8.5, 11, { rx: 1.5, fill: hue.fill, stroke: "#1b1b1b", "stroke-width": 0.8 });
  }
  packet += textSvg(path.x, path.y + 23, amount(slots, "filled slot"), label);
  const head = p.parts.overlayPaint.arrow(11);
  return (
    `<path class="flight" d="${path.d}" fill="none" stroke="var(--ink)" stroke-width="1.4" stroke-dasharray="5 4" marker-end="${head}"/>` +
    `<g class="packet">${packet}</g>`
  );
}

// --- motion ------------------------------------------------------------------------------

// from: where the player was before. Only a step forward moves things.
function animateEvent(p, from) {
  const nextEvent = p.index === from.index + 1;
  const nextBeat = p.index === from.index && p.beat === from.beat + 1;
  if (!nextEvent && !nextBeat) return;
  const duration = MOVE_MS / Math.max(1, p.speed);
  const timing = { duration, easing: "ease-out" };
  const { grid, overlay } = p.parts;
  for (const ring of grid.top.querySelectorAll(".ring")) ring.animate([{ opacity: 0 }, { opacity: 1 }], timing);
  for (const arrow of overlay.querySelectorAll(".table-arrow")) {
    arrow.animate([{ strokeDasharray: "0 1" }, { strokeDasharray: "1 0" }], timing);
  }
  if (p.view.flight) animateFlight(p, duration);
  else for (const block of p.view.rings.keys()) animateLevel(p, block, levelBefore(p, block), timing);
}

// How full a block was before this event; in beat 3 the target holds the copied slots.
function levelBefore({ view }, block) {
  const source = view.beat === 3 && block === view.copy[1] ? view.copy[0] : block;
  return view.before.filled.get(source) ?? 0;
}

function animateLevel(p, block, was, timing) {
  const is = p.view.shown.filled.get(block) ?? 0;
  const level = p.parts.grid.top.querySelector(`[data-block="${block}"] .level`);
  if (level && is && was !== is) level.animate([{ transform: `scaleY(${was / is})` }, { transform: "none" }], timing);
}

function animateFlight(p, duration) {
  const path = p.parts.overlay.querySelector(".flight");
  const packet = p.parts.overlay.querySelector(".packet");
  if (!path) return;
  const middle = flightPath(p);
  const at = (part) => {
    const { x, y } = path.getPointAtLength(part * path.getTotalLength());
    return `translate(${x - middle.x}px, ${y - middle.y}px)`;
  };
  packet.animate([{ transform: at(0), opacity: 0.2 }, { transform: at(0.25), opacity: 1 }, { transform: "none" }], { duration: duration * 1.2, easing: "ease-in-out" });
  const level = p.parts.grid.top.querySelector(`[data-block="${p.view.flight.target}"] .level`);
  level?.animate([{ transform: "scaleY(0)" }, { transform: "none" }], { duration, delay: duration * 0.6, fill: "backwards" });
}
