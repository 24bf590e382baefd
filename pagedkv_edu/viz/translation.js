// The translation explorer: a position's way to its byte, in one picture. Follows
// blocks.js in one scope. All facts come from translation.py; here they are drawn.
//
//   model.get("picture")   what translation.picture() returns
//   model.get("position")  whose way is shown
//   model.get("view")      index of the block size

const WIDE = 968;
const STRIP = { x: 104, y: 20, pitch: 18, height: 24, numPositions: 48 };
const ENTRY = { y: 76, height: 24 };
const LANE = { y: 114, x: 430 };
const GRID = { x: 488, y: 194, pitch: 30, columns: 16, height: 28, step: 57 };
const RULER = { height: 18, tick: 16 };
const PIN = stroked("M8 15V9.2M8 9.2a3.6 3.6 0 1 0 0-7.2 3.6 3.6 0 0 0 0 7.2zM4.5 15h7", 1.6);

function renderTranslation({ model, el }) {
  const root = node("div", {
    class: "pagedkv translation",
    role: "group",
    tabindex: 0,
    "aria-label":
      "A position's way to its byte. Left and right arrow: one token. " +
      "Page up and page down: one block. Up and down arrow: block size.",
  });
  const head = root.appendChild(node("div", { class: "head" }));
  const stage = root.appendChild(node("div", { class: "stage" }));
  const text = root.appendChild(node("p", { class: "told" }));
  const spoken = root.appendChild(node("div", { class: "spoken", "aria-live": "polite" }));
  el.append(root);

  const shown = { picture: null, view: -1 };
  let speak = 0;
  const draw = () => {
    const scene = sceneOf(model);
    if (shown.picture !== scene.picture || shown.view !== scene.index) {
      stage.replaceChildren(fixedSvg(scene));
      Object.assign(shown, { picture: scene.picture, view: scene.index });
    }
    move(stage.firstChild, scene);
    head.innerHTML = headHtml(scene);
    text.textContent = `${scene.way.text} ${scene.way.remark}`;
    clearTimeout(speak);
    if (root.contains(document.activeElement)) {
      speak = setTimeout(() => (spoken.textContent = toldShort(scene)), 400);
    }
  };
  const go = (position, view = sceneOf(model).index) => {
    const { num_tokens: length, views } = model.get("picture");
    model.set("view", Math.max(0, Math.min(views.length - 1, view)));
    model.set("position", Math.max(0, Math.min(length - 1, position)));
    model.save_changes();
  };
  root.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const { way, index, blockSize } = sceneOf(model);
    const moves = {
      ArrowLeft: () => go(way.position - 1),
      ArrowRight: () => go(way.position + 1),
      PageUp: () => go(way.position - blockSize),
      PageDown: () => go(way.position + blockSize),
      Home: () => go(0),
      End: () => go(Infinity),
      ArrowUp: () => go(way.position, index + 1),
      ArrowDown: () => go(way.position, index - 1),
    };
    if (!(event.key in moves)) return;
    event.preventDefault();
    event.stopPropagation(); // or JupyterLab takes the key as a command
    moves[event.key]();
  });
  stage.addEventListener("click", (event) => {
    const cell = event.target.closest("[data-position]");
    if (cell) go(Number(cell.dataset.position));
  });
  const changes = ["change:picture", "change:position", "change:view"];
  for (const change of changes) model.on(change, draw);
  draw();
  return () => {
    clearTimeout(speak);
    for (const change of changes) model.off(change, draw);
  };
}

// What is to be seen now, with the names that the drawing uses.
function sceneOf(model) {
  const picture = model.get("picture");
  const index = Math.max(0, Math.min(picture.views.length - 1, model.get("view")));
  const view = picture.views[index];
  const position = Math.max(0, Math.min(view.ways.length - 1, model.get("position")));
  return {
    picture,
    index,
    view,
    way: view.ways[position],
    blockSize: view.block_size,
    numBlocks: picture.num_slots / view.block_size,
    numRows: picture.num_slots / GRID.columns,
    table: view.tables.A,
  };
}

function headHtml({ way, blockSize, table }) {
  return (
    `<span class="mark"><svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">${PIN}</svg></span>` +
    `<span class="headline">Position ${way.position} of A is in slot ${way.slot}</span>` +
    `<span class="meta">block_size ${blockSize} · A holds ${amount(table.length, "block")}</span>`
  );
}

function toldShort({ way }) {
  return `Position ${way.position}: logical block ${way.logical_block}, offset ${way.offset}, physical block ${way.block_id}, slot ${way.slot}. ${way.remark}`;
}

// --- where things are ---------------------------------------------------------------

const stripX = (position) => STRIP.x + position * STRIP.pitch;
const slotX = (slot) => GRID.x + (slot % GRID.columns) * GRID.pitch;
const slotY = (slot) => GRID.y + Math.floor(slot / GRID.columns) * GRID.step;
const gridBottom = (numRows) => GRID.y + (numRows - 1) * GRID.step + GRID.height;
const rulerY = (numRows) => gridBottom(numRows) + 48;
const byteX = (slot, numSlots) => (slot / numSlots) * WIDE;

// Who holds a slot: {seq, position}, or nothing for a free slot.
function holders(scene) {
  const bySlot = new Map();
  for (const [seq, table] of Object.entries(scene.view.tables)) {
    for (let position = 0; position < scene.picture.lengths[seq]; position += 1) {
      const block = table[Math.floor(position / scene.blockSize)];
      bySlot.set(block * scene.blockSize + (position % scene.blockSize), { seq, position });
    }
  }
  return bySlot;
}

function ownerOf(scene, block) {
  return Object.keys(scene.view.tables).find((seq) => scene.view.tables[seq].includes(block));
}

// As in the lesson's film, where a sequence that is gone by now took the first hue.
const HUE_BY_SEQ = { A: HUES[1], B: HUES[2] };

// A label that is lit when its name is meant.
function quiet(name, anchor) {
  return { class: "quiet", "data-name": name, "text-anchor": anchor, "font-size": null, fill: null };
}

// --- what stays while the position moves --------------------------------------------

function fixedSvg(scene) {
  const svg = newSvg(WIDE, rulerY(scene.numRows) + 40, "The drawing; the text below says the same.");
  svg.paint = paintBox(svg);
  svg.insertAdjacentHTML(
    "afterbegin",
    '<g class="bands">' +
      '<rect class="band column"/><rect class="band row"/><rect class="band slots"/></g>',
  );
  svg.body.innerHTML = labelsSvg(scene) + stripSvg(scene) + gridSvg(scene) + rulerSvg(scene);
  svg.now = svg.appendChild(document.createElementNS(SVG_NAMES, "g"));
  return svg;
}

function stepBadge(number, x, y) {
  return (
    `<circle cx="${x}" cy="${y}" r="9" fill="var(--ink)"/>` +
    textSvg(x, y + 4, number, { fill: "var(--paper)", "font-weight": 700, "text-anchor": "middle" })
  );
}

function titled(number, x, y, title, note) {
  return (
    stepBadge(number, x + 9, y - 4.5) +
    textSvg(x + 24, y, title, { "font-size": 13, "font-weight": 700 }) +
    (note ? textSvg(x + 24, y + 15, note, { fill: "var(--ink2)" }) : "")
  );
}

function labelsSvg(scene) {
  const { picture, numBlocks, numRows } = scene;
  const y = rulerY(numRows);
  const whole = picture.slot_bytes * picture.num_slots;
  return (
    titled(1, 0, 30, "Sequence", `A, ${amount(picture.num_tokens, "token")}`) +
    textSvg(24, 63, "logical block", { fill: "var(--ink2)" }) +
    titled(2, 0, 88, "Table", "of A") +
    titled(3, 464, 146, "Pool") +
    textSvg(WIDE, 146, `${amount(numBlocks, "block")}, ${picture.num_slots} slots`, { fill: "var(--ink2)", "text-anchor": "end", "font-size": 12 }) +
    textSvg(478, 168, "slot", { fill: "var(--ink2)", "text-anchor": "end", "font-size": 11 }) +
    textSvg(24, 12, "offset", quiet("", "start")) +
    legendSvg(gridBottom(numRows) - 20) +
    titled(4, 0, y - 12, "Bytes of one array: the keys of one layer") +
    textSvg(WIDE, y - 12, `${picture.num_slots} × ${withCommas(picture.slot_bytes)} bytes = ${withCommas(whole)} bytes`, { fill: "var(--ink2)", "text-anchor": "end", "font-size": 12 })
  );
}

function legendSvg(y) {
  const entries = [
    [0, tokenSvg(0, y, 24, 20, { seq: "A", position: "9" }).replace(/ data-position="\d+"/, ""), "A's token, by its position"],
    [196, tokenSvg(196, y, 24, 20, { seq: "B" }), "B's token"],
    [296, rectSvg(296.5, y + 0.5, 36, 19, { rx: 4, fill: "none", stroke: "var(--free)", "stroke-dasharray": "2.5 2.5" }), "free"],
  ];
  return entries
    .map(([x, mark, words], i) => mark + textSvg(x + (i < 2 ? 30 : 42), y + 14, words, { fill: "var(--ink2)" }))
    .join("");
}

function stripSvg({ picture, table, blockSize }) {
  let out = "";
  table.forEach((block, k) => {
    const x = stripX(k * blockSize);
    const width = blockSize * STRIP.pitch;
    out += rectSvg(x + 0.5, STRIP.y - 3, width - 1, STRIP.height + 6, { rx: 4, fill: "none", stroke: "var(--line2)" });
    for (let p = k * blockSize; p < Math.min((k + 1) * blockSize, picture.num_tokens); p += 1) {
      out += tokenSvg(stripX(p) + 1, STRIP.y, 16, STRIP.height, { seq: "A", position: p });
    }
    out += textSvg(x + width / 2, 63, k, quiet(`logical-${k}`, "middle"));
    const entry = entryBox(k, blockSize);
    out += rectSvg(entry.x, ENTRY.y, entry.width, ENTRY.height, { rx: 3, fill: "none", stroke: "var(--line2)" });
    out += textSvg(x + width / 2, ENTRY.y + 16, block, quiet("", "middle"));
  });
  return out;
}

function entryBox(logicalBlock, blockSize) {
  const room = blockSize * STRIP.pitch;
  const width = Math.min(36, room - 2);
  return { x: stripX(logicalBlock * blockSize) + (room - width) / 2, width };
}

function tokenSvg(x, y, width, height, { seq, position }) {
  const hue = HUE_BY_SEQ[seq];
  const label = seq === "A" ? position : seq;
  const data = seq === "A" ? ` data-position="${position}"` : "";
  return (
    `<g class="cell faded"${data}>` +
    rectSvg(x, y, width, height, { class: "fill", rx: 2.5, ...inHue(hue) }) +
    textSvg(x + width / 2, y + height / 2 + 3.6, label, {
      "font-size": 11, "text-anchor": "middle", fill: seq === "A" ? "var(--ink)" : "var(--ink2)",
    }) +
    "</g>"
  );
}

// A fill that stays visible on white: light hues get an edge of ink.
function inHue(hue) {
  return { fill: hue.fill, stroke: hue.isLight ? "var(--ink)" : hue.fill, "stroke-width": 0.8 };
}

function gridSvg(scene) {
  const { numBlocks, numRows, blockSize } = scene;
  let out = "";
  for (let column = 0; column < GRID.columns; column += 1) {
    out += textSvg(GRID.x + (column + 0.5) * GRID.pitch, 168, `+${column}`, quiet(`column-${column}`, "middle"));
  }
  for (let row = 0; row < numRows; row += 1) {
    const slot = row * GRID.columns;
    out += textSvg(478, slotY(slot) + 18, slot, quiet(`row-${row}`, "end"));
  }
  for (let block = 0; block < numBlocks; block += 1) out += blockSvg(scene, block, blockSize);
  for (const [slot, holder] of holders(scene)) {
    out += tokenSvg(slotX(slot) + 2, slotY(slot) + 2, GRID.pitch - 4, GRID.height - 4, holder);
  }
  return out;
}

function blockSvg(scene, block, blockSize) {
  const [x, y] = [slotX(block * blockSize), slotY(block * blockSize)];
  const owner = ownerOf(scene, block);
  const look = owner
    ? { stroke: "var(--line2)" }
    : { stroke: "var(--free)", "stroke-dasharray": "2.5 2.5" };
  const id = blockSize > 2 ? `block ${block}` : block;
  return (
    rectSvg(x + 0.5, y, blockSize * GRID.pitch - 1, GRID.height, { rx: 4, fill: "none", ...look }) +
    textSvg(x + 15, y - 4, id, quiet(`block-${block}`, "start"))
  );
}

function rulerSvg(scene) {
  const { picture, numRows } = scene;
  const y = rulerY(numRows);
  const across = WIDE / picture.num_slots;
  let out = "";
  for (const [slot, { seq }] of holders(scene)) {
    out += `<g class="cell faded">${rectSvg(slot * across, y, across + 0.2, RULER.height, { class: "fill", fill: HUE_BY_SEQ[seq].fill })}</g>`;
  }
  out += rectSvg(0.5, y, WIDE - 1, RULER.height, { fill: "none", stroke: "var(--line2)" });
  for (let slot = 0; slot <= picture.num_slots; slot += RULER.tick) {
    const x = byteX(slot, picture.num_slots);
    const anchor = slot === 0 ? "start" : slot === picture.num_slots ? "end" : "middle";
    out += `<path d="M${x},${y} v${RULER.height + 5}" stroke="var(--line2)"/>`;
    out += textSvg(x, y + 36, withCommas(slot * picture.slot_bytes), { ...quiet("", anchor), "data-x": x });
  }
  return out;
}

// --- what moves with the position ---------------------------------------------------

function move(svg, scene) {
  const { way, blockSize } = scene;
  const [column, row, slots] = svg.querySelectorAll(".band");
  const x = stripX(way.logical_block * blockSize);
  place(column, x - 2, 0, blockSize * STRIP.pitch + 4, ENTRY.y + ENTRY.height + 6);
  const rowX = GRID.x - 42;
  place(row, rowX, slotY(way.slot) - 1, WIDE - rowX + 2, GRID.height + 2);
  const bottom = gridBottom(scene.numRows);
  place(slots, slotX(way.slot), 157, GRID.pitch, bottom - 156);
  light(svg, scene);
  svg.now.innerHTML =
    touchedStripSvg(scene) + arrowSvg(svg, scene) + touchedGridSvg(scene) +
    touchedByteSvg(scene) + sumsSvg(scene) + remarkSvg(scene);
}

function place(rect, x, y, width, height) {
  rect.setAttribute("width", width);
  rect.setAttribute("height", height);
  rect.style.transform = `translate(${x}px, ${y}px)`;
}

// Light the labels that say where the slot is; hide a tick that the byte would cover.
function light(svg, { way, picture }) {
  const names = new Set([
    `logical-${way.logical_block}`,
    `block-${way.block_id}`,
    `row-${Math.floor(way.slot / GRID.columns)}`,
    `column-${way.slot % GRID.columns}`,
  ]);
  const { middle, half } = byteLabel(way, picture);
  for (const label of svg.querySelectorAll(".quiet")) {
    label.classList.toggle("lit", names.has(label.dataset.name));
    const x = Number(label.dataset.x ?? NaN);
    label.style.visibility = Math.abs(x - middle) < half + 34 ? "hidden" : "";
  }
}

function byteLabel(way, picture) {
  const label = `byte ${withCommas(way.byte)}`;
  const half = textWidth(label, 12) / 2 + 2;
  const centre = byteX(way.slot + 0.5, picture.num_slots);
  return { label, half, middle: Math.max(half, Math.min(WIDE - half, centre)) };
}

const STRONG = { fill: "var(--ink)", "font-weight": 700 };
const RING = { fill: "none", stroke: "var(--ink)", "stroke-width": 2 };

// The cells of the block that is meant, in full ink, and a ring around the one token.
function fullCells(scene, xOf, y, width, height) {
  const { way, blockSize, picture } = scene;
  const first = way.logical_block * blockSize;
  const last = Math.min(first + blockSize, picture.num_tokens);
  const hue = HUE_BY_SEQ.A;
  let out = "";
  for (let position = first; position < last; position += 1) {
    const x = xOf(position);
    out +=
      `<g data-position="${position}">` +
      rectSvg(x, y, width, height, { rx: 2.5, ...inHue(hue) }) +
      textSvg(x + width / 2, y + height / 2 + 3.6, position, { "font-size": 11, "font-weight": 600, fill: hue.text, "text-anchor": "middle" }) +
      "</g>";
  }
  const x = xOf(way.position);
  out += rectSvg(x - 0.5, y - 0.5, width + 1, height + 1, { rx: 3, fill: "none", stroke: "var(--paper)", "stroke-width": 4.5 });
  return out + rectSvg(x - 0.5, y - 0.5, width + 1, height + 1, { rx: 3, ...RING, "stroke-width": 2.4 });
}

// The offsets of the block that is meant: the same on both sides of the table.
function offsetsSvg({ way, blockSize }, x, y, pitch) {
  let out = "";
  for (let offset = 0; offset < blockSize; offset += 1) {
    const strong = offset === way.offset;
    out += textSvg(x + (offset + 0.5) * pitch, y, offset, {
      "font-size": strong ? 12 : 11, "text-anchor": "middle", ...(strong ? STRONG : { fill: "var(--ink2)" }),
    });
  }
  return out;
}

function touchedStripSvg(scene) {
  const { way, blockSize } = scene;
  const x = stripX(way.logical_block * blockSize);
  const width = blockSize * STRIP.pitch;
  const middle = x + width / 2;
  const entry = entryBox(way.logical_block, blockSize);
  const centre = { "text-anchor": "middle", ...STRONG };
  return (
    rectSvg(x + 0.5, STRIP.y - 3, width - 1, STRIP.height + 6, { rx: 4, ...RING }) +
    fullCells(scene, (p) => stripX(p) + 1, STRIP.y, 16, STRIP.height) +
    offsetsSvg(scene, x, 12, STRIP.pitch) +
    rectSvg(entry.x, ENTRY.y, entry.width, ENTRY.height, { rx: 3, ...RING, fill: "var(--paper)" }) +
    textSvg(middle, ENTRY.y + 16, way.block_id, { ...centre, "font-size": blockSize < 2 ? 11 : 12 })
  );
}

// From the entry through the lanes that cross no cell, to the beginning of the block.
function arrowSvg(svg, { way, blockSize }) {
  const from = stripX(way.logical_block * blockSize) + (blockSize * STRIP.pitch) / 2;
  const first = way.block_id * blockSize;
  const [toX, toY] = [slotX(first) + 8, slotY(first) - 1];
  const points = [
    [from, ENTRY.y + ENTRY.height], [from, LANE.y], [LANE.x, LANE.y],
    [LANE.x, toY - 15], [toX, toY - 15], [toX, toY],
  ];
  return `<path class="lead" d="${rounded(points, 7)}" marker-end="${svg.paint.arrow(9)}"/>`;
}

// A path through points, its corners rounded.
function rounded(points, radius) {
  let path = `M${points[0]}`;
  for (let i = 1; i < points.length - 1; i += 1) {
    const [before, corner, after] = [points[i - 1], points[i], points[i + 1]];
    path += ` L${towards(corner, before, radius)} Q${corner} ${towards(corner, after, radius)}`;
  }
  return `${path} L${points.at(-1)}`;
}

function towards([x, y], [toX, toY], distance) {
  const length = Math.hypot(toX - x, toY - y);
  const part = length ? Math.min(distance, length / 2) / length : 0;
  return [x + (toX - x) * part, y + (toY - y) * part];
}

function touchedGridSvg(scene) {
  const { way, blockSize } = scene;
  const first = way.block_id * blockSize;
  const [x, y] = [slotX(first), slotY(first)];
  const base = way.logical_block * blockSize;
  return (
    rectSvg(x + 0.5, y, blockSize * GRID.pitch - 1, GRID.height, { rx: 4, ...RING }) +
    fullCells(scene, (p) => slotX(first + p - base) + 2, y + 2, GRID.pitch - 4, GRID.height - 4) +
    offsetsSvg(scene, x, y + GRID.height + 11, GRID.pitch)
  );
}

function touchedByteSvg({ way, picture, numRows }) {
  const y = rulerY(numRows);
  const across = WIDE / picture.num_slots;
  const x = byteX(way.slot, picture.num_slots);
  const { label, middle } = byteLabel(way, picture);
  return (
    rectSvg(x, y, across, RULER.height, { fill: HUE_BY_SEQ.A.fill }) +
    rectSvg(x - 1, y - 3, across + 2, RULER.height + 6, { rx: 2, ...RING }) +
    textSvg(middle, y + RULER.height + 18, label, { "font-size": 12, "text-anchor": "middle", ...STRONG })
  );
}

// --- the sums, and how a learner's function differs -----------------------------------

function sumsSvg({ way, blockSize, picture }) {
  const bytes = withCommas(picture.slot_bytes);
  const steps = [
    ["Divide the position by block_size", `${way.position} = ${way.logical_block} × ${blockSize} + ${way.offset}`, `logical block ${way.logical_block}, offset ${way.offset}`],
    ["Look up that entry of the table", `table[${way.logical_block}] = ${way.block_id}`, `physical block ${way.block_id}`],
    ["Multiply by block_size, add the offset", `${way.block_id} × ${blockSize} + ${way.offset} = ${way.slot}`, `slot ${way.slot}: row ${way.slot - (way.slot % GRID.columns)}, column +${way.slot % GRID.columns}`],
    ["Multiply by the bytes of a slot", `${way.slot} × ${bytes} = ${withCommas(way.byte)}`, `byte, in each of ${picture.num_arrays} arrays`],
  ];
  return steps
    .map(([title, sum, result], i) => {
      const y = 146 + i * 62;
      return (
        titled(i + 1, 0, y, title) +
        textSvg(24, y + 23, sum, { "font-size": 15 }) +
        textSvg(216, y + 23, result, { "font-size": 12, fill: "var(--ink2)" })
      );
    })
    .join("");
}

function remarkSvg(scene) {
  const { way, picture, numRows } = scene;
  if (!way.remark) return "";
  const found = way.found_slot;
  const inPool = Number.isInteger(found) && found >= 0 && found < picture.num_slots;
  const words = `${way.remark} ${leadsTo(scene, found, inPool)}`;
  const y = gridBottom(numRows) - 100;
  const look = way.is_written
    ? { fill: "var(--loss-paper)", stroke: "var(--loss)" }
    : { fill: "none", stroke: "var(--line2)" };
  const name = way.is_written ? "remark" : "remark unwritten";
  const foreign = `<div xmlns="http://www.w3.org/1999/xhtml" class="${name}"><p>${esc(words)}</p></div>`;
  let out = rectSvg(0.5, y, 408, 64, { rx: 6, ...look, "stroke-dasharray": "4 3" });
  out += `<foreignObject x="10" y="${y + 2}" width="390" height="60">${foreign}</foreignObject>`;
  if (!inPool) return out;
  const wrong = { fill: "none", stroke: "var(--loss)", "stroke-width": 2.4, "stroke-dasharray": "4 3" };
  out += rectSvg(slotX(found), slotY(found), GRID.pitch, GRID.height, { rx: 4, ...wrong });
  out += textSvg(slotX(found) + GRID.pitch / 2, slotY(found) + GRID.height + 11, "yours", { "font-size": 11, "font-weight": 700, fill: "var(--loss)", "text-anchor": "middle", ...HALO });
  const across = WIDE / picture.num_slots;
  return out + rectSvg(byteX(found, picture.num_slots), rulerY(numRows) - 3, across, RULER.height + 6, wrong);
}

// What a write into the slot that was found would hit.
function leadsTo(scene, found, inPool) {
  if (found === null) return "";
  if (!inPool) return `Slot ${found} is outside the pool.`;
  const holder = holders(scene).get(found);
  if (!holder) return `In slot ${found} is no token.`;
  return `In slot ${found} is ${holder.seq === "A" ? `A's position ${holder.position}` : `a token of ${holder.seq}`}.`;
}
