// The live view: answers left, pool right, told below. While the model runs it follows the
// newest step; pausing it, or going back, does not stop the model. A run that is over is
// played by the same code.

const LIVE_SPEEDS = [2, 6, 20]; // steps a second, of a replay

function renderLive({ model, el }) {
  const live = readRun(model.get("run"));
  const view = { model, live, at: -1, pointed: null, width: 966, poolWidth: 366, timer: 0, speed: 1, guess: null };
  view.following = model.get("status") === "running" || model.get("start_at") < 0;
  view.root = node("div", { class: "pagedkv live", role: "group", tabindex: 0,
    "aria-label": "A model answers prompts, beside its block pool. Space plays and pauses, arrow keys step, J and K go to the previous and the next step that takes a block." });
  view.parts = liveParts(view);
  view.paint = paintBox(view.parts.pool);
  view.root.append(...view.parts.all);
  el.append(view.root);
  view.root.addEventListener("keydown", (event) => liveKey(view, event));
  for (const kind of ["pointerover", "focusin"]) view.root.addEventListener(kind, (event) => livePoint(view, event.target));
  const watcher = new ResizeObserver(() => liveResize(view));
  watcher.observe(view.root);
  const heard = {
    "change:chunk": () => liveTake(view, model.get("chunk")),
    "change:run": () => (live.source = model.get("run").source) && liveTake(view, { first: 0, frames: model.get("run").frames, prompts: model.get("run").prompts }),
    "change:status": () => liveStatus(view),
    "change:notice": () => liveDraw(view),
    "msg:custom": (message) => message.type === "steps" && liveTake(view, message),
  };
  for (const [name, react] of Object.entries(heard)) model.on?.(name, react);
  const last = live.film.frames.length - 1;
  liveGo(view, view.following ? last : Math.min(last, model.get("start_at")));
  if (model.get("status") === "running") liveMissing(view);
  return () => {
    liveHalt(view);
    watcher.disconnect();
    for (const [name, react] of Object.entries(heard)) model.off?.(name, react);
  };
}

function liveParts(view) {
  const headline = node("div", { class: "headline" });
  const where = node("div", { class: "ink2 where" });
  const notice = node("div", { class: "notice" });
  const cards = node("div", { class: "answers" });
  const predict = node("div", { class: "row predict" });
  const pool = newSvg(366, 260, "Pool");
  const poolFacts = node("span", { class: "ink2" });
  const pointed = node("div", { class: "pointed" });
  const strips = [newSvg(366, 20), newSvg(366, 20)];
  const pagedFacts = node("span", { class: "ink2" });
  const wholeFacts = node("span", { class: "ink2" });
  const wholeName = node("b");
  const besideTitle = node("div", { class: "title" });
  const beside = node("div", { class: "beside" }, besideTitle,
    node("div", { class: "row strip" }, node("b", {}, "paged, this moment"), pagedFacts), strips[0],
    node("div", { class: "row strip" }, wholeName, wholeFacts), strips[1]);
  const track = newSvg(966, 52);
  track.removeAttribute("aria-hidden");
  for (const [name, value] of Object.entries({ role: "slider", tabindex: 0, "aria-label": "step", "aria-valuemin": 0 })) track.setAttribute(name, value);
  track.addEventListener("pointerdown", (event) => liveDrag(view, event));
  const text = node("div", { class: "text", "aria-live": "polite" });
  const buttons = node("div", { class: "row buttons" });
  const field = node("input", { type: "text", class: "ask", placeholder: "Ask your own prompt", "aria-label": "Your own prompt", maxlength: 300 });
  const ask = node("button", { class: "btn", type: "button" }, "Ask");
  const send = () => liveAsk(view);
  ask.addEventListener("click", send);
  field.addEventListener("keydown", (event) => event.key === "Enter" && send());
  const asking = node("div", { class: "row asking" }, field, ask);
  const left = node("div", { class: "left" }, cards, predict);
  const right = node("div", { class: "right" }, node("div", { class: "row strip" }, node("b", {}, "Pool"), poolFacts), pool, pointed, beside);
  const all = [node("div", { class: "row head" }, headline, where), notice, node("div", { class: "columns" }, left, right), track, text,
    node("div", { class: "row foot" }, buttons, asking)];
  return { all, headline, where, notice, cards, predict, pool, poolFacts, pointed, strips, pagedFacts, wholeFacts, wholeName, besideTitle, beside, track, text, buttons, field, asking };
}

// --- steps come in -----------------------------------------------------------------------

function liveTake(view, { first, frames, prompts }) {
  livePrompts(view.live, prompts ?? []);
  if (!liveFrames(view.live, first ?? 0, frames ?? [])) {
    liveMissing(view);
    return;
  }
  if (view.following) liveGo(view, view.live.film.frames.length - 1);
  else liveDraw(view);
}

function liveMissing(view) {
  view.model.send?.({ type: "from", first: view.live.film.frames.length });
}

function liveStatus(view) {
  if (view.model.get("status") === "running") view.following = true;
  liveDraw(view);
}

function liveAsk(view) {
  const text = view.parts.field.value.trim();
  if (!text) return;
  view.parts.field.value = "";
  view.following = true;
  view.model.send({ type: "ask", text });
}

// --- moving ------------------------------------------------------------------------------

function liveGo(view, step) {
  const last = view.live.film.frames.length - 1;
  view.at = Math.max(Math.min(0, last), Math.min(last, step));
  liveMark(view);
  liveDraw(view);
}

function liveSeek(view, step) {
  liveHalt(view);
  view.following = false;
  liveGo(view, step);
}

function liveHalt(view) {
  clearInterval(view.timer);
  view.timer = 0;
}

function liveToggle(view) {
  const running = view.model.get("status") === "running";
  if (view.timer || (running && view.following)) {
    liveHalt(view);
    view.following = false;
    liveDraw(view);
    return;
  }
  if (running) {
    view.following = true;
    liveGo(view, view.live.film.frames.length - 1);
    return;
  }
  if (view.at >= view.live.film.frames.length - 1) view.at = -1;
  view.following = false;
  view.timer = setInterval(() => {
    liveGo(view, view.at + 1);
    if (view.at >= view.live.film.frames.length - 1) { liveHalt(view); liveDraw(view); }
  }, 1000 / LIVE_SPEEDS[view.speed]);
  liveGo(view, view.at + 1);
}

function liveNext(view, by) {
  const step = liveTaking(view.live, view.at, by);
  if (step !== null) liveSeek(view, step);
}

function liveKey(view, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const inField = event.target.matches?.("input");
  const onButton = event.target.closest?.("button");
  const by = event.shiftKey ? 10 : 1;
  const actions = inField ? {} : {
    " ": onButton ? null : () => liveToggle(view),
    ArrowLeft: () => liveSeek(view, view.at - by), ArrowRight: () => liveSeek(view, view.at + by),
    Home: () => liveSeek(view, 0), End: () => liveSeek(view, Infinity),
    j: () => liveNext(view, -1), k: () => liveNext(view, 1),
  };
  const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (action) {
    event.preventDefault();
    action();
  }
  if (event.key !== "Tab" && event.key !== "Escape") event.stopPropagation();
}

// --- pointing ----------------------------------------------------------------------------

function livePoint(view, target) {
  const found = target.closest?.("[data-block]");
  if (!found) return; // the last block pointed at stays
  const block = Number(found.getAttribute("data-block"));
  if (block === view.pointed) return;
  view.pointed = block;
  liveAnswersDraw(view);
  livePoolDraw(view);
}

// --- a question while it runs --------------------------------------------------------------

// The answer is marked by the step that takes a block, which nobody knows yet.
function livePredict(view, seq) {
  view.guess = { seq, from: view.at, result: "" };
  liveDraw(view);
}

function liveMark(view) {
  const { guess, live } = view;
  if (!guess || guess.result || view.at <= guess.from) return;
  const step = liveTaking(live, guess.from, 1);
  if (step === null || step > view.at) return;
  const takers = Object.keys(live.film.frames[step].taken_by);
  const right = takers.includes(guess.seq);
  guess.result = `${right ? "Right" : "Not so"}: ${listed(takers)} took a block at step ${step}.`;
}

function livePredictDraw(view) {
  const { parts, live, guess } = view;
  // who waits may be let in and take it; with one left there is nothing to ask
  const left = ["running", "waiting", "preempted", "host"];
  const unfinished = view.at < 0 ? [] : live.prompts.map((p) => p.seq).filter((seq) => left.includes(live.moments[view.at].states.get(seq)));
  parts.predict.hidden = unfinished.length < 2 && !guess;
  const said = guess ? guess.result || `You said ${guess.seq}. Go on, and see.` : "Who takes the next free block?";
  if (!parts.predict.text) {
    parts.predict.text = node("span");
    parts.predict.row = node("span", { class: "row" });
    parts.predict.append(node("b", {}, "Predict"), parts.predict.text, parts.predict.row);
  }
  parts.predict.text.textContent = said;
  const open = !guess || guess.result;
  const wanted = !open ? [] : guess?.result
    ? [{ key: "again", label: "Ask me again", run: () => { view.guess = null; liveDraw(view); } }]
    : unfinished.map((seq) => ({ key: `p${seq}`, label: seq, run: () => livePredict(view, seq) }));
  const keys = wanted.map((button) => button.key).join();
  if (parts.predict.keys !== keys) parts.predict.row.replaceChildren();
  parts.predict.keys = keys;
  buttonRow(parts.predict.row, wanted);
}

// --- drawing -------------------------------------------------------------------------------

function liveResize(view) {
  const width = Math.max(300, Math.min(966, view.root.clientWidth - 34));
  if (Math.abs(width - view.width) < 1) return;
  view.width = width;
  view.poolWidth = width < 760 ? width : 366;
  liveDraw(view);
}

function liveDraw(view) {
  const { parts, live, at, model } = view;
  view.root.classList.toggle("narrow", view.width < 760);
  view.root.dataset.step = at;
  const status = model.get("status");
  const frame = live.film.frames[at];
  parts.headline.textContent = frame ? frame.headline : live.title;
  const place = frame ? ` · step ${at} of ${live.film.frames.length - 1}` : "";
  parts.where.innerHTML = `${esc(live.source)}${place} · ${esc(status !== "done" ? status : at < live.film.frames.length - 1 ? "replay" : "over")}` + (status === "running" ? ' <span class="dot" aria-hidden="true"></span>' : "");
  const notice = model.get("notice") ?? "";
  parts.notice.hidden = !notice;
  parts.notice.innerHTML = esc(notice).replace(/`([^`]+)`/g, "<code>$1</code>"); // as a note of the page has it
  liveAnswersDraw(view);
  livePoolDraw(view);
  liveBesideDraw(view);
  livePredictDraw(view);
  liveTrackDraw(view);
  const moving = view.timer !== 0 || (status === "running" && view.following);
  parts.text.setAttribute("aria-live", moving ? "off" : "polite");
  parts.text.textContent = frame ? frame.text : "The first step is on its way.";
  parts.asking.hidden = model.get("can_ask") !== true;
  liveButtons(view, status, moving);
}

function liveButtons(view, status, moving) {
  const running = status === "running";
  const last = view.live.film.frames.length - 1;
  const wanted = [
    { key: "play", icon: moving ? "pause" : "play", label: moving ? "Pause" : running ? "Follow" : "Play", note: running && moving ? "the model goes on" : "", primary: true, off: last < 0, run: () => liveToggle(view) },
    { key: "back", icon: "back", label: "Back", off: view.at <= 0, run: () => liveSeek(view, view.at - 1) },
    { key: "step", icon: "step", label: "One token", off: view.at >= last, run: () => liveSeek(view, view.at + 1) },
    { key: "next", icon: "grow", label: "Next new block", kbd: "K", off: liveTaking(view.live, view.at, 1) === null, run: () => liveNext(view, 1) },
    { key: "speed", label: `${LIVE_SPEEDS[view.speed]} steps/s`, off: running, run: () => {
      view.speed = (view.speed + 1) % LIVE_SPEEDS.length;
      if (view.timer) { liveHalt(view); liveToggle(view); } else liveDraw(view);
    } },
  ];
  if (view.model.get("can_stop")) wanted.push({ key: "stop", label: "Stop the model", off: !running, run: () => view.model.send({ type: "stop" }) });
  buttonRow(view.parts.buttons, wanted);
}

// --- a page of its own ----------------------------------------------------------------------

// traits: {run, status, start_at}. There is no kernel to ask or to stop.
function openLivePage(page, traits) {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const el = page.getElementById("view");
  renderLive({ el, model: { get: (name) => traits[name] } });
  const follow = () => {
    page.body.classList.toggle("dark", dark.matches);
    el.firstChild.classList.toggle("dark", dark.matches);
  };
  follow();
  dark.addEventListener("change", follow);
}
