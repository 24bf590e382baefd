// The pointer and the keyboard. Keys are handled on the focused player and stopped
// there: JupyterLab would take them for commands on cells.

const KEYS = {
  " ": (p) => (p.mode === "paused" ? p.play() : p.pause()),
  ArrowRight: (p, event) => p.step(1, event.shiftKey),
  ArrowLeft: (p, event) => p.step(-1, event.shiftKey),
  ArrowDown: (p) => chooseNextSeq(p, 1),
  ArrowUp: (p) => chooseNextSeq(p, -1),
  Home: (p) => goTo(p, 0),
  End: (p) => goTo(p, p.film.frames.length - 1),
  k: (p) => p.jump("copy", 1),
  j: (p) => p.jump("copy", -1),
  Escape: (p) => {
    Object.assign(p, { seq: null, block: null, cursor: null });
    draw(p, null);
  },
};

function goTo(p, i) {
  p.pause();
  p.seek(i);
}

function onKey(p, event) {
  if (event.altKey || event.ctrlKey || event.metaKey || event.key === "Tab") return;
  event.stopPropagation();
  const { target, key } = event;
  if (target.closest("select")) return;
  if (target.closest("button") && (key === " " || key === "Enter")) return;
  const run = runOf(p, event);
  if (!run) return;
  event.preventDefault();
  run(p, event);
}

// What a key does here. In the pool the arrows choose a block; while a question is open
// the digits answer it.
function runOf(p, { target, key }) {
  const inPool = target === p.parts.poolBox;
  if (inPool && /^(Arrow|Home|End)/.test(key)) return () => moveCursor(p, key);
  if (inPool && (key === "Enter" || key === " ") && p.cursor !== null) return () => chooseBlock(p, p.cursor);
  const choice = isCovered(p) ? choiceKeys(p.question).indexOf(key) : -1;
  if (choice >= 0) return () => giveAnswer(p, p.question.choices[choice]);
  return KEYS[key.length === 1 ? key.toLowerCase() : key];
}

function moveCursor(p, key) {
  const { cols } = p.size.cells;
  const { numBlocks } = p.film;
  const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -cols, ArrowDown: cols, Home: -numBlocks, End: numBlocks }[key];
  const from = p.cursor ?? p.block ?? p.view.main ?? 0;
  p.cursor = p.cursor === null ? from : Math.max(0, Math.min(numBlocks - 1, from + by));
  draw(p, null);
  p.say(blockSentence(p.film, p.view.shown, p.cursor));
}

// A chosen block is described; while a question asks for a block, it is the answer.
function chooseBlock(p, block) {
  if (isCovered(p) && p.question.kind === "block" && block !== null) return giveAnswer(p, String(block));
  p.block = p.block === block ? null : block;
  p.chosenAt = p.index;
  draw(p, null);
  if (p.block !== null) p.say(blockSentence(p.film, p.view.shown, block));
}

// A chosen sequence's blocks keep full ink, with an arrow to the last one.
function chooseSeq(p, seq) {
  p.seq = seq;
  draw(p, null);
  const table = p.view.shown.state.tables.get(seq);
  if (table) p.say(`${seq}: ${amount(table.len, "token")} in ${amount(table.blocks.length, "block")}: ${listed(table.blocks)}.`);
}

function chooseNextSeq(p, by) {
  const { rows } = layTables(p.film, p.view, p.size.leftWidth);
  const seqs = rows.map(({ seq }) => seq).filter((seq) => p.view.shown.state.tables.has(seq));
  if (!seqs.length) return;
  const k = seqs.indexOf(p.seq);
  chooseSeq(p, seqs[k < 0 ? (by > 0 ? 0 : seqs.length - 1) : (k + by + seqs.length) % seqs.length]);
}

function listen(p) {
  const { poolBox, tablesBox } = p.parts;
  const hover = (block) => {
    if (block === p.hover) return;
    p.hover = block;
    drawPool(p);
    drawAside(p);
  };
  p.root.addEventListener("keydown", (event) => onKey(p, event));
  // on a large pool only the lens follows the pointer; the canvas waits for a click
  poolBox.addEventListener("pointermove", (event) => hover(event.pointerType === "mouse" && !overOverview(p, event) ? blockAt(p, event) : null));
  poolBox.addEventListener("pointerleave", () => hover(null));
  poolBox.addEventListener("click", (event) => {
    p.cursor = null;
    chooseBlock(p, blockAt(p, event));
  });
  poolBox.addEventListener("mousedown", (event) => {
    // a click must not take the keyboard into the pool, where arrows choose blocks
    event.preventDefault();
    p.root.focus({ preventScroll: true });
  });
  poolBox.addEventListener("blur", () => {
    if (p.cursor === null) return;
    p.cursor = null;
    draw(p, null);
  });
  tablesBox.addEventListener("click", (event) => {
    const seq = event.target.closest("[data-seq]")?.dataset.seq ?? null;
    chooseSeq(p, seq === p.seq ? null : seq);
  });
  tablesBox.addEventListener("scroll", () => {
    p.scrolled = p.scrolledTo = tablesBox.scrollTop;
    if (p.view) drawOverlay(p, layTables(p.film, p.view, p.size.leftWidth));
  });
}
