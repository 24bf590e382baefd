// The fork and beams explorer: tree and tables above, the pool below with its words.
// The kernel sends the whole picture after each action; browsing its past needs nobody.

const BEAM_PACE_MS = 1100;
const BEAM_TABLE = 292; // width of letters and tables

function renderBeams({ model, el }) {
  const view = { model, picture: model.get("picture"), width: 968, timer: 0, chosen: "" };
  view.at = view.picture.moments.length - 1;
  view.film = readFilm(view.picture.film);
  view.root = node("div", { class: "pagedkv beams", role: "group", tabindex: 0,
    "aria-label": "Fork and beams explorer. Enter on a button acts, arrow keys go back and forth in what happened." });
  view.parts = beamsParts();
  view.paint = paintBox(view.parts.stage);
  view.root.append(...view.parts.all);
  el.append(view.root);
  view.root.addEventListener("keydown", (event) => beamsKey(view, event));
  view.parts.stage.addEventListener("click", (event) => beamsChoose(view, event.target));
  const watcher = new ResizeObserver(() => beamsResize(view));
  watcher.observe(view.root);
  const taken = () => beamsTake(view, model.get("picture"));
  model.on?.("change:picture", taken);
  beamsDraw(view);
  return () => {
    beamsStop(view);
    watcher.disconnect();
    model.off?.("change:picture", taken);
  };
}

function beamsParts() {
  const headline = node("div", { class: "headline" });
  const icon = node("span", { class: "icon", "aria-hidden": "true" });
  const where = node("div", { class: "ink2 where" });
  const stage = newSvg(968, 400);
  stage.removeAttribute("aria-hidden");
  const text = node("div", { class: "text", "aria-live": "polite" });
  const reads = node("ul", { class: "reads" });
  const past = node("div", { class: "row past" });
  const scrub = node("input", { type: "range", min: 0, "aria-label": "event" });
  const actions = node("div", { class: "row actions" });
  const own = node("div", { class: "row own", role: "group" });
  const all = [
    node("div", { class: "row head" }, icon, headline, where),
    stage, text, reads,
    node("div", { class: "row play" }, past, scrub),
    actions, own,
  ];
  return { all, headline, icon, where, stage, text, reads, past, scrub, actions, own };
}

// --- what happened ----------------------------------------------------------------

// A new picture: go on playing where it is longer, begin anew where it is another one.
function beamsTake(view, picture) {
  const before = view.picture.moments.length;
  const goesOn = picture.mode === view.picture.mode && picture.moments.length > before;
  view.picture = picture;
  view.film = readFilm(picture.film);
  beamsStop(view);
  const last = picture.moments.length - 1;
  if (!goesOn || matchMedia("(prefers-reduced-motion: reduce)").matches) {
    beamsGo(view, last);
    return;
  }
  beamsGo(view, before);
  if (view.at < last) beamsPlay(view);
}

function beamsFrame(view) {
  return view.film.frames[view.at];
}

// The words of every block at the event that is shown.
function beamsWords(view) {
  const words = new Map();
  for (const moment of view.picture.moments.slice(0, view.at + 1)) {
    for (const [block, row] of Object.entries(moment.words)) {
      if (row === null) words.delete(Number(block));
      else words.set(Number(block), row);
    }
  }
  return words;
}

function beamsText(view) {
  const { why, damaged } = view.picture.moments[view.at];
  const frame = beamsFrame(view);
  const sentences = [why, frame.text].filter(Boolean);
  if (damaged.length) sentences.push(`${listed(damaged)} now read${damaged.length === 1 ? "s" : ""} words that it never wrote.`);
  return sentences.join(" ");
}

// Blocks held, and what the same sequences would hold if none shared.
function beamsSharing(facts) {
  let alone = 0;
  for (const table of facts.state.tables.values()) alone += table.blocks.length;
  return { held: facts.numHeld, alone };
}

// --- moving -----------------------------------------------------------------------

function beamsGo(view, at) {
  const last = view.picture.moments.length - 1;
  view.at = Math.max(0, Math.min(last, at));
  if (view.at === last) beamsStop(view);
  beamsDraw(view);
}

function beamsPlay(view) {
  if (view.at === view.picture.moments.length - 1) view.at = 0;
  view.timer = setInterval(() => beamsGo(view, view.at + 1), BEAM_PACE_MS);
  beamsDraw(view);
}

function beamsStop(view) {
  clearInterval(view.timer);
  view.timer = 0;
}

function beamsToggle(view) {
  if (view.timer === 0) beamsPlay(view);
  else {
    beamsStop(view);
    beamsDraw(view);
  }
}

function beamsNextStep(view, by) {
  const { frames } = view.film;
  const step = beamsFrame(view).step;
  let at = view.at;
  while (frames[at + by] && frames[at].step === step) at += by;
  beamsGo(view, at);
}

function beamsKey(view, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { target } = event;
  const onControl = target.closest?.("button, input, [data-seq]");
  const moved = (at) => () => {
    beamsStop(view);
    beamsGo(view, at);
  };
  const actions = {
    " ": onControl ? null : () => beamsToggle(view),
    ArrowLeft: event.shiftKey ? () => beamsNextStep(view, -1) : moved(view.at - 1),
    ArrowRight: event.shiftKey ? () => beamsNextStep(view, 1) : moved(view.at + 1),
    Home: moved(0), End: moved(Infinity),
  };
  let action = actions[event.key];
  if ((event.key === "Enter" || event.key === " ") && target.dataset?.seq !== undefined) {
    action = () => beamsChoose(view, target);
  }
  if (action) {
    event.preventDefault();
    action();
  }
  // JupyterLab's command mode would take it for a command: the a key adds a cell
  if (event.key !== "Tab" && event.key !== "Escape") event.stopPropagation();
}

function beamsChoose(view, target) {
  const row = target.closest?.("[data-seq]");
  if (!row) return;
  view.chosen = row.dataset.seq;
  beamsDraw(view);
  view.parts.stage.querySelector(`[data-seq="${CSS.escape(view.chosen)}"]`)?.focus();
}

function beamsResize(view) {
  const width = Math.max(480, Math.min(968, view.root.clientWidth - 32));
  if (Math.abs(width - view.width) < 1) return;
  view.width = width;
  beamsDraw(view);
}

// --- drawing ----------------------------------------------------------------------

function beamsDraw(view) {
  const { parts, picture } = view;
  const frame = beamsFrame(view);
  const facts = factsAt(view.film, view.at);
  const last = picture.moments.length - 1;
  view.isNow = view.at === last;
  view.root.dataset.event = view.at;
  view.root.dataset.kind = frame.kind;
  parts.headline.textContent = frame.headline;
  parts.headline.classList.toggle("loss", frame.kind === "refuse");
  parts.icon.innerHTML = iconHtml(frame.kind, 15);
  parts.where.textContent = `step ${frame.step} · event ${view.at + 1} of ${last + 1}`;
  beamsStage(view, frame, facts);
  parts.text.setAttribute("aria-live", view.timer === 0 ? "polite" : "off");
  parts.text.textContent = beamsText(view);
  beamsReads(view);
  parts.scrub.max = last;
  parts.scrub.value = view.at;
  parts.scrub.setAttribute("aria-valuetext", frame.headline);
  parts.scrub.oninput = () => {
    beamsStop(view);
    beamsGo(view, Number(parts.scrub.value));
  };
  beamsButtons(view);
}

function beamsStage(view, frame, facts) {
  const svg = view.parts.stage;
  const { width: W } = view;
  const tree = beamTree(view.picture, view.at);
  const layout = beamRows(view.picture, tree, view.at);
  const treeWidth = W - BEAM_TABLE;
  const treeHeight = Math.max(3 * BEAM_ROW, layout.height);
  let out = textSvg(0, 12, view.picture.mode === "beams" ? "The tree of beams" : "Parallel samples", { "font-size": 13, "font-weight": 700 });
  out += textSvg(treeWidth + 24, 12, "Block tables", { "font-size": 13, "font-weight": 700 });
  out += `<g transform="translate(0,26)">${beamTreeSvg(view, tree, layout, treeWidth)}${beamsTables(view, frame, facts, layout, treeWidth)}</g>`;
  const pool = beamsPool(view, frame, facts, 26 + treeHeight + 34);
  svg.body.innerHTML = out + pool.svg;
  resizeSvg(svg, W, pool.bottom);
}

function beamsTables(view, frame, facts, layout, x) {
  let out = "";
  for (const row of layout.rows) {
    if (row.seq !== undefined) out += beamsTable(view, frame, facts, row, x);
  }
  if (frame.kind === "finish" && view.at > 0) out += beamsGoneTable(view, frame, facts, layout, x);
  return out;
}

function beamsTable(view, frame, facts, { seq, y }, x) {
  const table = facts.state.tables.get(seq) ?? { blocks: [], len: 0 };
  const chosen = view.isNow && seq === beamsChosen(view);
  const acts = frame.seq === seq || frame.parent === seq;
  let out = `<g data-seq="${esc(seq)}" class="seq" role="button" tabindex="0" aria-pressed="${chosen}" aria-label="${esc(`${seq}: ${amount(table.len, "token")} in blocks ${listed(table.blocks)}`)}">`;
  out += rectSvg(x - 38, y - 17, BEAM_TABLE + 36, 34, { rx: 6, fill: chosen ? "var(--paper2)" : "transparent", stroke: chosen ? "var(--line2)" : "none", class: "hit" });
  out += chipSvg(view.film, seq, x - 30, y - 11, 34, 22);
  if (view.picture.moments[view.at].damaged.includes(seq)) {
    out += rectSvg(x - 33.5, y - 14.5, 41, 29, { rx: 6, fill: "none", stroke: "var(--loss)", "stroke-width": 2, "stroke-dasharray": "4 3" });
  }
  const most = Math.floor((BEAM_TABLE - 90) / 28);
  const cut = table.blocks.length > most ? table.blocks.length - most : 0;
  if (cut) out += textSvg(x + 20, y + 4, `${cut} …`, { fill: "var(--ink2)", "text-anchor": "end" });
  table.blocks.slice(cut).forEach((block, k) => {
    const owners = (facts.owners.get(block) ?? []).map((owner) => hueOf(view.film, owner));
    const touched = acts && (frame.taken.includes(block) || frame.kind === "fork");
    out += entrySvg(view.paint, { x: x + 24 + k * 28, y: y - 12, text: block, look: touched ? "touched" : "plain", owners });
  });
  out += textSvg(x + BEAM_TABLE - 8, y + 4, `${table.len} tok`, { fill: "var(--ink2)", "text-anchor": "end" });
  return `${out}</g>`;
}

// The sequence that has just ended: its entries, those that became free struck out.
function beamsGoneTable(view, frame, facts, layout, x) {
  const before = factsAt(view.film, view.at - 1);
  const table = before.state.tables.get(frame.seq);
  const leaf = view.picture.moments[view.at - 1].leaf_by_seq[frame.seq];
  const y = layout.yById.get(leaf);
  if (!table || y === undefined || layout.rows.some((row) => row.seq !== undefined && Math.abs(row.y - y) < 20)) return "";
  let out = rectSvg(x - 30, y - 10, 34, 20, { rx: 4, fill: "none", stroke: "var(--ink2)", "stroke-dasharray": "3 2" });
  out += textSvg(x - 13, y + 4.3, shortened(frame.seq, 30, 12), { "font-size": 12, fill: "var(--ink2)", "text-anchor": "middle" });
  const most = Math.floor((BEAM_TABLE - 90) / 28);
  table.blocks.slice(-most).forEach((block, k) => {
    const owners = (facts.owners.get(block) ?? []).map((owner) => hueOf(view.film, owner));
    out += entrySvg(view.paint, { x: x + 24 + k * 28, y: y - 10, text: block, look: frame.freed.includes(block) ? "struck" : "plain", owners });
  });
  out += textSvg(x + BEAM_TABLE - 8, y + 4, `${frame.freed.length} freed`, { "font-weight": 700, "text-anchor": "end" });
  return out;
}

// --- the pool ---------------------------------------------------------------------

function beamsPool(view, frame, facts, top) {
  const { film, width: W } = view;
  const withWords = film.blockSize <= 4;
  const gap = 6;
  const least = withWords ? 74 : 40;
  const columns = Math.min(film.numBlocks, Math.max(1, Math.floor((W + gap) / (least + gap))));
  const perRow = Math.ceil(film.numBlocks / Math.ceil(film.numBlocks / columns));
  const width = withWords ? (W - (perRow - 1) * gap) / perRow : least;
  const height = withWords ? 20 + 14 * film.blockSize : least;
  const place = (block) => ({ x: (block % perRow) * (width + gap), y: top + 16 + Math.floor(block / perRow) * (height + 14) });
  const { held, alone } = beamsSharing(facts);
  let out = textSvg(0, top, "Physical pool", { "font-size": 13, "font-weight": 700 });
  out += textSvg(W, top, `${held} of ${amount(film.numBlocks, "block")} held; ${alone} would be, if none were shared`, { "text-anchor": "end", fill: "var(--ink2)" });
  const words = beamsWords(view);
  const touched = new Set([...frame.taken, ...frame.freed, ...frame.copies.map(([source]) => source)]);
  for (let block = 0; block < film.numBlocks; block += 1) {
    const cell = cellOf(film, facts, block);
    const look = frame.freed.includes(block) ? "freed" : "";
    const ring = frame.copies.some(([, target]) => target === block) ? "fresh" : touched.has(block) ? "touched" : "";
    const faded = !touched.has(block) && !(frame.kind === "fork" && cell.owners.some((o) => o.label === frame.seq));
    out += withWords
      ? beamsWordCell(view, { ...cell, ...place(block), width, height, look, ring, faded, words: words.get(block) ?? [], frame })
      : cellSvg(view.paint, { ...cell, ...place(block), size: width, look, ring: look ? "" : ring, faded, badge: cell.count > 1 ? "corner" : "" });
  }
  for (const [source, target] of frame.copies) out += beamsArc(view, place(source), place(target), width, height);
  const rows = Math.ceil(film.numBlocks / perRow);
  return { svg: out, bottom: top + 16 + rows * (height + 14) };
}

// A block with its words: a line for each slot, tinted in its owners' hues.
function beamsWordCell(view, cell) {
  const { x, y, width, height, owners, look, faded } = cell;
  if (!owners.length) return beamsEmptyCell(cell);
  const hues = owners.map((owner) => owner.hue);
  const tint = hues.length > 1 ? view.paint.stripes(hues.slice(0, 4), 5) : hues[0].fill;
  const edge = hues.length > 1 ? "var(--ink)" : hues[0].isLight ? "var(--ink)" : hues[0].fill;
  let out = `<g class="wordcell${faded ? " faded" : ""}" data-block="${cell.id}" data-count="${cell.count}">`;
  out += rectSvg(x, y, width, height, { rx: 5, fill: "var(--paper)" });
  for (let slot = 0; slot < cell.slots; slot += 1) {
    const top = y + 18 + slot * 14;
    const isFilled = slot < cell.filled;
    if (isFilled) out += rectSvg(x + 2, top, width - 4, 13, { rx: 2, fill: tint, class: "tint" });
    else out += rectSvg(x + 4.5, top + 0.5, width - 9, 12, { rx: 2, fill: "none", stroke: "var(--line)" });
    const word = cell.words[slot];
    if (isFilled) {
      out += textSvg(x + width / 2, top + 9.8, word === undefined ? "…" : shortened(word, width - 8, 11), {
        "font-size": 11, "text-anchor": "middle", "font-weight": word === undefined ? 700 : 400, ...HALO, "stroke-opacity": 0.85,
      });
    }
  }
  out += rectSvg(x + 0.75, y + 0.75, width - 1.5, height - 1.5, { rx: 5, fill: "none", stroke: edge, "stroke-width": 1.5 });
  out += textSvg(x + 6, y + 13, cell.id, { "font-size": 10 });
  const room = width - 22 - (cell.count > 1 ? 20 : 0);
  out += textSvg(x + width - (cell.count > 1 ? 24 : 7), y + 13, ownersLabel(owners, room, 11), { "font-weight": 700, "text-anchor": "end" });
  if (cell.count > 1 || cell.wrongCount) out += badgeSvg(x + width - 11, y + 10, cell.count, { radius: 7.5, loss: cell.wrongCount });
  if (cell.ring === "touched") out += beamsRing(cell, 2.5);
  if (cell.ring === "fresh") out += beamsRing(cell, 2) + beamsRing(cell, 5);
  return `${out}</g>`;
}

function beamsEmptyCell({ id, x, y, width, height, look, state, frame, ring }) {
  const freed = look === "freed";
  const lost = state === "lost";
  const stroke = lost ? "var(--loss)" : freed ? "var(--ink)" : "var(--free)";
  let out = `<g class="wordcell" data-block="${id}" data-count="0">`;
  out += rectSvg(x + 0.75, y + 0.75, width - 1.5, height - 1.5, { rx: 5, fill: "none", stroke, "stroke-width": freed || lost ? 1.8 : 1, "stroke-dasharray": freed || lost ? "4 3" : "2.5 2.5" });
  out += textSvg(x + 6, y + 13, id, { "font-size": 10, fill: freed ? "var(--ink)" : "var(--ink2)" });
  if (freed || lost) {
    const [cx, cy] = [x + width / 2, y + height / 2];
    out += `<path d="M${cx - 9},${cy - 9}l18,18M${cx + 9},${cy - 9}l-18,18" stroke="${stroke}" stroke-width="2"/>`;
    const by = freed && frame.kind === "finish" ? `freed by ${frame.seq}` : freed ? "freed" : "lost";
    out += textSvg(cx, y + height - 7, by, { "text-anchor": "middle", "font-weight": 600, fill: stroke });
  }
  return `${out}</g>`;
}

function beamsRing({ x, y, width, height }, distance) {
  return rectSvg(x - distance, y - distance, width + 2 * distance, height + 2 * distance, { rx: 5 + distance, fill: "none", stroke: "var(--ink)", "stroke-width": 1.8, class: "ring" });
}

function beamsArc(view, source, target, width, height) {
  const sameRow = source.y === target.y;
  const [x1, x2] = [source.x + width / 2, target.x + width / 2];
  const [y1, y2] = sameRow ? [source.y - 3, target.y - 6] : [source.y + (source.y < target.y ? height + 3 : -3), target.y + (source.y < target.y ? -6 : height + 6)];
  const lift = sameRow ? -18 : 0;
  const path = sameRow
    ? `M${x1},${y1} C${x1},${y1 + lift} ${x2},${y2 + lift} ${x2},${y2}`
    : `M${x1},${y1} C${x1},${(y1 + y2) / 2} ${x2},${(y1 + y2) / 2} ${x2},${y2}`;
  return `<path d="${path}" fill="none" stroke="var(--ink)" stroke-width="1.8" stroke-dasharray="5 3" marker-end="${view.paint.arrow(9)}"/>`;
}

// --- what is read, and the buttons ------------------------------------------------

function beamsReads(view) {
  const { nodes, moments } = view.picture;
  const { leaf_by_seq: leaves, damaged } = moments[view.at];
  const words = (leaf) => {
    const said = [];
    for (let id = leaf; id !== null; id = nodes[id].parent_id) said.unshift(nodes[id].word);
    return said.join(" ");
  };
  view.parts.reads.innerHTML = Object.entries(leaves)
    .map(([seq, leaf]) => `<li>${chipHtml(view.film, seq)} ${esc(words(leaf))}${damaged.includes(seq) ? ' <b class="loss">but reads other words</b>' : ""}</li>`)
    .join("");
}

function beamsChosen(view) {
  const live = Object.keys(view.picture.buttons);
  if (!live.includes(view.chosen)) view.chosen = live[0] ?? "";
  return view.chosen;
}

function beamsButtons(view) {
  const { picture, parts } = view;
  const playing = view.timer !== 0;
  const halt = (then) => () => {
    beamsStop(view);
    then();
  };
  beamsRow(parts.past, [
    { key: "play", icon: playing ? "pause" : "play", label: playing ? "Pause" : "Replay", run: () => beamsToggle(view) },
    { key: "back", icon: "back", label: "Back", run: halt(() => beamsGo(view, view.at - 1)), off: view.at === 0 },
    { key: "forward", icon: "step", label: "Step", run: halt(() => beamsGo(view, view.at + 1)), off: view.isNow },
  ]);
  beamsActions(view);
}

// What acts, acts on the newest event; in the past there is only the way to it.
function beamsActions(view) {
  const { picture, parts, isNow } = view;
  const send = (message) => () => {
    beamsStop(view);
    view.model.send(message);
  };
  const other = picture.mode === "beams" ? "samples" : "beams";
  const [name, note] = other === "beams"
    ? ["Beam search", `one prompt, the best ${picture.width} are kept`]
    : ["Parallel samples", `one prompt, ${amount(picture.width - 1, "fork")}`];
  beamsRow(parts.actions, [
    isNow
      ? { key: "step", icon: "next", primary: true, ...picture.step, run: send({ do: "step" }) }
      : { key: "step", icon: "next", primary: true, label: "Go to the newest event", note: "to act there", run: () => {
        beamsStop(view);
        beamsGo(view, Infinity);
      } },
    { key: "restart", label: "Start again", run: send({ do: "restart", mode: picture.mode }) },
    { key: "mode", label: name, note, run: send({ do: "restart", mode: other }) },
  ]);
  const seq = beamsChosen(view);
  const icons = { write: "write", fork: "fork", free: "finish" };
  parts.own.setAttribute("aria-label", `what ${seq} can do`);
  parts.own.hidden = seq === "";
  beamsRow(parts.own, (picture.buttons[seq] ?? []).map((button) => ({
    key: button.do, icon: icons[button.do], label: button.label, note: isNow ? button.note : "",
    off: button.off || !isNow, run: send({ do: button.do, seq }),
  })));
}

// Buttons are kept and changed, not made anew: the one that has the focus must keep it.
function beamsRow(row, wanted) {
  for (const button of wanted) {
    let element = row.querySelector(`[data-key="${button.key}"]`);
    if (!element) {
      element = node("button", { class: "btn", type: "button", "data-key": button.key });
      element.addEventListener("click", () => element.run());
      row.append(element);
    }
    element.run = button.run;
    element.disabled = button.off === true;
    element.classList.toggle("primary", button.primary === true);
    element.innerHTML =
      (button.icon ? iconHtml(button.icon) : "") + `<span>${esc(button.label)}</span>` +
      (button.note ? `<small>${esc(button.note)}</small>` : "");
  }
}
