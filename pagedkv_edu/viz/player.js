// The player: a film of a memory, event by event. createPlayer builds it into any
// element and knows nothing of Jupyter; player_hosts.js says who calls it.

const EVENT_MS = 250; // four events a second
const BEAT_MS = { 1: 700, 2: 750, 3: 700 }; // a move of 300 to 350, then a pause of 400

// Build a player in root. options:
//   film        JSON of replay/film.py
//   startAt     event to begin at, negative from the end
//   question    {text, kind, choices, score}: later frames are then not in film
//   verdict     {value, right, answer, sentence, score}, once it is answered
//   actions     [{key, kind, seq, label, cost}]: buttons that call a manager
//   words       [{block: text}...] by event, or null
//   onIndex(i, playing), onAnswer(value), onAct(key)
// The player returned has film, index, beat, mode and root to look at, and seek(i, beat),
// play(), pause(), step(by, wholeStep), jump(kind, by), addFrames(frames, {playFrom}),
// setActions(actions), setVerdict(verdict), setWords(words) and destroy() to call.
function createPlayer(root, options) {
  const film = readFilm(options.film);
  const p = {
    film, options: { ...options }, root, parts: {}, told: scanFilm(film),
    index: 0, beat: 0, mode: "paused", // "playing", or "beats": one copy after a step
    speed: 1, timer: 0, waitTimer: 0, scrolled: 0, scrolledTo: 0, colours: null,
    seq: null, block: null, chosenAt: -1, hover: null, cursor: null,
    question: options.question ?? null, verdict: options.verdict ?? null,
    actions: options.actions ?? [], actSeq: null, waiting: false,
  };
  addTransport(p);
  addLaterFrames(p);
  build(p);
  listen(p);
  const asked = options.startAt ?? 0;
  const last = film.frames.length - 1;
  p.index = Math.max(0, Math.min(last, asked < 0 ? last + 1 + asked : asked));
  p.beat = numBeats(film, p.index);
  layOut(p);
  const resized = new ResizeObserver(() => {
    if (Math.abs(Math.max(300, Math.floor(root.clientWidth) - 30) - p.size.width) > 1) layOut(p);
  });
  resized.observe(root);
  const theme = new MutationObserver(() => {
    p.colours = null; // a canvas keeps what it was painted with
    draw(p, null);
  });
  theme.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light", "class"] });
  p.destroy = () => {
    clearTimeout(p.timer);
    clearTimeout(p.waitTimer);
    resized.disconnect();
    theme.disconnect();
  };
  return p;
}

// --- the skeleton, from top to bottom ------------------------------------------------------

function build(p) {
  const { root, parts, film } = p;
  const box = (name, ...children) => (parts[name] = node("div", { class: name }, ...children));
  root.classList.add("pagedkv", "player");
  const label = `Player of ${withCommas(film.numBlocks)} blocks. Space plays, the arrow keys step, K finds the next copy.`;
  const attributes = { tabindex: 0, role: "group", "aria-label": label, "data-lm-suppress-shortcuts": "true" };
  for (const [name, value] of Object.entries(attributes)) root.setAttribute(name, value);
  for (const name of ["icon", "headline", "beats", "place"]) parts[name] = node("span", { class: name });
  const head = node("div", { class: "head" }, parts.icon, parts.headline, parts.beats, parts.place);
  const picture = box("picture", buildLeft(p, box), buildMiddle(p, box), buildRight(p, box));
  parts.overlay = picture.appendChild(newSvg(100, 100));
  parts.overlay.classList.add("overlay");
  parts.overlayPaint = paintBox(parts.overlay);
  parts.describe = node("p", { class: "describe", role: "status", "aria-live": "polite" });
  parts.spoken = node("div", { class: "spoken", "aria-live": "polite" });
  p.track = makeTrack(film, { seek: (i) => goTo(p, i), covered: () => isCovered(p) });
  const bar = box("bar");
  parts.actionsBar = node("div", { class: "bar actions" });
  makeBar(p);
  root.replaceChildren(head, picture, parts.describe, p.track.root, p.track.filters, bar, parts.actionsBar, parts.spoken);
}

function buildLeft({ parts }, box) {
  parts.tablesSvg = newSvg(100, 10, "Block tables");
  parts.tablesPaint = paintBox(parts.tablesSvg);
  parts.tablesTitle = node("div", { class: "title-row" });
  parts.tablesTitle.innerHTML = `<span class="title">Block tables</span><span class="small">logical order ${ARROW_GLYPH}</span>`;
  parts.tablesBox = node("div", { class: "tables" }, parts.tablesSvg);
  const hatch = newSvg(0, 0); // carries the pattern of the bars
  parts.wastePaint = paintBox(hatch);
  parts.wasteText = node("div");
  return box("left", parts.tablesTitle, parts.tablesBox, box("predict"), box("waste", hatch, parts.wasteText));
}

function buildMiddle({ parts, film }, box) {
  parts.poolTitle = node("div", { class: "title-row" });
  parts.canvas = node("canvas", { "aria-hidden": "true" });
  parts.poolSvg = newSvg(100, 100);
  parts.poolPaint = paintBox(parts.poolSvg);
  parts.grid = makeGrid(film, parts.poolSvg, parts.poolPaint);
  parts.poolNotes = parts.poolSvg.insertBefore(document.createElementNS(SVG_NAMES, "g"), parts.poolSvg.body);
  const label = "Physical pool. The arrow keys choose a block, Enter selects it.";
  parts.poolBox = node("div", { class: "pool", tabindex: 0, role: "application", "aria-label": label }, parts.canvas, parts.poolSvg);
  return box("middle", parts.poolTitle, parts.poolBox);
}

function buildRight({ parts }, box) {
  parts.asideTitle = node("div", { class: "title-row" });
  parts.aside = node("div", { class: "aside-body" });
  return box("right", parts.asideTitle, parts.aside);
}

const ARROW_GLYPH =
  '<svg width="13" height="8" viewBox="0 0 13 8" aria-hidden="true" style="display:inline">' +
  '<path d="M0,4 H9" stroke="currentColor" stroke-width="1.2"/><path d="M7,0.8 L12.6,4 L7,7.2 z" fill="currentColor"/></svg>';

// --- drawing one event ------------------------------------------------------------------------

// from: {index, beat} before, for a move that is animated, or null.
function draw(p, from) {
  p.view = viewOf(p.film, p.index, p.beat);
  if (p.seq !== null && !p.view.shown.state.tables.has(p.seq)) p.seq = null;
  drawHead(p);
  const layout = p.film.hasTables ? drawTables(p) : null;
  drawPool(p);
  drawAside(p);
  drawOverlay(p, layout);
  drawWaste(p);
  p.parts.describe.textContent = p.view.frame.text;
  p.track.move(p.index, p.view.frame.headline);
  scrollTables(p);
  if (from) animateEvent(p, from);
}

function drawHead(p) {
  const { view, parts, film } = p;
  const { frame } = view;
  parts.icon.innerHTML = iconHtml(frame.kind, 15);
  parts.icon.classList.toggle("is-loss", frame.kind === "refuse" || frame.kind === "preempt");
  parts.headline.textContent = frame.headline;
  parts.beats.innerHTML = view.beat ? [1, 2, 3].map((b) => `<i class="${b === view.beat ? "on" : ""}"></i>`).join("") : "";
  const of = isCovered(p) ? ", later ones are covered" : ` of ${film.frames.length}`;
  const words = [`event ${p.index + 1}${of}`];
  if (p.told.hasSteps) words.unshift(`step ${frame.step}`);
  if (view.beat) words.unshift(`beat ${view.beat} of 3`);
  parts.place.textContent = words.join("  ·  ");
}

// --- going through the film ------------------------------------------------------------------

function addTransport(p) {
  const { film } = p;
  const last = () => film.frames.length - 1;
  const reduced = window.matchMedia("(prefers-reduced-motion: reduce)");
  const delay = () => (BEAT_MS[p.beat] ?? EVENT_MS) / p.speed;
  const inCopy = () => p.beat > 0 && p.beat < 3;

  // Go to an event; of a copy to its last beat unless another is given.
  p.seek = (i, beat = null, animate = false) => {
    const from = { index: p.index, beat: p.beat };
    p.index = Math.max(0, Math.min(last(), i));
    p.beat = beat ?? numBeats(film, p.index);
    draw(p, animate && !reduced.matches ? from : null);
    p.options.onIndex?.(p.index, p.mode === "playing");
  };

  // Go forward to an event; a copy begins with its first beat.
  p.enter = (i) => p.seek(i, numBeats(film, i) ? 1 : 0, true);

  p.setMode = (mode) => {
    clearTimeout(p.timer);
    p.mode = mode;
    // spoken only when a person steps, not at four events a second
    p.parts.describe.setAttribute("aria-live", mode === "playing" ? "off" : "polite");
    drawBar(p);
    if (mode !== "paused") p.timer = setTimeout(tick, delay());
  };

  const tick = () => {
    if (inCopy()) p.seek(p.index, p.beat + 1, true);
    else if (p.mode === "playing" && p.index < last()) p.enter(p.index + 1);
    else return p.setMode("paused");
    p.timer = setTimeout(tick, delay());
  };

  p.play = () => {
    const atEnd = p.index >= last() && !inCopy();
    if (atEnd && isCovered(p)) return askFirst(p);
    if (atEnd) p.seek(0);
    p.setMode("playing");
  };

  p.pause = () => {
    if (p.mode !== "paused") p.setMode("paused");
  };

  // Enter an event as a person does: a copy goes through its beats and stops.
  const visit = (i) => {
    if (!numBeats(film, i)) return p.seek(i, null, true);
    p.enter(i);
    p.setMode("beats");
  };

  // By one event, or to the last event of the next engine step.
  p.step = (by, wholeStep = false) => {
    p.pause();
    let to = p.index + by;
    if (to > last() && isCovered(p)) return askFirst(p);
    if (to < 0 || to > last()) return;
    if (!wholeStep) return by > 0 ? visit(to) : p.seek(to);
    const stepOf = (i) => film.frames[i].step;
    if (by > 0) while (to < last() && stepOf(to + 1) === stepOf(to)) to += 1;
    else while (to > 0 && stepOf(to) === stepOf(p.index)) to -= 1;
    p.seek(to);
  };

  // To the next event of a kind.
  p.jump = (kind, by = 1) => {
    p.pause();
    let to = p.index + by;
    while (to >= 0 && to <= last() && film.frames[to].kind !== kind) to += by;
    if (to >= 0 && to <= last()) visit(to);
    else p.say(`No ${by > 0 ? "later" : "earlier"} ${KIND_NAMES[kind] ?? kind}.`);
  };

  p.say = (text) => { p.parts.spoken.textContent = text; };
}

function addLaterFrames(p) {
  // Take up later frames and play them; with playFrom null, only take them up.
  p.addFrames = (frames, { playFrom = p.film.frames.length } = {}) => {
    if (!frames.length) return;
    addFrames(p.film, frames);
    p.waiting = false;
    layOut(p);
    if (playFrom === null) return;
    p.enter(playFrom);
    p.setMode("playing");
  };

  p.setActions = (actions) => {
    p.actions = actions;
    p.waiting = false;
    drawActions(p);
  };

  p.setWords = (words) => {
    p.options.words = words;
    drawAside(p);
  };

  // Mark the answer. The frames that were covered come through addFrames.
  p.setVerdict = (verdict) => {
    p.verdict = verdict;
    p.waiting = false;
    layOut(p);
  };
}
