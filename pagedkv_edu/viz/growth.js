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
  buttonRow(view.parts.buttons, [
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
  buttonRow(view.parts.sizes, view.runs.map((run) => ({
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
