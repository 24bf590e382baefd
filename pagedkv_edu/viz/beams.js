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
  buttonRow(parts.past, [
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
  buttonRow(parts.actions, [
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
  buttonRow(parts.own, (picture.buttons[seq] ?? []).map((button) => ({
    key: button.do, icon: icons[button.do], label: button.label, note: isNow ? button.note : "",
    off: button.off || !isNow, run: send({ do: button.do, seq }),
  })));
}
