// The schedule: the same arrivals served twice, one cursor for all panels. Every step is
// in the data; the kernel is asked only for another policy or another pool.

const SCHEDULE_SPEEDS = [0.5, 1, 2, 4];
const SCHEDULE_STEPS_PER_SECOND = 4;
const SCHEDULE_RANK = ["preempt", "refuse", "swap_in", "arrive", "finish", "write"];

function renderSchedule({ model, el }) {
  const view = { model, data: model.get("schedule"), at: 0, width: 968, speed: 1, timer: 0 };
  view.root = node("div", { class: "pagedkv schedule", role: "group", tabindex: 0,
    "aria-label": "Schedules of the same requests. Space plays and pauses, arrow keys step, N and J go to the next and the previous preemption, V changes the victim, P the pool." });
  view.parts = scheduleParts(view);
  view.root.append(...view.parts.all);
  el.append(view.root);
  view.root.addEventListener("keydown", (event) => scheduleKey(view, event));
  const watcher = new ResizeObserver(() => scheduleResize(view));
  watcher.observe(view.root);
  const taken = {
    "change:schedule": () => {
      view.data = model.get("schedule");
      scheduleTable(view);
      drawSchedule(view);
      scheduleGo(view, view.at, { save: false });
    },
    "change:step": () => scheduleGo(view, model.get("step"), { save: false }),
    "change:choices": () => scheduleButtons(view),
  };
  for (const [name, listener] of Object.entries(taken)) model.on?.(name, listener);
  scheduleTable(view);
  drawSchedule(view);
  scheduleGo(view, model.get("step"), { save: false });
  return () => {
    scheduleStop(view);
    watcher.disconnect();
    for (const [name, listener] of Object.entries(taken)) model.off?.(name, listener);
  };
}

function scheduleParts(view) {
  const icon = node("span", { class: "event-icon", "aria-hidden": "true" });
  const headline = node("div", { class: "headline" });
  const place = node("div", { class: "place" });
  const svg = newSvg(968, 500);
  svg.removeAttribute("aria-hidden");
  for (const [name, value] of Object.entries({ class: "panels", role: "slider", tabindex: 0, "aria-label": "step" })) {
    svg.setAttribute(name, value);
  }
  svg.addEventListener("pointerdown", (event) => scheduleDrag(view, event));
  const legend = node("div", { class: "legend" });
  const table = node("div", { class: "numbers" });
  const describe = node("div", { class: "describe", "aria-live": "polite" });
  const note = node("div", { class: "note" });
  const bar = node("div", { class: "bar" });
  const head = node("div", { class: "head" }, icon, headline, place);
  return { all: [head, svg, legend, table, describe, note, bar], icon, headline, place, svg, legend, table, describe, note, bar };
}

// --- moving -----------------------------------------------------------------------

function scheduleGo(view, step, { save = true } = {}) {
  const { num_steps: last } = view.data;
  view.at = Math.max(0, Math.min(last, Math.round(step)));
  if (view.at === last) scheduleStop(view);
  scheduleTell(view);
  drawScheduleCursor(view);
  scheduleButtons(view);
  if (save && view.timer === 0) {
    view.model.set("step", view.at);
    view.model.save_changes();
  }
}

function scheduleToggle(view) {
  if (view.timer !== 0) {
    scheduleStop(view);
    scheduleGo(view, view.at);
    return;
  }
  if (view.at >= view.data.num_steps) view.at = 0;
  const wait = () => 1000 / (SCHEDULE_STEPS_PER_SECOND * SCHEDULE_SPEEDS[view.speed]);
  const tick = () => {
    view.timer = setTimeout(tick, wait());
    scheduleGo(view, view.at + 1);
  };
  view.timer = setTimeout(tick, wait());
  scheduleGo(view, view.at);
}

function scheduleStop(view) {
  clearTimeout(view.timer);
  view.timer = 0;
}

function scheduleStep(view, by) {
  scheduleStop(view);
  scheduleGo(view, view.at + by);
}

function schedulePreemptions(view) {
  const all = view.data.panels.flatMap((panel) => panel.preemptions);
  return [...new Set(all)].sort((a, b) => a - b);
}

function schedulePreemption(view, by) {
  const steps = schedulePreemptions(view);
  const next = by > 0 ? steps.find((step) => step > view.at) : steps.findLast((step) => step < view.at);
  if (next === undefined) return;
  scheduleStop(view);
  scheduleGo(view, next);
}

function scheduleAsk(view, type) {
  if (!view.model.get("choices")?.[type]) return;
  scheduleStop(view);
  view.model.send({ type });
}

function scheduleKey(view, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const onButton = event.target.closest?.("button");
  const by = event.shiftKey ? 10 : 1;
  const actions = {
    " ": onButton ? null : () => scheduleToggle(view),
    ArrowLeft: () => scheduleStep(view, -by), ArrowDown: () => scheduleStep(view, -by),
    ArrowRight: () => scheduleStep(view, by), ArrowUp: () => scheduleStep(view, by),
    PageDown: () => scheduleStep(view, -10), PageUp: () => scheduleStep(view, 10),
    Home: () => scheduleStep(view, -Infinity), End: () => scheduleStep(view, Infinity),
    n: () => schedulePreemption(view, 1), k: () => schedulePreemption(view, 1), j: () => schedulePreemption(view, -1),
    v: () => scheduleAsk(view, "victim"),
    p: () => scheduleAsk(view, "pool"),
  };
  const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (action) {
    event.preventDefault();
    action();
  }
  // JupyterLab's command mode would take a key for a command
  if (event.key !== "Tab" && event.key !== "Escape") event.stopPropagation();
}

function scheduleDrag(view, event) {
  scheduleStop(view);
  const { svg } = view.parts;
  const box = svg.getBoundingClientRect();
  const seek = (move) => scheduleGo(view, scheduleScale(view).stepAt(move.clientX - box.left));
  const drop = () => svg.removeEventListener("pointermove", seek);
  svg.setPointerCapture(event.pointerId);
  svg.addEventListener("pointermove", seek);
  svg.addEventListener("pointerup", drop, { once: true });
  svg.addEventListener("pointercancel", drop, { once: true });
  seek(event);
}

function scheduleResize(view) {
  const width = Math.max(320, Math.min(968, view.root.clientWidth - 30));
  if (Math.abs(width - view.width) < 1) return;
  view.width = width;
  drawSchedule(view);
  scheduleTell(view);
}

// --- words and numbers ------------------------------------------------------------

function scheduleTell(view) {
  const { parts, data, at } = view;
  const steps = data.panels.map((panel) => panel.steps[at]);
  const rank = (step) => SCHEDULE_RANK.indexOf(step.kind);
  const first = steps.reduce((best, step, k) => (rank(step) < rank(steps[best]) ? k : best), 0);
  const chosen = steps[first];
  const same = steps.every((step) => step.headline === chosen.headline);
  view.root.dataset.step = at;
  parts.icon.innerHTML = iconHtml(chosen.kind, 15);
  parts.icon.classList.toggle("is-loss", ["preempt", "refuse"].includes(chosen.kind));
  const said = `${data.panels[first].name}, s${chosen.headline.slice(1)}`;
  parts.headline.textContent = same ? chosen.headline : said;
  parts.place.textContent = view.width < 700 ? "" : view.model.get("setting");
  parts.describe.setAttribute("aria-live", view.timer === 0 ? "polite" : "off");
  parts.describe.replaceChildren(...scheduleSentences(data, at));
  parts.svg.setAttribute("aria-valuemin", 0);
  parts.svg.setAttribute("aria-valuemax", data.num_steps);
  parts.svg.setAttribute("aria-valuenow", at);
  parts.svg.setAttribute("aria-valuetext", parts.headline.textContent);
}

// What the panels have in common is said once.
function scheduleSentences(data, at) {
  const said = data.panels.map((panel) => panel.texts[panel.steps[at].text].split(/(?<=\.) /));
  const shared = (pick) => said.every((list) => list.length && pick(list) === pick(said[0]));
  const [before, after] = [[], []];
  while (shared((list) => list[0])) before.push(said.map((list) => list.shift())[0]);
  while (shared((list) => list.at(-1))) after.unshift(said.map((list) => list.pop())[0]);
  const parts = [`Step ${at}: ${before.join(" ")} `];
  said.forEach((list, k) => {
    if (list.length) parts.push(node("b", {}, `${data.panels[k].name}: `), `${list.join(" ")} `);
  });
  if (after.length) parts.push(node("b", {}, "Both: "), after.join(" "));
  return parts;
}

const SCHEDULE_LEGEND = {
  prefill: "prefill", decode: "decode", dropped: "preempted, work lost", kept: "preempted, kept",
  recompute: "recompute", swap_in: "swap in", waiting: "waiting", idle: "holds blocks, no budget left",
};

function scheduleTable(view) {
  const { data, parts } = view;
  const seen = new Set(data.panels.flatMap((panel) => panel.tracks.flatMap((track) => track.spans.map(([kind]) => kind))));
  parts.legend.innerHTML = Object.entries(SCHEDULE_LEGEND).filter(([kind]) => seen.has(kind)).map(([kind, words]) => {
    const box = { x: 0.5, y: 1, width: 28, height: 14, hue: HUES[0] };
    const draw = { prefill: scheduleSolid, recompute: scheduleSolid, decode: scheduleTint, dropped: scheduleGap, kept: scheduleGap, waiting: scheduleWait, swap_in: scheduleArrow, idle: scheduleIdle }[kind];
    const empty = { kind, tokens: "", blocks: "", note: "" };
    const picture = kind === "dropped" || kind === "kept" ? draw(empty, { ...box, height: 13.5 }) : draw(empty, box);
    return `<span><svg width="30" height="16" aria-hidden="true">${picture}</svg>${esc(words)}</span>`;
  }).join("");
  const cell = (text, k) => `<td${k === 1 && text !== "0" ? ' class="loss"' : ""}>${esc(text)}</td>`;
  parts.table.innerHTML =
    `<table><thead><tr><th></th>${data.columns.map((name) => `<th scope="col">${esc(name)}</th>`).join("")}</tr></thead><tbody>` +
    data.rows.map((row, k) => `<tr><th scope="row">${esc(data.panels[k].name)}</th>${row.map(cell).join("")}</tr>`).join("") +
    "</tbody></table>";
  parts.note.textContent = view.model.get("note");
}

function scheduleButtons(view) {
  const playing = view.timer !== 0;
  const preemptions = schedulePreemptions(view);
  const choices = view.model.get("choices") ?? {};
  const wanted = [
    { key: "play", icon: playing ? "pause" : "play", label: playing ? "Pause" : "Play", primary: true, run: () => scheduleToggle(view) },
    { key: "back", icon: "back", label: "Back", off: view.at === 0, run: () => scheduleStep(view, -1) },
    { key: "step", icon: "step", label: "Step", off: view.at === view.data.num_steps, run: () => scheduleStep(view, 1) },
    { key: "next", icon: "preempt", label: "Next preemption", off: !preemptions.some((step) => step > view.at), run: () => schedulePreemption(view, 1) },
    { key: "speed", label: `${SCHEDULE_SPEEDS[view.speed]}×`, run: () => {
      view.speed = (view.speed + 1) % SCHEDULE_SPEEDS.length;
      scheduleButtons(view);
    } },
  ];
  for (const [key, { label, note }] of Object.entries(choices)) {
    wanted.push({ key, label, note, run: () => scheduleAsk(view, key) });
  }
  buttonRow(view.parts.bar, wanted);
  const speed = view.parts.bar.querySelector('[data-key="speed"]');
  speed.setAttribute("aria-label", `speed ${SCHEDULE_SPEEDS[view.speed]} times; press to change`);
}
