// The growth explorer: two strips at one scale, the last blocks under a lens, and the
// whole growth as a track. Everything is drawn from what was seen of a run: how many
// blocks the pool missed, and what the table said, from which length on.

const GROWTH_SPEEDS = [6, 24, 96, 384]; // tokens a second
const GROWTH_LENS = 4; // boxes under the lens

function renderGrowth({ model, el }) {
  const view = {
    model,
    runs: model.get("runs"),
    maxLen: model.get("max_len"),
    blockSize: model.get("block_size"),
    at: model.get("seq_len"),
    width: 968,
    speed: 1,
    timer: 0,
  };
  view.root = node("div", { class: "pagedkv growth", role: "group", tabindex: 0,
    "aria-label": "Growth explorer. Space grows and stops, arrow keys step by one token, J and K go to the previous and the next new block." });
  view.parts = growthParts(view);
  view.paint = paintBox(view.parts.lens);
  view.root.append(...view.parts.all);
  el.append(view.root);
  view.root.addEventListener("keydown", (event) => growthKey(view, event));
  const watcher = new ResizeObserver(() => growthResize(view));
  watcher.observe(view.root);
  const taken = () => {
    view.blockSize = model.get("block_size");
    growthGo(view, model.get("seq_len"), { save: false });
  };
  model.on?.("change:seq_len", taken);
  model.on?.("change:block_size", taken);
  growthGo(view, view.at, { save: false });
  return () => {
    growthStop(view);
    watcher.disconnect();
    model.off?.("change:seq_len", taken);
    model.off?.("change:block_size", taken);
  };
}

function growthParts(view) {
  const headline = node("div", { class: "headline" });
  const where = node("div", { class: "ink2 where" });
  const icon = node("span", { class: "icon", "aria-hidden": "true" });
  const strips = newSvg(968, 190);
  const lens = newSvg(590, 220);
  const counts = node("div", { class: "counts" });
  const track = newSvg(968, 96);
  track.removeAttribute("aria-hidden");
  const slider = { role: "slider", tabindex: 0, "aria-label": "tokens of the sequence", "aria-valuemin": 1 };
  for (const [name, value] of Object.entries(slider)) track.setAttribute(name, value);
  track.addEventListener("pointerdown", (event) => growthDrag(view, event));
  const text = node("div", { class: "text", "aria-live": "polite" });
  const buttons = node("div", { class: "row buttons" });
  const sizes = node("div", { class: "row sizes", role: "group", "aria-label": "block_size" });
  const all = [
    node("div", { class: "row head" }, icon, headline, where),
    strips,
    node("div", { class: "pair" }, lens, counts),
    track,
    text,
    node("div", { class: "row foot" }, buttons, sizes),
  ];
  return { all, headline, where, icon, strips, lens, counts, track, text, buttons, sizes };
}

// --- what was seen ----------------------------------------------------------------

function growthRun(view) {
  return view.runs.find((run) => run.block_size === view.blockSize) ?? view.runs[0];
}

// {held, table, last: the change at or before this length, next: the one after it}
function growthAt(run, seqLen) {
  const table = [];
  let [last, next] = [null, null];
  for (const change of run.changes) {
    if (change.seq_len > seqLen) {
      next = change;
      break;
    }
    table.length = change.kept;
    table.push(...change.added);
    last = change;
  }
  return { held: last?.num_held ?? 0, table, last, next };
}

function growthFacts(view, seqLen = view.at) {
  const run = growthRun(view);
  const now = growthAt(run, seqLen);
  const size = run.block_size;
  return {
    ...now, run, size, seqLen,
    heldSlots: now.held * size,
    empty: now.held * size - seqLen,
    promisedEmpty: view.maxLen - seqLen,
    promisedBlocks: Math.ceil(view.maxLen / size),
    isFault: now.last?.seq_len === seqLen,
    isStopped: run.error !== "" && seqLen >= run.seq_len,
  };
}

function growthHeadline(view, facts) {
  const { seqLen, held, promisedBlocks, run } = facts;
  if (facts.isStopped) return `Refused after ${amount(seqLen, "token")}: ${run.error}`;
  const holding = `${amount(held, "block")} held, ${withCommas(promisedBlocks)} promised`;
  if (facts.isFault && view.timer === 0) return `Token ${withCommas(seqLen)} finds no empty slot and takes a block: ${holding}`;
  return `${amount(seqLen, "token")}: ${holding}`;
}

function growthText(view, facts) {
  const { seqLen, held, heldSlots, empty, size, next, table } = facts;
  const sentences = [
    `A has ${amount(seqLen, "token")}.`,
    `A contiguous cache promised it ${amount(view.maxLen, "slot")} at the start; ${growthEmpty(facts.promisedEmpty)}.`,
    `In blocks of ${size} it holds ${amount(held, "block")}, that is ${amount(heldSlots, "slot")}; ${growthEmpty(empty)}.`,
  ];
  if (table.length !== held) sentences.push(`The table lists ${amount(table.length, "block")}, the pool misses ${held}.`);
  if (next) sentences.push(`Token ${withCommas(next.seq_len)} will take the next block, ${amount(next.seq_len - seqLen, "token")} from here.`);
  else if (!facts.isStopped) sentences.push("It needs no other block.");
  return sentences.join(" ");
}

function growthEmpty(count) {
  if (count < 0) return `${amount(-count, "token")} of it have no slot`;
  if (count === 0) return "none is empty";
  return `${withCommas(count)} ${count === 1 ? "is" : "are"} empty`;
}

// --- moving -----------------------------------------------------------------------

function growthGo(view, seqLen, { save = true } = {}) {
  const last = Math.max(1, growthRun(view).seq_len);
  view.at = Math.max(1, Math.min(last, Math.round(seqLen)));
  if (view.at === last) growthStop(view);
  growthDraw(view);
  if (save && view.timer === 0) growthSave(view);
}

function growthSave(view) {
  view.model.set("seq_len", view.at);
  view.model.set("block_size", view.blockSize);
  view.model.save_changes();
}

function growthNext(view, by) {
  const { changes } = growthRun(view);
  const ahead = changes.find((change) => change.seq_len > view.at);
  const behind = changes.findLast((change) => change.seq_len < view.at);
  const change = by > 0 ? ahead : behind;
  if (change) growthGo(view, change.seq_len);
}

function growthToggle(view) {
  if (view.timer !== 0) {
    growthStop(view);
    growthGo(view, view.at);
    return;
  }
  const last = growthRun(view).seq_len;
  let from = view.at >= last ? 1 : view.at;
  let begun = null;
  const tick = (now) => {
    begun ??= now;
    view.timer = requestAnimationFrame(tick);
    const due = from + Math.floor(((now - begun) / 1000) * GROWTH_SPEEDS[view.speed]);
    if (due !== view.at) growthGo(view, due);
  };
  view.restart = () => {
    from = view.at;
    begun = null;
  };
  view.timer = requestAnimationFrame(tick);
  growthDraw(view);
}

function growthStop(view) {
  if (view.timer === 0) return;
  cancelAnimationFrame(view.timer);
  view.timer = 0;
  growthSave(view);
}

function growthKey(view, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const onButton = event.target.closest?.("button");
  const by = event.shiftKey ? view.blockSize : 1;
  const step = (tokens) => () => {
    growthStop(view);
    growthGo(view, view.at + tokens);
  };
  const actions = {
    " ": onButton ? null : () => growthToggle(view),
    ArrowLeft: step(-by), ArrowRight: step(by), ArrowDown: step(-by), ArrowUp: step(by),
    PageDown: step(-10 * view.blockSize), PageUp: step(10 * view.blockSize),
    Home: step(-Infinity), End: step(Infinity),
    j: () => growthNext(view, -1), k: () => growthNext(view, 1),
  };
  const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (action) {
    event.preventDefault();
    action();
  }
  // JupyterLab's command mode would take it for a command: the a key adds a cell
  if (event.key !== "Tab" && event.key !== "Escape") event.stopPropagation();
}

function growthDrag(view, event) {
  growthStop(view);
  const { track } = view.parts;
  const box = track.getBoundingClientRect();
  const seek = (move) => growthGo(view, ((move.clientX - box.left) / box.width) * view.maxLen);
  const drop = () => track.removeEventListener("pointermove", seek);
  track.setPointerCapture(event.pointerId);
  track.addEventListener("pointermove", seek);
  track.addEventListener("pointerup", drop, { once: true });
  track.addEventListener("pointercancel", drop, { once: true });
  seek(event);
}

function growthResize(view) {
  const width = Math.max(320, Math.min(968, view.root.clientWidth - 32));
  if (Math.abs(width - view.width) < 1) return;
  view.width = width;
  growthDraw(view);
}

// --- drawing ----------------------------------------------------------------------

function growthDraw(view) {
  const { parts } = view;
  const facts = growthFacts(view);
  view.root.dataset.tokens = facts.seqLen;
  view.root.dataset.held = facts.held;
  view.root.classList.toggle("narrow", view.width < 760);
  view.lensWidth = view.width < 760 ? view.width : Math.round(view.width * 0.66);
  parts.headline.textContent = growthHeadline(view, facts);
  parts.headline.classList.toggle("loss", facts.isStopped);
  parts.icon.innerHTML = iconHtml(facts.isStopped ? "refuse" : facts.isFault ? "grow" : "write", 15);
  parts.where.textContent = `token ${withCommas(facts.seqLen)} of at most ${withCommas(view.maxLen)}`;
  growthStrips(view, facts);
  growthLens(view, facts);
  growthCounts(view, facts);
  growthTrack(view, facts);
  parts.text.setAttribute("aria-live", view.timer === 0 ? "polite" : "off");
  parts.text.textContent = growthText(view, facts);
  growthButtons(view, facts);
}

// The boxes under the lens: the last blocks of the table and, if any, the one to come.
function growthWindow(view, facts) {
  const numBoxes = Math.max(facts.table.length, Math.min(facts.table.length + 1, facts.promisedBlocks));
  const first = Math.max(0, numBoxes - GROWTH_LENS);
  return { first, stop: Math.min(first + GROWTH_LENS, Math.max(numBoxes, facts.promisedBlocks)) };
}

function growthStrips(view, facts) {
  const svg = view.parts.strips;
  const { width: W, maxLen } = view;
  const H = 196;
  resizeSvg(svg, W, H);
  const x = (slots) => (Math.min(slots, maxLen) / maxLen) * W;
  const share = (slots) => `${((100 * facts.seqLen) / slots).toFixed(1)} %`;
  const narrow = W < 760;
  let out = growthTitle(W, 14, "Promised", narrow ? "contiguous" : `contiguous: one run of ${withCommas(maxLen)} slots, taken before the first token`,
    `${share(maxLen)} of the slots hold a token`);
  out += growthPromised(view, facts, x, 24, 36);
  out += growthAxis(W, maxLen, 60);
  out += growthTitle(W, 106, "Held", narrow ? "paged" : `paged: blocks of ${facts.size} slots, each taken when a token finds no empty slot`,
    facts.heldSlots ? `${share(facts.heldSlots)} of the slots hold a token` : "");
  out += growthHeld(view, facts, x, 116, 36);
  const { first, stop } = growthWindow(view, facts);
  const [left, right] = [x(first * facts.size), x(stop * facts.size)];
  out += `<path class="lens" d="M${left},154 V160 C${left},178 0.5,172 0.5,${H} M${right},154 V160 C${right},178 ${view.lensWidth - 0.5},172 ${view.lensWidth - 0.5},${H}" />`;
  out += `<path class="lens" d="M${left},154 H${right}" stroke-width="2"/>`;
  svg.body.innerHTML = out;
}

function growthTitle(W, y, name, note, right) {
  return (
    textSvg(0, y, name, { "font-size": 14, "font-weight": 700 }) +
    textSvg(textWidth(name, 14) + 14, y, note, { "font-size": 12, fill: "var(--ink2)" }) +
    textSvg(W, y, right, { "font-size": 12, "font-weight": 700, "text-anchor": "end" })
  );
}

function growthAxis(W, maxLen, y) {
  let out = "";
  for (let k = 0; k <= 4; k += 1) {
    const slots = Math.round((maxLen * k) / 4);
    const anchor = k === 0 ? "start" : k === 4 ? "end" : "middle";
    out += `<path d="M${Math.min(W - 0.5, (W * k) / 4 + 0.5)},${y} v5" stroke="var(--ink2)"/>`;
    out += textSvg((W * k) / 4, y + 17, `${withCommas(slots)}${k === 4 ? " slots" : ""}`, { fill: "var(--ink2)", "text-anchor": anchor });
  }
  return out;
}

function growthPromised(view, facts, x, y, height) {
  const hue = HUES[0];
  const edge = x(facts.seqLen);
  const W = view.width;
  let out = rectSvg(0.75, y + 0.75, W - 1.5, height - 1.5, { rx: 4, fill: "none", stroke: hue.fill, "stroke-width": 1.5, "stroke-dasharray": "5 3" });
  out += rectSvg(0, y, edge, height, { rx: Math.min(4, edge / 2), fill: hue.fill });
  const label = `${withCommas(facts.promisedEmpty)} promised to A and empty`;
  const room = W - edge;
  if (room > textWidth(label, 12) + 24) {
    out += textSvg(edge + room / 2, y + height / 2 + 4.5, label, { "font-size": 12, "font-weight": 600, "text-anchor": "middle" });
  }
  return out + growthLetter(edge, y, height);
}

function growthLetter(edge, y, height) {
  if (edge < 22) return "";
  const middle = Math.min(edge / 2, 16);
  const plate = rectSvg(middle - 9, y + height / 2 - 10, 18, 20, { fill: HUES[0].fill });
  return plate + textSvg(middle, y + height / 2 + 4.5, "A", { "font-size": 13, "font-weight": 700, fill: HUES[0].text, "text-anchor": "middle" });
}

function growthHeld(view, facts, x, y, height) {
  const hue = HUES[0];
  const W = view.width;
  const each = x(facts.size);
  const heldEdge = x(facts.heldSlots);
  let out = rectSvg(0.5, y + 0.5, W - 1, height - 1, { rx: 4, fill: "none", stroke: "var(--free)", "stroke-dasharray": "2.5 2.5" });
  // one box for all, lines between: a thousand rectangles would be slow
  out += rectSvg(0, y, heldEdge, height, { rx: Math.min(4, heldEdge / 2), fill: "var(--paper)", stroke: hue.fill, "stroke-width": 1.5 });
  out += rectSvg(0, y, Math.min(x(facts.seqLen), heldEdge), height, { rx: Math.min(4, heldEdge / 2), fill: hue.fill });
  if (each >= 3) {
    let lines = "";
    for (let k = 1; k < facts.held; k += 1) lines += `M${k * each},${y}v${height}`;
    out += `<path d="${lines}" stroke="var(--paper)" stroke-width="${each >= 12 ? 2 : 0.9}"/>`;
  }
  const free = view.maxLen - facts.heldSlots;
  const label = `${withCommas(free)} not taken: any sequence may have them`;
  const room = W - heldEdge;
  if (room > textWidth(label, 12) + 24) {
    out += textSvg(heldEdge + room / 2, y + height / 2 + 4.5, label, { "font-size": 12, fill: "var(--ink2)", "text-anchor": "middle" });
  }
  return out + (each >= 12 ? "" : growthLetter(x(facts.seqLen), y, height));
}

// The last blocks as boxes, and below them, box under box, the stairs of what is held.
function growthLens(view, facts) {
  const svg = view.parts.lens;
  const { lensWidth: W } = view;
  const H = 222;
  resizeSvg(svg, W, H);
  const { first, stop } = growthWindow(view, facts);
  const pitch = W / GROWTH_LENS;
  let out = `<path class="lens" d="M0.5,0 V${H - 6} H${W - 0.5} V0"/>`;
  for (let k = first; k < stop; k += 1) out += growthBox(facts, k, (k - first) * pitch + 8, 22, pitch - 16, 56);
  out += growthStairs(view.paint, facts, first, { x: 8, y: 96, width: W - 16, height: 100, pitch });
  svg.body.innerHTML = out;
}

function growthBox(facts, k, x, y, width, height) {
  const { size, seqLen, table, isFault } = facts;
  const hue = HUES[0];
  if (k >= table.length) return growthGhost(facts, k, x, y, width, height);
  const filled = Math.max(0, Math.min(size, seqLen - k * size));
  const isNew = isFault && k === table.length - 1;
  let out = textSvg(x + 1, y - 8, `block ${table[k]}`, { "font-weight": isNew ? 700 : 400 });
  out += textSvg(x + width - 1, y - 8, `${filled}/${size}`, { "font-weight": 700, "text-anchor": "end" });
  if (isNew) out += rectSvg(x - 3.5, y - 3.5, width + 7, height + 7, { rx: 7, fill: "none", stroke: "var(--ink)", "stroke-width": 2 });
  const grid = size <= 16 ? size : size <= 64 ? 16 : 32;
  const rows = Math.ceil(size / grid);
  const [w, h] = [width / grid, height / rows];
  const gap = w > 6 ? 1 : 0.5;
  let full = "";
  let empty = "";
  for (let slot = 0; slot < size; slot += 1) {
    const [sx, sy] = [x + (slot % grid) * w + gap / 2, y + Math.floor(slot / grid) * h + gap / 2];
    const box = `M${sx.toFixed(2)},${sy.toFixed(2)}h${(w - gap).toFixed(2)}v${(h - gap).toFixed(2)}h${(gap - w).toFixed(2)}z`;
    if (slot < filled) full += box;
    else empty += box;
  }
  out += `<path d="${full}" fill="${hue.fill}"/>`;
  out += `<path d="${empty}" fill="none" stroke="${hue.fill}" stroke-width="${gap}" opacity="0.6"/>`;
  out += rectSvg(x - 0.75, y - 0.75, width + 1.5, height + 1.5, { rx: 3, fill: "none", stroke: hue.fill, "stroke-width": 1.5 });
  return out;
}

function growthGhost(facts, k, x, y, width, height) {
  const when = facts.next && k === facts.table.length ? `for token ${withCommas(facts.next.seq_len)}` : "";
  let out = rectSvg(x, y, width, height, { rx: 4, fill: "none", stroke: "var(--free)", "stroke-dasharray": "2.5 2.5" });
  out += textSvg(x + width / 2, y + height / 2 - (when ? 3 : -4), "not taken", { fill: "var(--ink2)", "text-anchor": "middle" });
  if (when) out += textSvg(x + width / 2, y + height / 2 + 13, when, { fill: "var(--ink)", "font-weight": 600, "text-anchor": "middle" });
  return out;
}

function growthStairs(paint, facts, first, { x: left, y: top, width, height, pitch }) {
  const { size, seqLen } = facts;
  const bottom = top + height;
  const from = first * size;
  const scale = pitch / size;
  const x = (tokens) => left - 8 + (tokens - from) * scale;
  const y = (slots) => bottom - ((slots - from) / (GROWTH_LENS * size)) * height;
  const steps = facts.run.changes.filter((c) => c.seq_len <= seqLen && c.seq_len > from);
  const before = growthAt(facts.run, from).held * size;
  let [path, level] = [`M${x(from)},${y(before)}`, before];
  const marks = [];
  for (const change of steps) {
    path += ` H${x(change.seq_len - 1)} V${y(change.num_held * size)}`;
    marks.push([change.seq_len, level, change.num_held * size]);
    level = change.num_held * size;
  }
  path += ` H${x(seqLen)}`;
  const close = ` V${y(seqLen)} L${x(from)},${y(from)} Z`;
  let out = `<path d="M${left - 8},${bottom + 0.5} h${width + 16}" stroke="var(--line2)"/>`;
  out += `<path d="${path}${close}" fill="${paint.hatch()}"/>`;
  out += `<path d="M${x(from)},${y(from)} L${x(seqLen)},${y(seqLen)} V${bottom} H${x(from)} Z" fill="${HUES[0].fill}" opacity="var(--dim)"/>`;
  out += `<path d="M${x(from)},${y(from)} L${x(seqLen)},${y(seqLen)}" stroke="${HUES[0].fill}" stroke-width="2" fill="none"/>`;
  out += `<path d="${path}" stroke="var(--ink)" stroke-width="2.2" fill="none"/>`;
  for (const [token] of marks) {
    out += `<path d="M${x(token - 1)},${bottom} v5" stroke="var(--ink)" stroke-width="1.5"/>`;
    out += textSvg(x(token - 1) + 3, bottom + 14, `token ${withCommas(token)}`, { "font-size": 10.5, fill: "var(--ink2)" });
  }
  out += growthStairLabels(facts, { x, y, width, bottom });
  return out;
}

function growthStairLabels(facts, { x, y, width, bottom }) {
  const { seqLen, heldSlots } = facts;
  const cursor = x(seqLen);
  const fitsRight = cursor < width - 130;
  const place = fitsRight ? { dx: 8, anchor: "start" } : { dx: -8, anchor: "end" };
  let [heldY, tokensY] = [y(heldSlots), y(seqLen)];
  tokensY = Math.min(tokensY, bottom - 8);
  if (tokensY - heldY < 16) tokensY = heldY + 16;
  const label = (yy, text, weight) => textSvg(cursor + place.dx, yy + 4, text, { "font-weight": weight, "text-anchor": place.anchor, ...HALO });
  let out = `<path d="M${cursor},${y(heldSlots) - 6} V${y(seqLen) + 6}" stroke="var(--ink)" stroke-dasharray="2 2"/>`;
  if (!fitsRight) heldY -= 10;
  out += label(heldY, `${amount(heldSlots, "slot")} held`, 700);
  if (fitsRight) out += label(tokensY, `${amount(seqLen, "token")}`, 400);
  return out;
}

function growthCounts(view, facts) {
  const rows = [
    ["blocks", facts.promisedBlocks, facts.held],
    ["slots", view.maxLen, facts.heldSlots],
    ["hold a token", facts.seqLen, Math.min(facts.seqLen, facts.heldSlots)],
    ["empty", facts.promisedEmpty, facts.empty],
  ];
  const cell = (value, tag = "td", attributes = "") => `<${tag} ${attributes}>${typeof value === "number" ? withCommas(value) : value}</${tag}>`;
  const body = rows.map(([name, promised, held]) =>
    `<tr>${cell(name, "th", 'scope="row"')}${cell(promised)}${cell(held)}</tr>`);
  view.parts.counts.innerHTML =
    '<table><thead><tr><th></th><th scope="col">promised</th><th scope="col">held</th></tr></thead>' +
    `<tbody>${body.join("")}</tbody></table>` +
    '<p class="ink2">Stairs: slots held. Filled below: tokens. Hatched between: empty.</p>';
}

// The whole growth. Nothing is drawn right of the cursor: nobody knows it yet.
function growthTrack(view, facts) {
  const svg = view.parts.track;
  const { width: W, maxLen } = view;
  const [top, bottom] = [20, 74];
  resizeSvg(svg, W, 96);
  const x = (tokens) => (tokens / maxLen) * W;
  const y = (slots) => bottom - (slots / maxLen) * (bottom - top);
  const { seqLen } = facts;
  let path = `M0,${bottom}`;
  for (const change of facts.run.changes) {
    if (change.seq_len > seqLen) break;
    path += `H${x(change.seq_len - 1).toFixed(2)}V${y(change.num_held * facts.size).toFixed(2)}`;
  }
  path += `H${x(seqLen)}`;
  let out = rectSvg(0, top, W, bottom - top, { fill: "var(--paper2)" });
  out += `<path d="${path}V${bottom}Z" fill="${HUES[0].fill}" opacity="var(--dim)"/>`;
  out += `<path d="M0,${top} H${W}" stroke="var(--ink2)" stroke-width="1.8" stroke-dasharray="5 3"/>`;
  out += `<path d="${path}" stroke="var(--ink)" stroke-width="2.2" fill="none"/>`;
  out += `<path d="M0,${bottom + 0.5} H${W}" stroke="var(--line2)"/>`;
  const cursor = x(seqLen);
  const promised = `promised: ${withCommas(maxLen)} slots, whatever the length`;
  out += cursor > W / 2
    ? textSvg(0, top - 6, promised, { fill: "var(--ink2)" })
    : textSvg(W, top - 6, promised, { fill: "var(--ink2)", "text-anchor": "end" });
  const right = cursor < W - 160;
  out += textSvg(cursor + (right ? 12 : -12), Math.max(top + 14, y(facts.heldSlots) - 6), `held: ${withCommas(facts.heldSlots)}`, { "font-weight": 700, "text-anchor": right ? "start" : "end", ...HALO });
  out += `<path d="M${cursor},${top - 4} V${bottom}" stroke="var(--ink)" stroke-width="2"/>`;
  out += `<circle cx="${cursor}" cy="${top - 10}" r="7" fill="var(--paper)" stroke="var(--ink)" stroke-width="2.5"/>`;
  for (let k = 0; k <= 4; k += 1) {
    const anchor = k === 0 ? "start" : k === 4 ? "end" : "middle";
    out += textSvg((W * k) / 4, bottom + 16, `${withCommas(Math.round((maxLen * k) / 4))}${k === 4 ? " tokens" : ""}`, { fill: "var(--ink2)", "text-anchor": anchor });
  }
  svg.body.innerHTML = out;
  svg.setAttribute("aria-valuemax", facts.run.seq_len);
  svg.setAttribute("aria-valuenow", seqLen);
  svg.setAttribute("aria-valuetext", growthHeadline(view, facts));
}

// --- buttons ----------------------------------------------------------------------

function growthButtons(view, facts) {
  const playing = view.timer !== 0;
  growthRow(view.parts.buttons, [
    { key: "play", icon: playing ? "pause" : "play", label: playing ? "Stop here" : "Grow", primary: true, run: () => growthToggle(view) },
    { key: "back", icon: "back", label: "Back", run: () => { growthStop(view); growthGo(view, view.at - 1); } },
    { key: "step", icon: "step", label: "Step", note: "1 token", run: () => { growthStop(view); growthGo(view, view.at + 1); } },
    { key: "fault", icon: "grow", label: "Next block", note: facts.next && !playing ? `at token ${withCommas(facts.next.seq_len)}` : "", kbd: "K", off: !facts.next && !playing,
      run: () => { growthStop(view); growthNext(view, 1); } },
    { key: "speed", label: `${GROWTH_SPEEDS[view.speed]} tokens/s`, run: () => {
      view.speed = (view.speed + 1) % GROWTH_SPEEDS.length;
      view.restart?.();
      growthDraw(view);
    } },
  ]);
  growthRow(view.parts.sizes, view.runs.map((run) => ({
    key: `size${run.block_size}`, label: String(run.block_size),
    note: playing ? "" : `holds ${withCommas(growthAt(run, facts.seqLen).held * run.block_size)}`,
    pressed: run.block_size === facts.size,
    run: () => {
      view.blockSize = run.block_size;
      growthGo(view, view.at);
    },
  })));
  if (!view.parts.sizes.querySelector(".ink2")) {
    view.parts.sizes.prepend(node("span", { class: "ink2" }, "block_size"));
  }
}

// Buttons are kept and changed, not made anew: the one that has the focus must keep it.
function growthRow(row, wanted) {
  for (const button of wanted) {
    let element = row.querySelector(`[data-key="${button.key}"]`);
    if (!element) {
      element = node("button", { class: "btn", type: "button", "data-key": button.key });
      element.addEventListener("click", () => element.run());
      row.append(element);
    }
    element.run = button.run;
    element.disabled = button.off === true;
    element.classList.toggle("primary", button.primary === true || button.pressed === true);
    if (button.pressed !== undefined) element.setAttribute("aria-pressed", button.pressed);
    const html =
      (button.icon ? iconHtml(button.icon) : "") + `<span>${esc(button.label)}</span>` +
      (button.note ? `<small>${esc(button.note)}</small>` : "") +
      (button.kbd ? `<span class="kbd">${button.kbd}</span>` : "");
    if (element.shown !== html) {
      element.innerHTML = html;
      element.shown = html;
    }
  }
}
