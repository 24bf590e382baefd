// Who shows a player: a notebook, through anywidget, or a page without a kernel.

// --- in Jupyter -----------------------------------------------------------------------------

// The kernel is asked only for new facts: a call of the manager, the mark of an answer.
function renderPlayer({ model, el }) {
  const root = el.appendChild(document.createElement("div"));
  const filled = (name, key) => (key in (model.get(name) ?? {}) ? model.get(name) : null);
  const player = createPlayer(root, {
    film: model.get("film"),
    startAt: model.get("start_at"),
    words: model.get("words"),
    actions: model.get("actions"),
    question: filled("question", "text"),
    verdict: filled("verdict", "answer"),
    onAnswer: (value) => model.send({ type: "answer", value }),
    onAct: (key) => model.send({ type: "act", key }),
    onIndex: tellIndex(model),
  });
  let numTaken = 0;
  const takeTail = (options) => {
    const frames = model.get("tail").slice(numTaken);
    numTaken += frames.length;
    player.addFrames(frames, options);
  };
  takeTail({ playFrom: null });
  const heard = {
    "change:tail": () => takeTail({}),
    "change:actions": () => player.setActions(model.get("actions")),
    "change:words": () => player.setWords(model.get("words")),
    "change:verdict": () => player.setVerdict(model.get("verdict")),
    "change:index": () => {
      if (model.get("index") !== player.index && model.get("index") >= 0) goTo(player, model.get("index"));
    },
  };
  for (const [name, react] of Object.entries(heard)) model.on(name, react);
  return () => {
    for (const [name, react] of Object.entries(heard)) model.off(name, react);
    player.destroy();
  };
}

// Linked views follow, at five events a second at most.
function tellIndex(model) {
  let told = 0;
  let timer = 0;
  return (i) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      told = Date.now();
      if (model.get("index") === i) return;
      model.set("index", i);
      model.save_changes();
    }, Math.max(0, 200 - (Date.now() - told)));
  };
}

// --- in a page of its own ---------------------------------------------------------------------

// data: {film, startAt, words, question, hidden: {verdict, frames}}. There is no kernel,
// so an answer is marked here.
function openPage(page, data) {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const root = page.getElementById("player");
  const follow = () => {
    page.body.classList.toggle("dark", dark.matches);
    root.classList.toggle("dark", dark.matches);
  };
  follow(); // the player watches the class of the body
  dark.addEventListener("change", follow);
  const player = createPlayer(root, {
    ...data,
    onAnswer: (value) => {
      const { verdict, frames } = data.hidden;
      player.setVerdict({ ...verdict, value, right: value === verdict.answer });
      player.addFrames(frames);
    },
  });
  window.pagedkvPlayer = player; // for whoever opens the console, and for tests
}
