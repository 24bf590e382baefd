// The answers: words as memory. A run of tokens that lie in one block is underlined in its
// owner's hue and opens with the block's id.

function liveAnswersDraw(view) {
  const { live, at, parts } = view;
  while (parts.cards.children.length < live.prompts.length) {
    parts.cards.append(node("div", { class: "answer" }));
  }
  live.prompts.forEach((prompt, i) => {
    const card = parts.cards.children[i];
    const html = liveAnswerHtml(view, liveSequence(live, at, prompt));
    if (card.shown === html) return;
    card.shown = html;
    card.innerHTML = html;
    card.className = `answer ${liveSequence(live, at, prompt).state}`;
  });
}

function liveAnswerHtml(view, sequence) {
  const { live, at } = view;
  const { prompt, state, texts, blocks } = sequence;
  const fill = hueOf(live.film, prompt.seq).fill;
  const numPrompt = prompt.pieces.length;
  const inPrompt = [...new Set(blocks.slice(0, Math.ceil(Math.min(numPrompt, sequence.len) / live.size)))];
  const chips = inPrompt.map((block) => liveChipHtml(view, block)).join("");
  const runs = liveRuns(sequence, live.size, numPrompt, numPrompt + texts.length);
  const words = runs.map((run) => liveRunHtml(view, run, fill, state)).join("");
  const caret = state === "running" ? '<span class="caret" aria-hidden="true"></span>' : "";
  const body = texts.length ? words + caret : `<span class="ink2">${esc(liveNothingYet(sequence))}</span>`;
  return (
    `<div class="row question">${chipHtml(live.film, prompt.seq)}<b>${esc(prompt.text)}</b>${chips}` +
    `<span class="facts ink2">${esc(liveFacts(live, at, sequence))}</span></div>` +
    `<div class="words">${body}</div>${liveTableHtml(view, sequence)}`
  );
}

function liveChipHtml(view, block) {
  const touched = liveTouched(view).has(block) ? " touched" : "";
  const lit = view.pointed === block ? " lit" : "";
  return `<span class="bid${touched}${lit}" data-block="${block}">${block}</span>`;
}

function liveRunHtml(view, run, fill, state) {
  const text = esc(run.texts.join("")).replace(/\n+/g, '<span class="ink2"> / </span>');
  if (run.block === null) {
    const kind = state === "running" ? "fresh-word" : state === "finished" ? "done" : "gone";
    return `<span class="${kind}">${text}</span>`;
  }
  const lit = view.pointed === run.block ? " lit" : "";
  return `${liveChipHtml(view, run.block)}<span class="run${lit}" data-block="${run.block}" style="border-color:${fill}">${text}</span>`;
}

function liveNothingYet({ state }) {
  return state === "running" ? "the prompt is being read" : "no word yet";
}

function liveFacts(live, at, sequence) {
  const { state, ended, lost, len, blocks } = sequence;
  if (state === "finished" && ended) {
    const how = ended.why === "cancelled" ? "stopped" : ended.why === "outgrew the pool" ? "outgrew the pool" : "finished";
    return `${how} at step ${ended.step}, gave ${amount(ended.gave, "block")} back`;
  }
  if (state === "preempted") return `preempted at step ${lost.step}: ${amount(lost.blocks, "block")} dropped, to be computed again`;
  if (state === "host") return `preempted at step ${lost.step}: ${amount(lost.blocks, "block")} kept on the host`;
  if (state === "waiting") return at < 0 ? "waits for the first step" : "waits for blocks";
  const empty = blocks.length * live.size - len;
  const last = blocks.at(-1);
  const slots = empty === 1 ? "1 free slot" : `${empty} free slots`;
  return `${amount(len, "token")}, ${empty ? `${slots} left in block ${last}` : `block ${last} is full`}`;
}

function liveTableHtml(view, { blocks, state }) {
  const { live, at } = view;
  if (!blocks.length) {
    return `<div class="row table ink2">block table&ensp;${state === "host" ? "on the host" : "no blocks"}</div>`;
  }
  const touched = liveTouched(view);
  const entries = blocks.map((block) => {
    const classes = `entry${touched.has(block) ? " touched" : ""}${view.pointed === block ? " lit" : ""}`;
    return `<span class="${classes}" data-block="${block}">${block}</span>`;
  });
  const left = live.moments[at].left;
  const used = blocks.filter((block) => left.has(block));
  const note = used.length ? `block ${used.at(-1)} was ${left.get(used.at(-1)).seq}'s until step ${left.get(used.at(-1)).step}` : "";
  return `<div class="row table"><span class="ink2">block table</span>${entries.join("")}<span class="ink2">${esc(note)}</span></div>`;
}

// The blocks that were taken in this step, and those that it copied to.
function liveTouched(view) {
  const frame = view.live.film.frames[view.at];
  if (!frame) return new Set();
  return new Set([...Object.values(frame.taken_by).flat(), ...frame.copies.map(([, target]) => target)]);
}
