// The prefix explorer's picture: the prompt on top, the tree of cached blocks at the left,
// the pool at the right. A node stands for one block's words after those before it.

const PREFIX_ROW = 56;
const PREFIX_NODE = 38; // height
const PREFIX_GAP = 30; // between columns
const PREFIX_CELL = 56;
const PREFIX_TOP = 96; // below the prompt

function prefixHue(picture, name) {
  const index = Object.keys(picture.prompts).indexOf(name);
  return HUES[Math.max(0, index) % HUES.length];
}

function prefixChip(picture, name, x, y, width = 26, height = 20) {
  const hue = prefixHue(picture, name);
  return (
    rectSvg(x, y, width, height, { rx: 4, fill: hue.fill, stroke: hue.isLight ? "#1b1b1b" : hue.fill }) +
    textSvg(x + width / 2, y + height / 2 + 4.3, shortened(name, width - 4, 12), {
      "font-size": 12, "font-weight": 700, fill: hue.text, "text-anchor": "middle",
    })
  );
}

// --- the prompt -------------------------------------------------------------------

// Its blocks as boxes: found ones with a thick edge, the rest as it is computed.
function prefixPromptSvg(view, moment) {
  const { picture, width: W } = view;
  const words = picture.prompts[moment.seq];
  const size = picture.block_size;
  const chunks = [];
  for (let k = 0; k < words.length; k += size) chunks.push(words.slice(k, k + size));
  const left = 40;
  const wide = Math.min(190, (W - left - 8 * (chunks.length - 1)) / chunks.length);
  let out = prefixChip(picture, moment.seq, 0, 22, 28, 24);
  out += textSvg(0, 11, moment.kind === "finish" ? "The prompt that ends" : "The prompt", { "font-size": 13, "font-weight": 700 });
  chunks.forEach((chunk, k) => {
    const x = left + k * (wide + 8);
    const found = k < moment.num_hit;
    const plain = moment.kind === "finish";
    out += rectSvg(x, 18, wide, 32, found
      ? { rx: 5, fill: "var(--paper3)", stroke: "var(--ink)", "stroke-width": 2.6 }
      : { rx: 5, fill: "none", stroke: "var(--line2)", "stroke-width": 1.2 });
    const mark = moment.stop && k === moment.num_hit ? moment.stop.mark : null;
    out += prefixWords(chunk, x + wide / 2, 39, wide - 10, mark);
    if (plain) return;
    const label = found ? "found" : chunk.length < size ? "computed; not full" : "computed";
    out += textSvg(x + wide / 2, 64, shortened(label, wide, 11), { "text-anchor": "middle", fill: "var(--ink2)", "font-weight": found ? 700 : 400 });
  });
  return out;
}

// A row of words around x; the one at mark stands on a line, with a wedge below it.
function prefixWords(words, x, y, width, mark = null, fill = "var(--ink)") {
  let fontSize = 12.5;
  const whole = words.join(" ");
  while (fontSize > 9 && textWidth(whole, fontSize) > width) fontSize -= 0.5;
  if (textWidth(whole, fontSize) > width) {
    return textSvg(x, y, shortened(whole, width, fontSize), { "font-size": fontSize, "text-anchor": "middle", fill });
  }
  const parts = words.map((word, k) =>
    k === mark ? `<tspan font-weight="700" text-decoration="underline">${esc(word)}</tspan>` : `<tspan>${esc(word)}</tspan>`,
  );
  return `<text x="${x}" y="${y}" font-size="${fontSize}" text-anchor="middle" fill="${fill}" xml:space="preserve">${parts.join(" ")}</text>`;
}

// --- the tree ---------------------------------------------------------------------

// Rows from top to bottom: {byId: id -> {node, depth, y}, ghost: {depth, y} or null, height}
function prefixRows(moment) {
  const kids = new Map([[null, []]]);
  const ids = new Set(moment.nodes.map((n) => n.node_id));
  for (const n of moment.nodes) kids.set(n.node_id, []);
  for (const n of moment.nodes) kids.get(ids.has(n.parent_id) ? n.parent_id : null).push(n);
  const byId = new Map();
  let ghost = null;
  let row = 0;
  const under = moment.kind === "lookup" && moment.stop ? moment.path.at(-1) ?? null : undefined;
  const walk = (id, depth) => {
    const first = row;
    for (const n of kids.get(id)) {
      byId.set(n.node_id, { node: n, depth, y: 0 });
      walk(n.node_id, depth + 1);
    }
    const isGhost = under === id;
    if (isGhost) {
      ghost = { depth, y: row * PREFIX_ROW + PREFIX_ROW / 2 };
      row += 1;
    }
    if (!kids.get(id).length && !isGhost) row += 1;
    const here = byId.get(id);
    if (here) here.y = first * PREFIX_ROW + PREFIX_ROW / 2;
  };
  walk(null, 0);
  return { byId, ghost, height: Math.max(1, row) * PREFIX_ROW };
}

function prefixDepth(picture) {
  const most = Math.max(...Object.values(picture.prompts).map((words) => words.length));
  return Math.max(1, Math.ceil(most / picture.block_size));
}

function prefixTreeSvg(view, moment, width) {
  const { picture } = view;
  const rows = prefixRows(moment);
  const columns = prefixDepth(picture);
  const wide = Math.max(76, Math.min(168, (width - 24) / columns - PREFIX_GAP));
  const x = (depth) => 24 + PREFIX_GAP + depth * (wide + PREFIX_GAP);
  const top = PREFIX_TOP + 22;
  const rootY = top + PREFIX_ROW / 2;
  let lines = "";
  let boxes = `<circle cx="16" cy="${rootY}" r="6" fill="var(--ink)"/>`;
  const path = new Set(moment.path);
  const from = (n) => {
    const parent = rows.byId.get(n.parent_id);
    return parent ? [x(parent.depth) + wide, top + parent.y] : [22, rootY];
  };
  const places = new Map();
  for (const { node, depth, y } of rows.byId.values()) {
    const [x1, y1] = from(node);
    const hit = path.has(node.node_id);
    lines += prefixBranch(x1, y1, x(depth), top + y, hit, node.gone);
    boxes += prefixNodeSvg(view, moment, node, x(depth), top + y, wide, hit);
    if (!node.gone) places.set(node.block_id, { hit });
  }
  if (rows.ghost) {
    const last = rows.byId.get(moment.path.at(-1));
    const [x1, y1] = last ? [x(last.depth) + wide, top + last.y] : [22, rootY];
    const gx = Math.min(x(rows.ghost.depth), width - wide);
    lines += prefixBranch(x1, y1, gx, top + rows.ghost.y, false, false, true);
    boxes += prefixGhostSvg(moment, gx, top + rows.ghost.y, wide);
  }
  const title = textSvg(0, PREFIX_TOP, "The tree: what can be found", { "font-size": 13, "font-weight": 700 });
  return { svg: title + lines + boxes, places, bottom: top + rows.height };
}

function prefixBranch(x1, y1, x2, y2, hit, gone, open = false) {
  const middle = (x1 + x2) / 2;
  const d = Math.abs(y1 - y2) < 0.5 ? `M${x1},${y1} H${x2}` : `M${x1},${y1} C${middle},${y1} ${middle},${y2} ${x2},${y2}`;
  const stroke = gone ? "var(--loss)" : hit ? "var(--ink)" : "var(--ink3)";
  const dash = gone || open ? ' stroke-dasharray="4 3"' : "";
  return `<path d="${d}" fill="none" stroke="${stroke}" stroke-width="${hit ? 4.5 : 1.4}"${dash}/>`;
}

function prefixNodeSvg(view, moment, node, x, y, wide, hit) {
  const top = y - PREFIX_NODE / 2;
  const block = moment.blocks[node.block_id];
  const fresh = moment.kind === "register" && moment.touched.includes(node.block_id);
  const stroke = node.gone ? "var(--loss)" : hit || fresh ? "var(--ink)" : "var(--line2)";
  let out = `<g class="node" data-node="${node.node_id}" data-block="${node.block_id}" data-gone="${node.gone}">`;
  out += rectSvg(x, top, wide, PREFIX_NODE, {
    rx: 5, fill: "var(--paper)", stroke, "stroke-width": hit ? 3 : fresh || node.gone ? 2 : 1.2,
    ...(node.gone ? { "stroke-dasharray": "4 3" } : {}),
  });
  if (fresh) out += rectSvg(x - 3.5, top - 3.5, wide + 7, PREFIX_NODE + 7, { rx: 8, fill: "none", stroke: "var(--ink)", "stroke-width": 1.6 });
  out += prefixWords(node.words, x + wide / 2, y - 3, wide - 10, null, node.gone ? "var(--ink2)" : "var(--ink)");
  const where = node.gone ? `was in block ${node.block_id}` : `block ${node.block_id}`;
  if (!node.gone) out += prefixMiniSvg(view, block, x + 7, y + 2);
  out += textSvg(x + (node.gone ? 8 : 26), y + 13, where, { "font-size": 11, fill: node.gone ? "var(--loss)" : "var(--ink2)", "font-weight": node.gone ? 600 : 400 });
  if (!node.gone) out += prefixOwnersSvg(view, block, x + wide - 8, y + 3);
  return `${out}</g>`;
}

// The block as the pool shows it, small: dots if it is cached, its owners' hues if held.
function prefixMiniSvg(view, block, x, y) {
  if (!block) return "";
  const hues = block.owners.map((name) => prefixHue(view.picture, name));
  const fill = !block.count ? view.paint.dots() : hues.length > 1 ? view.paint.stripes(hues, 3) : hues[0]?.fill ?? "var(--line2)";
  return rectSvg(x, y, 14, 14, { rx: 2.5, fill, stroke: block.count ? "var(--ink)" : "var(--free)" });
}

// Small letters of who holds the block, right aligned; "free" where nobody does.
function prefixOwnersSvg(view, block, right, y) {
  if (!block || !block.count) return textSvg(right, y + 10, "free", { "font-size": 11, "text-anchor": "end", fill: "var(--ink2)" });
  return block.owners
    .map((name, k) => prefixChip(view.picture, name, right - 16 - (block.owners.length - 1 - k) * 18, y - 1, 16, 14))
    .join("");
}

function prefixGhostSvg(moment, x, y, wide) {
  const { words, mark, label } = moment.stop;
  const top = y - PREFIX_NODE / 2;
  let out = `<g class="ghost">`;
  out += rectSvg(x, top, wide, PREFIX_NODE, { rx: 5, fill: "var(--paper)", stroke: "var(--ink)", "stroke-width": 1.6, "stroke-dasharray": "4 3" });
  out += prefixWords(words, x + wide / 2, y - 3, wide - 10, mark);
  out += `<path d="M${x - 6},${y - 6} l12,12 M${x - 6},${y + 6} l12,-12" stroke="var(--ink)" stroke-width="2.4" fill="none"/>`;
  out += textSvg(x + wide / 2, y + 13, label, { "font-size": 11, "text-anchor": "middle", "font-weight": 700 });
  return `${out}</g>`;
}

// --- the pool ---------------------------------------------------------------------

function prefixPoolSvg(view, moment, left, places) {
  const { picture, width: W } = view;
  const gap = 14;
  const pitch = PREFIX_CELL + gap;
  const most = Math.max(1, Math.floor((W - left + gap) / pitch));
  const columns = Math.ceil(picture.num_blocks / Math.ceil(picture.num_blocks / most)); // rows alike
  const top = PREFIX_TOP + 26;
  const place = (id) => ({ x: left + (id % columns) * pitch, y: top + Math.floor(id / columns) * (PREFIX_CELL + 30) });
  const touched = new Set([...moment.touched, ...moment.forgotten]);
  let out = textSvg(left, PREFIX_TOP, "The pool", { "font-size": 13, "font-weight": 700 });
  for (const block of moment.blocks) {
    const at = place(block.block_id);
    const node = places.get(block.block_id);
    const isHit = node && node.hit;
    out += prefixCellSvg(view, moment, block, at, isHit || touched.has(block.block_id) ? "touched" : "");
  }
  const rows = Math.ceil(picture.num_blocks / columns);
  const bottom = top + rows * (PREFIX_CELL + 30);
  const cached = moment.blocks.filter((b) => b.order !== null).length;
  const lost = moment.blocks.filter((b) => b.state === "lost").length;
  const lines = [cached || lost ? "1, 2, … : the order in which they are forgotten" : "", lost ? "not found: its beginning is forgotten" : ""].filter(Boolean);
  lines.forEach((line, k) => {
    out += textSvg(left, bottom + 10 + k * 16, line, { "font-size": 11.5, fill: line.startsWith("not found") ? "var(--loss)" : "var(--ink2)", "font-weight": line.startsWith("not found") ? 600 : 400 });
  });
  return { svg: out, bottom: bottom + 16 + lines.length * 14 };
}

function prefixCellSvg(view, moment, block, { x, y }, ring) {
  const owners = block.owners.map((label) => ({ label, hue: prefixHue(view.picture, label) }));
  const free = !block.count;
  const look = free && block.state === "cached" ? "cached" : "";
  let out = cellSvg(view.paint, {
    id: block.block_id, x, y, size: PREFIX_CELL, owners, count: block.count, slots: 1, filled: 1, low: 1,
    state: free ? "free" : "held", look, ring, badge: block.count > 1 ? "inside" : "", faded: false,
  });
  if (block.state === "lost") {
    out += rectSvg(x + 2, y + 2, PREFIX_CELL - 4, PREFIX_CELL - 4, { rx: 4, fill: view.paint.dots(), stroke: "var(--loss)", "stroke-width": 2, "stroke-dasharray": "4 3" });
    out += textSvg(x + 5, y + 13, block.block_id, { "font-size": 10, ...HALO });
  }
  if (free && block.order !== null) {
    out += textSvg(x + PREFIX_CELL / 2, y + PREFIX_CELL / 2 + 9, block.order, { "font-size": 18, "font-weight": 700, "text-anchor": "middle", ...HALO, "stroke-width": 5 });
  }
  const under = moment.forgotten.includes(block.block_id)
    ? ["forgotten", "var(--loss)"]
    : block.state === "lost" ? ["not found", "var(--loss)"]
    : block.state === "cached" ? ["cached", "var(--ink2)"]
    : block.state === "free" ? ["blank", "var(--ink2)"] : ["", ""];
  if (under[0]) out += textSvg(x + PREFIX_CELL / 2, y + PREFIX_CELL + 15, under[0], { "font-size": 11, "text-anchor": "middle", fill: under[1], "font-weight": under[1] === "var(--loss)" ? 600 : 400 });
  return `<g class="block" data-block="${block.block_id}" data-state="${block.state}">${out}</g>`;
}
