// The gather, turn by turn: what is shown, the buttons and the keys. Every turn is in the
// data; the kernel is asked only for another table or one token more.

const GATHER_TURN_MS = 1400;

function renderGather({ model, el }) {
  const view = { model, picture: model.get("picture"), at: -1, timer: 0 };
  view.root = node("div", { class: "pagedkv gather", role: "group", tabindex: 0,
    "aria-label": "The loop over the blocks of a sequence. Space plays and pauses, arrow keys step, Home and End go to the first block and to the output, S shuffles the table, F fills a slot." });
  view.parts = gatherParts();
  view.root.append(...view.parts.all);
  el.append(view.root);
  view.svg = newSvg(968, gatherHeight(view.picture), "The picture; the text below says the same.");
  view.svg.paint = paintBox(view.svg);
  view.svg.shade = document.createElementNS(SVG_NAMES, "rect");
  for (const [name, value] of Object.entries({ class: "shade", height: 234, rx: 6 })) {
    view.svg.shade.setAttribute(name, value);
  }
  view.svg.insertBefore(view.svg.shade, view.svg.body);
  view.parts.stage.append(view.svg);
  view.root.addEventListener("keydown", (event) => gatherKey(view, event));
  const heard = {
    "change:picture": () => {
      view.picture = model.get("picture");
      gatherGo(view, Math.min(view.at, view.picture.turns.length), { save: false, force: true });
    },
    "change:at": () => gatherGo(view, model.get("at"), { save: false }),
  };
  for (const [name, react] of Object.entries(heard)) model.on?.(name, react);
  gatherGo(view, model.get("at"), { save: false });
  return () => {
    gatherStop(view);
    for (const [name, react] of Object.entries(heard)) model.off?.(name, react);
  };
}

function gatherParts() {
  const badge = node("span", { class: "badge", "aria-hidden": "true" });
  const headline = node("div", { class: "headline" });
  const place = node("div", { class: "place" });
  const stage = node("div", { class: "stage" });
  const describe = node("div", { class: "describe", "aria-live": "polite" });
  const bar = node("div", { class: "bar" });
  const head = node("div", { class: "head" }, badge, headline, place);
  return { all: [head, stage, describe, bar], badge, headline, place, stage, describe, bar };
}

function gatherGo(view, to, { save = true, force = false } = {}) {
  const last = view.picture.turns.length;
  const at = Math.max(0, Math.min(last, Math.round(to)));
  if (at === view.at && !force) return;
  // what arrives in beats is what a step forward brings
  view.svg.classList.toggle("moved", at === view.at + 1 && at < last);
  view.at = at;
  if (at === last) gatherStop(view);
  gatherDraw(view);
  if (save && view.timer === 0) {
    view.model.set("at", at);
    view.model.save_changes();
  }
}

function gatherDraw(view) {
  const { parts, picture, at, svg } = view;
  const last = picture.turns.length;
  resizeSvg(svg, 968, gatherHeight(picture));
  svg.body.innerHTML = gatherSvg(svg, view);
  gatherMoveShade(svg, view);
  gatherCount(view);
  view.root.dataset.at = at;
  parts.badge.textContent = at < last ? at : "=";
  parts.headline.textContent = picture.headlines[at];
  const turn = at < last ? `turn ${at + 1} of ${last}` : `after ${last} turns`;
  parts.place.textContent = `decode step of A  ·  ${turn}  ·  block_size ${picture.block_size}`;
  parts.describe.setAttribute("aria-live", view.timer === 0 ? "polite" : "off");
  const remark = picture.remarks[at];
  parts.describe.replaceChildren(`${picture.texts[at]} ${picture.note ?? ""} `, remark ? node("b", { class: "loss" }, remark) : "");
  gatherButtons(view);
}

// The new sum counts up, or down, from what rescaling left of the old one.
function gatherCount(view) {
  const text = view.svg.querySelector("[data-from]");
  const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (!text || still || !view.svg.classList.contains("moved")) return;
  const { from, to } = text.dataset;
  const start = performance.now() + 500; // when the row has come
  const tick = (now) => {
    const part = Math.max(0, Math.min(1, (now - start) / 350));
    text.textContent = gatherFixed(Number(from) + part * (to - from), 3);
    if (part < 1 && text.isConnected) requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
}

function gatherToggle(view) {
  if (view.timer !== 0) {
    gatherStop(view);
    gatherGo(view, view.at, { force: true });
    return;
  }
  const tick = () => {
    view.timer = setTimeout(tick, GATHER_TURN_MS);
    gatherGo(view, view.at + 1);
  };
  view.timer = setTimeout(tick, GATHER_TURN_MS);
  if (view.at >= view.picture.turns.length - 1) view.at = -2;
  gatherGo(view, Math.max(0, view.at), { force: true });
}

function gatherStop(view) {
  clearTimeout(view.timer);
  view.timer = 0;
}

function gatherStep(view, by) {
  gatherStop(view);
  gatherGo(view, view.at + by);
}

function gatherAsk(view, type) {
  if (!view.picture.fill || (type === "fill" && view.picture.fill.off)) return;
  gatherStop(view);
  view.model.send({ type });
}

function gatherKey(view, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const onButton = event.target.closest?.("button");
  const actions = {
    " ": onButton ? null : () => gatherToggle(view),
    ArrowLeft: () => gatherStep(view, -1), ArrowUp: () => gatherStep(view, -1),
    ArrowRight: () => gatherStep(view, 1), ArrowDown: () => gatherStep(view, 1),
    s: () => gatherAsk(view, "shuffle"), f: () => gatherAsk(view, "fill"),
    Home: () => gatherStep(view, -Infinity), End: () => gatherStep(view, Infinity),
  };
  const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (action) {
    event.preventDefault();
    action();
  }
  // JupyterLab's command mode would take a key for a command
  if (event.key !== "Tab" && event.key !== "Escape") event.stopPropagation();
}

function gatherButtons(view) {
  const { picture, at } = view;
  const last = picture.turns.length;
  const playing = view.timer !== 0;
  const next = at >= last - 1 ? "Write the output" : `Block ${at + 1}`;
  const wanted = [
    { key: "play", icon: playing ? "pause" : "play", label: playing ? "Pause" : "Play loop", primary: true, run: () => gatherToggle(view) },
    { key: "back", icon: "back", label: `Block ${Math.max(0, at - 1)}`, off: at === 0, run: () => gatherStep(view, -1) },
    { key: "step", icon: "step", label: next, off: at === last, run: () => gatherStep(view, 1) },
  ];
  if (picture.fill) {
    wanted.push({ key: "shuffle", label: "Shuffle the table", note: "other places, same tokens", run: () => gatherAsk(view, "shuffle") });
    wanted.push({ key: "fill", ...picture.fill, run: () => gatherAsk(view, "fill") });
  }
  buttonRow(view.parts.bar, wanted);
}

// In a page of its own there is no kernel, so the table stays as it is.
function openGatherPage(page, traits) {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const el = page.getElementById("view");
  renderGather({ el, model: { get: (name) => traits[name], set: (name, value) => { traits[name] = value; }, save_changes() {} } });
  const follow = () => {
    page.body.classList.toggle("dark", dark.matches);
    el.firstChild.classList.toggle("dark", dark.matches);
  };
  follow();
  dark.addEventListener("change", follow);
}
