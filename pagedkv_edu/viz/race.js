// The race: one workload in a contiguous and in a paged cache, one cursor for both.
// Every step is in the data; the kernel is asked only when a request is to end early.

const RACE_SPEEDS = [0.5, 1, 2, 4];
const RACE_STEPS_PER_SECOND = 4;
const RACE_FITS = ["first", "best", "buddy"];

function renderRace({ model, el }) {
  const view = {
    model,
    data: model.get("race"),
    fit: model.get("fit"),
    at: 0,
    width: 968,
    holesWidth: 440,
    speed: 1,
    timer: 0,
    apart: false,
    seen: false,
  };
  view.root = node("div", { class: "pagedkv race", role: "group", tabindex: 0,
    "aria-label": "Race of a contiguous and a paged cache. Space plays and pauses, arrow keys step, N and J go to the next and the previous refusal, F changes the fit, H slides the holes." });
  view.parts = raceParts(view);
  view.root.append(...view.parts.all);
  el.append(view.root);
  view.root.addEventListener("keydown", (event) => raceKey(view, event));
  const watcher = new ResizeObserver(() => raceResize(view));
  watcher.observe(view.root);
  const taken = {
    "change:race": () => {
      view.data = model.get("race");
      raceGo(view, view.at, { save: false });
    },
    "change:step": () => raceGo(view, model.get("step"), { save: false }),
    "change:fit": () => {
      view.fit = model.get("fit");
      raceGo(view, view.at, { save: false });
    },
  };
  for (const [name, listener] of Object.entries(taken)) model.on?.(name, listener);
  raceGo(view, model.get("step"), { save: false });
  return () => {
    raceStop(view);
    watcher.disconnect();
    for (const [name, listener] of Object.entries(taken)) model.off?.(name, listener);
  };
}

function raceParts(view) {
  const drawing = (width, height) => {
    const svg = newSvg(width, height);
    return { svg, paint: paintBox(svg) };
  };
  const icon = node("span", { class: "event-icon", "aria-hidden": "true" });
  const headline = node("div", { class: "headline" });
  const place = node("div", { class: "place" });
  const heads = [raceStripHead(), raceStripHead()];
  const [strip, holes, blocks, curves] = [drawing(968, 146), drawing(440, 94), drawing(968, 76), drawing(968, 160)];
  const slide = node("button", { class: "btn small", type: "button", onclick: () => raceSlide(view) });
  const holesHead = node("div", { class: "title" });
  const where = node("div", { class: "where" });
  const describe = node("div", { class: "describe", "aria-live": "polite" });
  const bar = node("div", { class: "bar" });
  const curvesTitle = node("div", { class: "curves-title" });
  curves.svg.removeAttribute("aria-hidden");
  for (const [name, value] of Object.entries({ class: "curves", role: "slider", tabindex: 0, "aria-label": "step" })) {
    curves.svg.setAttribute(name, value);
  }
  curves.svg.addEventListener("pointerdown", (event) => raceDrag(view, event));
  const holesBox = node("div", { class: "holes" }, holesHead, holes.svg);
  const pair = node("div", { class: "pair" }, holesBox, where);
  const all = [
    node("div", { class: "head" }, icon, headline, place),
    heads[0].row, strip.svg, pair,
    node("div", { class: "paged-part" }, heads[1].row, blocks.svg),
    curvesTitle, curves.svg, describe, bar,
  ];
  return { all, icon, headline, place, heads, strip, holes, holesBox, holesHead, slide, where, blocks, curves, curvesTitle, describe, bar };
}

function raceStripHead() {
  const [name, note, sum] = [node("b"), node("span", { class: "ink2" }), node("span", { class: "sum" })];
  return { row: node("div", { class: "strip-head" }, name, note, sum), name, note, sum };
}

// --- moving -----------------------------------------------------------------------

function raceGo(view, step, { save = true, drop = true } = {}) {
  const last = view.data.num_steps - 1;
  const before = view.at;
  view.at = Math.max(0, Math.min(last, Math.round(step)));
  if (view.at === last) raceStop(view);
  if (view.at !== before) view.apart = false;
  raceDraw(view);
  if (drop && view.seen && view.at !== before) raceDropOnHoles(view);
  view.seen = true;
  if (save && view.timer === 0) raceSave(view);
}

function raceSave(view) {
  view.model.set("step", view.at);
  view.model.set("fit", view.fit);
  view.model.save_changes();
}

function raceToggle(view) {
  if (view.timer !== 0) {
    raceStop(view);
    raceSave(view);
    raceDraw(view);
    return;
  }
  if (view.at >= view.data.num_steps - 1) raceGo(view, 0);
  const tick = () => {
    view.timer = setTimeout(tick, 1000 / (RACE_STEPS_PER_SECOND * RACE_SPEEDS[view.speed]));
    raceGo(view, view.at + 1);
  };
  view.timer = setTimeout(tick, 1000 / (RACE_STEPS_PER_SECOND * RACE_SPEEDS[view.speed]));
  raceDraw(view);
}

function raceStop(view) {
  clearTimeout(view.timer);
  view.timer = 0;
}

function raceStep(view, by) {
  raceStop(view);
  raceGo(view, view.at + by);
}

function raceRefusals(view) {
  return view.data.contiguous[view.fit].waits.map(([, start]) => start);
}

function raceNextRefusal(view, by) {
  const starts = raceRefusals(view);
  const next = by > 0 ? starts.find((start) => start > view.at) : starts.findLast((start) => start < view.at);
  if (next === undefined) return;
  raceStop(view);
  raceGo(view, next);
}

function raceNextFit(view) {
  view.fit = RACE_FITS[(RACE_FITS.indexOf(view.fit) + 1) % RACE_FITS.length];
  raceGo(view, view.at);
}

function raceSlide(view) {
  if (view.parts.slide.hidden) return;
  view.apart = !view.apart;
  view.parts.holesBox.classList.add("sliding");
  placeHoles(view);
  raceHolesHead(view, raceFacts(view));
}

function raceKey(view, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const onButton = event.target.closest?.("button");
  const by = event.shiftKey ? 10 : 1;
  const actions = {
    " ": onButton ? null : () => raceToggle(view),
    ArrowLeft: () => raceStep(view, -by), ArrowDown: () => raceStep(view, -by),
    ArrowRight: () => raceStep(view, by), ArrowUp: () => raceStep(view, by),
    PageDown: () => raceStep(view, -10), PageUp: () => raceStep(view, 10),
    Home: () => raceStep(view, -Infinity), End: () => raceStep(view, Infinity),
    n: () => raceNextRefusal(view, 1), k: () => raceNextRefusal(view, 1), j: () => raceNextRefusal(view, -1),
    f: () => raceNextFit(view),
    h: () => raceSlide(view),
  };
  const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (action) {
    event.preventDefault();
    action();
  }
  // JupyterLab's command mode would take a key for a command
  if (event.key !== "Tab" && event.key !== "Escape") event.stopPropagation();
}

function raceDrag(view, event) {
  raceStop(view);
  const { svg } = view.parts.curves;
  const box = svg.getBoundingClientRect();
  const seek = (move) => raceGo(view, curvesScale(view).stepAt(move.clientX - box.left), { drop: false });
  const drop = () => svg.removeEventListener("pointermove", seek);
  svg.setPointerCapture(event.pointerId);
  svg.addEventListener("pointermove", seek);
  svg.addEventListener("pointerup", drop, { once: true });
  svg.addEventListener("pointercancel", drop, { once: true });
  seek(event);
}

function raceResize(view) {
  const width = Math.max(320, Math.min(968, view.root.clientWidth - 30));
  if (Math.abs(width - view.width) < 1) return;
  view.width = width;
  raceDraw(view);
}

// At a refusal the request is tried on each hole in turn, as first fit does, and bounces.
function raceDropOnHoles(view) {
  if (window.matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const facts = raceFacts(view);
  const bar = view.parts.strip.svg.querySelector(".refused");
  const isFresh = facts.run.waits.some(([, start]) => start === view.at);
  if (!bar || !isFresh) return;
  const x = (slot) => (slot / view.data.num_slots) * view.width;
  const home = refusedPlace(view, facts).start;
  const frames = [];
  for (const hole of facts.holes.slice(0, 8)) {
    const away = x(refusedPlace(view, facts, hole).start - home);
    for (const down of [0, 12, 0]) frames.push({ transform: `translate(${away}px, ${down}px)` });
  }
  frames.push({ transform: "none" });
  bar.animate(frames, { duration: 200 * Math.min(8, facts.holes.length) + 100, easing: "ease-in-out" });
}

// --- drawing ----------------------------------------------------------------------

function raceDraw(view) {
  const { parts, data, at } = view;
  const facts = raceFacts(view);
  const isLoss = ["refuse", "preempt"].includes(facts.step.kind);
  view.root.dataset.step = at;
  view.root.dataset.fit = view.fit;
  parts.icon.innerHTML = iconHtml(facts.step.kind, 15);
  parts.icon.classList.toggle("is-loss", isLoss);
  parts.headline.textContent = facts.text(facts.step.headline);
  parts.place.textContent = view.width < 700 ? `step ${at}` : `step ${at}  ·  one cursor for both memories`;
  const share = (used) => `${withCommas(used)} of ${withCommas(data.num_slots)} slots hold a token: ${Math.round((100 * used) / data.num_slots)} %`;
  const [contiguous, paged] = parts.heads;
  contiguous.name.textContent = `Contiguous, ${raceFitName(view.fit)}`;
  contiguous.note.textContent = `one run of slots per request, reserved for ${data.reservation} at admission`;
  contiguous.sum.textContent = share(facts.used);
  paged.name.textContent = `Paged, ${data.block_size}-slot blocks`;
  const anyPartial = facts.pagedStep.tokens.some((used) => used % data.block_size !== 0);
  paged.note.textContent = facts.text(facts.pagedStep.caption) + (anyPartial && view.width >= 700 ? ". Below a block: slots used when it is not full" : "");
  paged.sum.textContent = share(facts.pagedUsed);
  view.holesWidth = view.width < 760 ? view.width : Math.round(view.width * 0.61);
  drawRaceStrip(view, facts);
  raceHolesHead(view, facts);
  drawRaceHoles(view, facts);
  parts.where.innerHTML = raceWhere(view, facts);
  drawRaceBlocks(view, facts);
  parts.curvesTitle.textContent = `Slots that hold a token, share of ${withCommas(data.num_slots)}`;
  drawRaceCurves(view, facts);
  parts.describe.setAttribute("aria-live", view.timer === 0 ? "polite" : "off");
  parts.describe.textContent = `Contiguous: ${facts.text(facts.step.text)} Paged: ${facts.text(facts.pagedStep.text)}`;
  raceButtons(view, facts);
}

function raceFitName(fit) {
  return { first: "first fit", best: "best fit", buddy: "buddy allocator" }[fit];
}

function raceHolesHead(view, facts) {
  const { holesHead, slide, holesBox } = view.parts;
  slide.innerHTML = `${view.apart ? "Slide together" : "Slide apart"} <span class="kbd">H</span>`;
  const sameScale = holesScale(view, facts) === 1;
  slide.hidden = facts.holes.length < 2 || !sameScale;
  holesHead.replaceChildren("If the holes were one", node("small", {}, sameScale ? "(same scale)" : "(smaller scale)"), slide);
  holesBox.classList.toggle("apart", view.apart);
}

function raceWhere(view, facts) {
  const { data } = view;
  const held = facts.extents.reduce((sum, extent) => sum + extent.size, 0);
  const inBlocks = (data.num_blocks - facts.pagedLayout.free) * data.block_size;
  const row = (name, contiguous, paged, isLoss = false) =>
    `<tr><th scope="row">${esc(name)}</th><td${isLoss ? ' class="loss"' : ""}>${esc(contiguous)}</td><td>${esc(paged)}</td></tr>`;
  const usable = facts.refused === null
    ? row("longest request that would fit now", withCommas(facts.largest?.size ?? 0), withCommas(facts.pagedFree))
    : row(`of the free slots, usable for ${facts.refused}`, 0, withCommas(facts.pagedFree), true);
  return (
    `<table><thead><tr><th scope="col">Where the ${withCommas(data.num_slots)} slots are</th><th scope="col">contiguous</th><th scope="col">paged</th></tr></thead><tbody>` +
    row("hold a token", withCommas(facts.used), withCommas(facts.pagedUsed)) +
    row("reserved or in a last block, empty", withCommas(held - facts.used), withCommas(inBlocks - facts.pagedUsed)) +
    row("free", withCommas(facts.free), withCommas(facts.pagedFree)) +
    usable +
    row("requests that run, that wait", `${facts.extents.length}, ${facts.layout.waiting.length}`, `${facts.pagedLayout.held.length}, ${facts.pagedLayout.waiting.length}`) +
    "</tbody></table>"
  );
}

function raceButtons(view, facts) {
  const { bar } = view.parts;
  const focused = bar.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  const button = (key, icon, label, small, onclick, more = {}) => {
    const element = node("button", { class: `btn${key === "play" ? " primary" : ""}`, type: "button", "data-key": key, onclick, ...more });
    element.innerHTML = `${icon ? iconHtml(icon) : ""}${esc(label)}${small}`;
    return element;
  };
  const small = (text) => ` <small>${esc(text)}</small>`;
  const playing = view.timer !== 0;
  const others = RACE_FITS.filter((fit) => fit !== view.fit).join(", ");
  const last = view.data.num_steps - 1;
  bar.replaceChildren(
    button("play", playing ? "pause" : "play", playing ? "Pause" : "Play", "", () => raceToggle(view)),
    button("back", "back", "Back", "", () => raceStep(view, -1), { disabled: view.at === 0 }),
    button("step", "step", "Step", "", () => raceStep(view, 1), { disabled: view.at === last }),
    button("next", "refuse", "Next refusal", ' <span class="kbd">N</span>', () => raceNextRefusal(view, 1), { disabled: !raceRefusals(view).some((start) => start > view.at) }),
    button("speed", null, `${RACE_SPEEDS[view.speed]}×`, "", () => {
      view.speed = (view.speed + 1) % RACE_SPEEDS.length;
      raceDraw(view);
    }, { "aria-label": `speed ${RACE_SPEEDS[view.speed]} times; press to change` }),
    node("span", { class: "gap" }),
    button("fit", null, `Fit: ${view.fit}`, small(`try ${others}`), () => raceNextFit(view)),
    ...raceEndings(view, facts, button, small),
  );
  bar.querySelector(`[data-key="${focused}"]`)?.focus();
}

// "Finish C: makes a hole of 241, F fits", for the request whose end helps soonest.
function raceEndings(view, facts, button, small) {
  const buttons = [];
  const ended = Object.keys(view.model.get("ends") ?? {});
  if (ended.length) {
    buttons.push(button("undo", "back", `Undo finishing ${listed(ended)}`, "", () => view.model.send({ type: "undo" })));
  }
  if (facts.refused === null) return buttons;
  const options = Object.entries(facts.options).sort((a, b) => a[1] - b[1]);
  const [name, hole] = options.find((option) => option[1] >= facts.asked) ?? options.at(-1) ?? [];
  if (name === undefined) return buttons;
  const so = hole >= facts.asked ? `${facts.refused} fits` : `${facts.refused} still does not fit`;
  buttons.push(button("finish", "finish", `Finish ${name}`, small(`makes a hole of ${hole}, ${so}`), () => {
    view.model.send({ type: "end", name, step: view.at });
  }));
  return buttons;
}
