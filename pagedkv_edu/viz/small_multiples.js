// Small multiples: the same sequences at several block sizes, all at one step and one
// scale. Everything is drawn from what was seen of each manager; nothing is asked of the
// kernel while it plays.

const MULTIPLES_SPEEDS = [4, 12, 36]; // steps a second

function renderSmallMultiples({ model, el }) {
  const view = {
    model,
    names: model.get("names"),
    lengths: model.get("lengths"),
    panels: model.get("panels"),
    texts: model.get("texts"),
    at: model.get("step"),
    width: 966,
    speed: 1,
    timer: 0,
  };
  const slots = (panel) => panel.blocks.flat().map((n) => n * panel.block_size);
  view.mostSlots = Math.max(1, ...view.lengths.flat(), ...view.panels.flatMap(slots));
  view.root = node("div", { class: "pagedkv multiples", role: "group", tabindex: 0,
    "aria-label": "The same sequences at several block sizes. Space plays and pauses, arrow keys step, J and K go to the previous and the next step that takes a block of the largest size." });
  view.parts = multiplesParts(view);
  view.root.append(...view.parts.all);
  el.append(view.root);
  view.root.addEventListener("keydown", (event) => multiplesKey(view, event));
  const watcher = new ResizeObserver(() => multiplesResize(view));
  watcher.observe(view.root);
  const taken = () => multiplesGo(view, model.get("step"), { save: false });
  model.on?.("change:step", taken);
  multiplesGo(view, view.at, { save: false });
  return () => {
    multiplesStop(view);
    watcher.disconnect();
    model.off?.("change:step", taken);
  };
}

function multiplesParts(view) {
  const headline = node("div", { class: "headline" });
  const where = node("div", { class: "ink2 where" });
  const svgs = view.panels.map((panel) => newSvg(460, 180, `block_size ${panel.block_size}`));
  const track = newSvg(966, 144);
  track.removeAttribute("aria-hidden");
  const slider = { role: "slider", tabindex: 0, "aria-label": "step", "aria-valuemin": 0 };
  for (const [name, value] of Object.entries(slider)) track.setAttribute(name, value);
  track.addEventListener("pointerdown", (event) => multiplesDrag(view, event));
  const text = node("div", { class: "text", "aria-live": "polite" });
  const buttons = node("div", { class: "row buttons" });
  const all = [
    node("div", { class: "row head" }, headline, where),
    node("div", { class: "panels" }, ...svgs),
    track,
    text,
    buttons,
  ];
  return { all, headline, where, svgs, track, text, buttons };
}

function multiplesGo(view, step, { save = true } = {}) {
  const last = view.lengths.length - 1;
  view.at = Math.max(0, Math.min(last, step));
  if (view.at === last) multiplesStop(view);
  multiplesDraw(view);
  if (save && view.timer === 0) multiplesSave(view);
}

function multiplesSave(view) {
  view.model.set("step", view.at);
  view.model.save_changes();
}

function multiplesLargest(view) {
  return view.panels.reduce((a, b) => (b.block_size > a.block_size ? b : a));
}

// The next or the previous step at which the largest block size took a block, or null.
function multiplesTaking(view, by) {
  const largest = multiplesLargest(view);
  for (let step = view.at + by; step >= 0 && step < largest.taken.length; step += by) {
    if (multiplesFacts(view, largest, step).took > 0) return step;
  }
  return null;
}

function multiplesNext(view, by) {
  const step = multiplesTaking(view, by);
  if (step === null) return;
  multiplesStop(view);
  multiplesGo(view, step);
}

function multiplesToggle(view) {
  if (view.timer !== 0) {
    multiplesStop(view);
    multiplesDraw(view);
    return;
  }
  if (view.at >= view.lengths.length - 1) view.at = 0;
  const tick = () => multiplesGo(view, view.at + 1);
  view.timer = setInterval(tick, 1000 / MULTIPLES_SPEEDS[view.speed]);
  multiplesDraw(view);
}

function multiplesStop(view) {
  if (view.timer === 0) return;
  clearInterval(view.timer);
  view.timer = 0;
  multiplesSave(view);
}

function multiplesStep(view, by) {
  multiplesStop(view);
  multiplesGo(view, view.at + by);
}

function multiplesKey(view, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const onButton = event.target.closest?.("button");
  const by = event.shiftKey ? 10 : 1;
  const actions = {
    " ": onButton ? null : () => multiplesToggle(view),
    ArrowLeft: () => multiplesStep(view, -by), ArrowRight: () => multiplesStep(view, by),
    ArrowDown: () => multiplesStep(view, -by), ArrowUp: () => multiplesStep(view, by),
    PageDown: () => multiplesStep(view, -10), PageUp: () => multiplesStep(view, 10),
    Home: () => multiplesStep(view, -Infinity), End: () => multiplesStep(view, Infinity),
    j: () => multiplesNext(view, -1), k: () => multiplesNext(view, 1),
  };
  const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (action) {
    event.preventDefault();
    action();
  }
  // JupyterLab's command mode would take it for a command: the a key adds a cell
  if (event.key !== "Tab" && event.key !== "Escape") event.stopPropagation();
}

function multiplesDrag(view, event) {
  multiplesStop(view);
  const { track } = view.parts;
  const box = track.getBoundingClientRect();
  const seek = (move) => multiplesGo(view, view.stepAt((move.clientX - box.left) / box.width));
  const drop = () => track.removeEventListener("pointermove", seek);
  track.setPointerCapture(event.pointerId);
  track.addEventListener("pointermove", seek);
  track.addEventListener("pointerup", drop, { once: true });
  track.addEventListener("pointercancel", drop, { once: true });
  seek(event);
}

function multiplesResize(view) {
  const width = Math.max(320, Math.min(966, view.root.clientWidth - 32));
  if (Math.abs(width - view.width) < 1) return;
  view.width = width;
  multiplesDraw(view);
}

function multiplesDraw(view) {
  const { parts } = view;
  const narrow = view.width < 700;
  view.root.classList.toggle("narrow", narrow);
  view.root.dataset.step = view.at;
  const live = view.lengths[view.at].filter((n) => n > 0).length;
  const tokens = view.lengths[view.at].reduce((sum, n) => sum + n, 0);
  parts.headline.textContent = `${amount(live, "sequence")}, ${amount(tokens, "token")}, in blocks of ${view.panels.map((panel) => panel.block_size).join(", ")}`;
  parts.where.textContent = `step ${view.at} of ${view.lengths.length - 1}`;
  const width = narrow ? view.width : (view.width - 28) / 2;
  view.panels.forEach((panel, i) => multiplesPanel(view, panel, parts.svgs[i], width));
  multiplesTrack(view);
  parts.text.setAttribute("aria-live", view.timer === 0 ? "polite" : "off");
  parts.text.textContent = view.texts[view.at];
  multiplesButtons(view);
}

function multiplesButtons(view) {
  const playing = view.timer !== 0;
  buttonRow(view.parts.buttons, [
    { key: "play", icon: playing ? "pause" : "play", label: playing ? "Pause" : "Play", primary: true, run: () => multiplesToggle(view) },
    { key: "back", icon: "back", label: "Back", run: () => multiplesStep(view, -1) },
    { key: "step", icon: "step", label: "Step", note: "1 token each", run: () => multiplesStep(view, 1) },
    { key: "next", icon: "grow", label: `Next block of ${multiplesLargest(view).block_size}`, kbd: "K", off: multiplesTaking(view, 1) === null, run: () => multiplesNext(view, 1) },
    { key: "speed", label: `${MULTIPLES_SPEEDS[view.speed]} steps/s`, run: () => {
      view.speed = (view.speed + 1) % MULTIPLES_SPEEDS.length;
      if (view.timer !== 0) { multiplesStop(view); multiplesToggle(view); }
      multiplesDraw(view);
    } },
  ]);
}
