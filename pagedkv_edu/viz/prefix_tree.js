// The prefix explorer: what is cached as a tree, the pool beside it, and buttons that
// serve prompts. The kernel sends the whole picture after each action; browsing its past
// needs nobody.

const PREFIX_PACE_MS = 1400;
const PREFIX_POOL = 280; // width of the pool

function renderPrefixTree({ model, el }) {
  const view = { model, picture: model.get("picture"), width: 968, timer: 0 };
  const start = model.get("start_at") ?? -1;
  view.root = node("div", { class: "pagedkv prefix", role: "group", tabindex: 0,
    "aria-label": "Prefix cache explorer. Enter on a button acts, arrow keys go back and forth in what happened." });
  view.parts = prefixParts();
  view.paint = paintBox(view.parts.stage);
  view.root.append(...view.parts.all);
  el.append(view.root);
  view.root.addEventListener("keydown", (event) => prefixKey(view, event));
  // what is pointed at is marked on both sides; the numbers say the same
  view.parts.stage.addEventListener("mouseover", (event) => prefixPoint(view, event.target));
  view.parts.stage.addEventListener("mouseleave", () => prefixPoint(view, null));
  const watcher = new ResizeObserver(() => prefixResize(view));
  watcher.observe(view.root);
  const taken = () => prefixTake(view, model.get("picture"));
  model.on?.("change:picture", taken);
  prefixGo(view, start < 0 ? Infinity : start);
  return () => {
    prefixStop(view);
    watcher.disconnect();
    model.off?.("change:picture", taken);
  };
}

function prefixParts() {
  const headline = node("div", { class: "headline" });
  const icon = node("span", { class: "icon", "aria-hidden": "true" });
  const where = node("div", { class: "ink2 where" });
  const stage = newSvg(968, 400);
  const text = node("div", { class: "text", "aria-live": "polite" });
  const past = node("div", { class: "row past" });
  const scrub = node("input", { type: "range", min: 0, "aria-label": "event" });
  const actions = node("div", { class: "row actions" });
  const own = node("div", { class: "row own", role: "group", "aria-label": "prompts" });
  const all = [
    node("div", { class: "row head" }, icon, headline, where),
    stage, text,
    node("div", { class: "row play" }, past, scrub),
    own, actions,
  ];
  return { all, headline, icon, where, stage, text, past, scrub, actions, own };
}

function prefixPoint(view, target) {
  const block = target?.closest?.("[data-block]")?.dataset.block;
  for (const part of view.parts.stage.querySelectorAll(".node, .block")) {
    part.classList.toggle("pointed", part.dataset.block === block && part.dataset.gone !== "true");
  }
}

// --- moving -----------------------------------------------------------------------

// A new picture: go on playing where it is longer, begin anew where it is another one.
function prefixTake(view, picture) {
  const before = view.picture.moments.length;
  const goesOn = picture.moments.length > before;
  view.picture = picture;
  prefixStop(view);
  if (!goesOn || matchMedia("(prefers-reduced-motion: reduce)").matches) {
    prefixGo(view, Infinity);
    return;
  }
  prefixGo(view, before);
  if (view.at < prefixLast(view)) prefixPlay(view);
}

function prefixLast(view) {
  return view.picture.moments.length - 1;
}

function prefixGo(view, at) {
  const last = prefixLast(view);
  view.at = Math.max(0, Math.min(last, at));
  if (view.at >= last) prefixStop(view);
  prefixDraw(view);
}

function prefixPlay(view) {
  if (view.at >= prefixLast(view)) view.at = 0;
  view.timer = setInterval(() => prefixGo(view, view.at + 1), PREFIX_PACE_MS);
  prefixDraw(view);
}

function prefixStop(view) {
  clearInterval(view.timer);
  view.timer = 0;
}

function prefixToggle(view) {
  if (view.timer === 0) prefixPlay(view);
  else {
    prefixStop(view);
    prefixDraw(view);
  }
}

// The next lookup or end: one whole request at a time.
function prefixNext(view, by) {
  const { moments } = view.picture;
  let at = view.at + by;
  while (moments[at] && !["lookup", "finish"].includes(moments[at].kind)) at += by;
  prefixStop(view);
  prefixGo(view, at);
}

function prefixKey(view, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const onControl = event.target.closest?.("button, input");
  const moved = (at) => () => {
    prefixStop(view);
    prefixGo(view, at);
  };
  const actions = {
    " ": onControl ? null : () => prefixToggle(view),
    ArrowLeft: event.shiftKey ? () => prefixNext(view, -1) : moved(view.at - 1),
    ArrowRight: event.shiftKey ? () => prefixNext(view, 1) : moved(view.at + 1),
    Home: moved(0), End: moved(Infinity),
  };
  const action = actions[event.key];
  if (action) {
    event.preventDefault();
    action();
  }
  // JupyterLab's command mode would take it for a command: the a key adds a cell
  if (event.key !== "Tab" && event.key !== "Escape") event.stopPropagation();
}

function prefixResize(view) {
  const width = Math.max(480, Math.min(968, view.root.clientWidth - 32));
  if (Math.abs(width - view.width) < 1) return;
  view.width = width;
  prefixDraw(view);
}

// --- drawing ----------------------------------------------------------------------

const PREFIX_ICONS = { lookup: "next", take: "grow", register: "write", finish: "finish", refuse: "refuse" };

function prefixDraw(view) {
  const { parts, picture } = view;
  const moment = picture.moments[view.at];
  const last = prefixLast(view);
  view.isNow = view.at >= last;
  view.root.dataset.event = view.at;
  prefixButtons(view);
  parts.scrub.hidden = !moment;
  parts.stage.style.display = moment ? "" : "none";
  if (!moment) {
    parts.headline.textContent = "Nothing was served yet";
    parts.text.textContent = `A pool of ${amount(picture.num_blocks, "block")}, each of ${amount(picture.block_size, "slot")}. Serve a prompt.`;
    parts.where.textContent = "";
    parts.icon.innerHTML = iconHtml("arrive", 15);
    return;
  }
  view.root.dataset.kind = moment.kind;
  parts.headline.textContent = moment.headline;
  parts.headline.classList.toggle("loss", moment.kind === "refuse" || moment.damaged.length > 0);
  parts.icon.innerHTML = iconHtml(PREFIX_ICONS[moment.kind], 15);
  parts.where.textContent = `event ${view.at + 1} of ${last + 1}`;
  prefixStage(view, moment);
  parts.text.setAttribute("aria-live", view.timer === 0 ? "polite" : "off");
  parts.text.textContent = moment.text;
  parts.scrub.max = last;
  parts.scrub.value = view.at;
  parts.scrub.setAttribute("aria-valuetext", moment.headline);
  parts.scrub.oninput = () => {
    prefixStop(view);
    prefixGo(view, Number(parts.scrub.value));
  };
}

function prefixStage(view, moment) {
  const svg = view.parts.stage;
  const treeWidth = view.width - PREFIX_POOL - 48;
  const tree = prefixTreeSvg(view, moment, treeWidth);
  const pool = prefixPoolSvg(view, moment, view.width - PREFIX_POOL, tree.places);
  svg.body.innerHTML = prefixPromptSvg(view, moment) + tree.svg + pool.svg;
  // the height stays while a film plays, or the buttons would jump
  view.height = Math.max(view.height ?? 0, tree.bottom + 4, pool.bottom);
  resizeSvg(svg, view.width, view.height);
}

function prefixButtons(view) {
  const { picture, parts, isNow } = view;
  const playing = view.timer !== 0;
  const halt = (then) => () => {
    prefixStop(view);
    then();
  };
  const send = (message) => halt(() => view.model.send(message));
  buttonRow(parts.past, [
    { key: "play", icon: playing ? "pause" : "play", label: playing ? "Pause" : "Replay", run: () => prefixToggle(view), off: prefixLast(view) < 1 },
    { key: "back", icon: "back", label: "Back", run: halt(() => prefixGo(view, view.at - 1)), off: view.at <= 0 },
    { key: "forward", icon: "step", label: "Step", run: halt(() => prefixGo(view, view.at + 1)), off: isNow },
  ]);
  buttonRow(parts.own, picture.buttons.map((button) => ({
    key: button.seq, icon: button.do === "end" ? "finish" : "arrive", label: button.label,
    note: isNow ? button.note : "", off: !isNow, run: send({ do: button.do, seq: button.seq }),
  })));
  buttonRow(parts.actions, [
    { key: "newest", icon: "next", label: "Go to the newest event", note: "to act there", run: halt(() => prefixGo(view, Infinity)), off: isNow },
    { key: "restart", label: "Start again", run: send({ do: "restart" }) },
  ]);
}
