// Below and beside the picture: the prediction, the buttons of the player, and the
// buttons that call a manager.

const SPEEDS = [0.5, 1, 2, 4];
const JUMPS = [["copy", "Next copy", "K"], ["preempt", "Next preemption", ""], ["refuse", "Next refusal", ""]];
const ANSWER_WITHIN_MS = 8000;

// --- a prediction ---------------------------------------------------------------------------

function isCovered({ question, verdict }) {
  return question !== null && verdict === null;
}

function giveAnswer(p, value) {
  if (!isCovered(p) || p.waiting) return;
  waitForKernel(p, drawPredict);
  p.options.onAnswer?.(value);
}

// At the stop nothing goes on before the answer: lead there.
function askFirst(p) {
  p.parts.predict.querySelector("button").focus();
  p.say("The next event is covered. Answer first, or choose to play and see.");
}

// Digits are their own keys; other choices are numbered.
function choiceKeys({ choices }) {
  return choices.every((text) => /^\d$/.test(text)) ? choices : choices.map((_, k) => String(k + 1));
}

function drawPredict(p) {
  const { question, verdict, waiting } = p;
  const { predict } = p.parts;
  predict.hidden = question === null;
  if (question === null) return;
  const keys = choiceKeys(question);
  const score = (verdict ?? question).score ?? "";
  predict.innerHTML =
    `<div class="title-row"><span class="title">Predict</span><span class="small">${esc(score)}</span></div>` +
    `<p>${esc(question.text)}</p>`;
  const row = node("div", { class: "choices" });
  question.choices.forEach((text, k) => {
    const mark = verdict && verdict.value === text ? iconHtml(verdict.right ? "right" : "wrong") : "";
    const key = keys[k] === text ? "" : ` <span class="kbd">${keys[k]}</span>`;
    const look = verdict && verdict.answer === text ? "choice is-right" : "choice";
    const button = node("button", { type: "button", class: look, disabled: verdict !== null || waiting, onclick: () => giveAnswer(p, text) });
    button.innerHTML = mark + esc(text) + key;
    row.append(button);
  });
  if (!verdict) {
    const see = question.choices.length ? "or play to see" : "play to see";
    row.append(node("button", { type: "button", class: "see", disabled: waiting, onclick: () => giveAnswer(p, null) }, see));
  }
  predict.append(row, verdict ? verdictLine(question, verdict) : node("div", { class: "small" }, predictHelp(question, keys)));
}

function predictHelp({ kind, choices }, keys) {
  const press = choices.length ? `press ${keys.length > 1 ? `${keys.slice(0, -1).join(", ")} or ${keys.at(-1)}` : keys[0]}` : "";
  if (kind !== "block") return press;
  const other = press ? `; ${press} for ${listed(choices)}` : "";
  return `click a block in the pool, or tab to the pool, choose with the arrow keys and press Enter${other}`;
}

function verdictLine(question, { value, right, answer, sentence }) {
  const named = question.kind === "block" && /^\d+$/.test(answer) ? `block ${answer}` : answer;
  const own = question.kind === "block" && /^\d+$/.test(value ?? "") ? `Not block ${value}. ` : "Not this time. ";
  const text = right ? `Right: ${named}.` : `${value === null ? "" : own}The answer is ${named}.`;
  const line = node("p", { class: "verdict", role: "status" });
  line.innerHTML = `<b>${esc(text)}</b> ${esc(sentence)}`;
  return line;
}

// --- the player's own buttons -----------------------------------------------------------------

function makeBar(p) {
  const { bar } = p.parts;
  p.buttons = {};
  const button = (name, label, onclick, extra = {}) => {
    const element = node("button", { type: "button", class: "btn", onclick, ...extra });
    element.innerHTML = iconHtml(name) + label;
    p.buttons[name] = element;
    return element;
  };
  const speed = node("select", { class: "btn speed", "aria-label": "Speed" });
  for (const times of SPEEDS) speed.append(node("option", { value: times, selected: times === 1 }, `${times}×`));
  speed.addEventListener("change", () => { p.speed = Number(speed.value); });
  const jumps = JUMPS.map(([kind, label, key]) => {
    const hint = key ? ` <span class="kbd">${key}</span>` : "";
    return button(kind, label + hint, (event) => p.jump(kind, event.shiftKey ? -1 : 1));
  });
  bar.replaceChildren(
    button("play", "Play", () => (p.mode === "paused" ? p.play() : p.pause()), { class: "btn primary play" }),
    button("back", "Back", (event) => p.step(-1, event.shiftKey), { title: "one event back; with shift one engine step" }),
    button("step", "Step", (event) => p.step(1, event.shiftKey), { title: "one event; with shift one engine step" }),
    ...jumps,
    speed,
  );
}

function drawBar({ buttons, mode, told }) {
  const label = mode === "playing" ? "Pause" : "Play";
  if (buttons.play.dataset.label !== label) {
    buttons.play.innerHTML = iconHtml(label.toLowerCase()) + label;
    buttons.play.dataset.label = label;
  }
  for (const [kind] of JUMPS) buttons[kind].hidden = !told.kinds.has(kind);
}

// --- buttons that call a manager ------------------------------------------------------------

// For one sequence at a time; each says what it will do. While a question is open they
// are not there: what a call would do is often the answer.
function drawActions(p) {
  const { actions, film } = p;
  const { actionsBar } = p.parts;
  actionsBar.hidden = actions.length === 0 || isCovered(p);
  if (actionsBar.hidden) return;
  const focused = actionsBar.contains(document.activeElement) ? document.activeElement.dataset.name : null;
  const seqs = [...new Set(actions.map(({ seq }) => seq).filter((seq) => seq !== null))];
  const { seq: latest } = film.frames.at(-1);
  if (!seqs.includes(p.actSeq)) p.actSeq = seqs.includes(latest) ? latest : (seqs[0] ?? null);
  actionsBar.replaceChildren(node("span", { class: "small" }, "call the manager"));
  if (seqs.length > 1) actionsBar.append(sequencePicker(p, seqs));
  for (const action of actions.filter(({ seq }) => seq === null || seq === p.actSeq)) {
    const button = node("button", { type: "button", class: "btn", "data-name": action.key.split(" ")[0], "aria-disabled": p.waiting, onclick: () => p.waiting || callManager(p, action.key) });
    button.innerHTML = `${iconHtml(action.kind)}${esc(action.label)} <small>${esc(action.cost)}</small>`;
    actionsBar.append(button);
  }
  if (focused) actionsBar.querySelector(`[data-name="${CSS.escape(focused)}"]`)?.focus();
}

function sequencePicker(p, seqs) {
  const picker = node("span", { class: "picker", role: "group", "aria-label": "Sequence" });
  for (const seq of seqs) {
    const choose = () => {
      p.actSeq = seq;
      drawActions(p);
    };
    const chip = node("button", { type: "button", class: "pick", "data-name": `seq ${seq}`, "aria-pressed": seq === p.actSeq, onclick: choose });
    chip.innerHTML = chipHtml(p.film, seq);
    picker.append(chip);
  }
  return picker;
}

function callManager(p, key) {
  waitForKernel(p, drawActions);
  p.options.onAct?.(key);
}

// No second press before the first is answered; a kernel that is gone is said to be.
function waitForKernel(p, drawButtons) {
  p.waiting = true;
  drawButtons(p);
  clearTimeout(p.waitTimer);
  p.waitTimer = setTimeout(() => {
    if (!p.waiting) return;
    p.waiting = false;
    drawButtons(p);
    p.parts.describe.textContent = "The kernel has not answered. It may be busy with another cell, or not running.";
  }, ANSWER_WITHIN_MS);
}
