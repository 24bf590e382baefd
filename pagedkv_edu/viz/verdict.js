// The view of a check's verdict. It is given a report (report.py, as JSON), the number
// of the attempt and the link of the lesson's heading, and shows them in this order:
// the words, the history with the first wrong step in the only vermillion frame, what
// it leads to, hints, and the way on. Everything works without a kernel.

function renderVerdict({ model, el }) {
  const root = node("div", { class: "pagedkv pkv-verdict", "data-lm-suppress-shortcuts": "true" });
  const draw = () => {
    const seen = {
      report: model.get("report"),
      attempt: model.get("attempt"),
      lessonUrl: model.get("lesson_url"),
    };
    root.replaceChildren(...verdictParts(seen, root));
  };
  model.on?.("change:report", draw);
  model.on?.("change:attempt", draw);
  draw();
  el.append(root);
  return () => closeReplay(root);
}

// On a page of its own: the same view, in the theme that the reader's system asks for.
function showVerdictPage(seen) {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const follow = () => {
    document.body.dataset.jpThemeLight = String(!dark.matches); // as JupyterLab says it
  };
  dark.addEventListener("change", follow);
  follow();
  renderVerdict({ model: { get: (name) => seen[name] }, el: document.getElementById("verdict") });
}

function verdictParts(seen, root) {
  const { report } = seen;
  const history = report.calls.length ? readHistory(report) : null;
  return [
    verdictHeader(report),
    history && historyTable(report, history, root),
    reasonList(report, history),
    hintsPart(seen),
    footer(seen, history, root),
  ].filter(Boolean);
}

// --- the history: each call is a row, yours beside the reference ------------------

// {calls, wrong, sides: [{name, film, length}], draw}; sides is empty without films.
function readHistory(report) {
  const { yours, reference } = report.films;
  const sides = [];
  if (yours) sides.push(readSide("yours", yours));
  if (reference) sides.push(readSide("reference", reference));
  const history = { wrong: report.wrong_call, sides, marks: [], look: null };
  if (sides.length && sides.every((side) => side.extents)) history.look = extentsLook(sides);
  else if (sides.length) history.look = blocksLook(sides);
  history.marks = report.calls.map(() => new Map());
  if (sides.length === 2) history.marks = history.look.differences(...sides, report.calls.length);
  return history;
}

function readSide(name, json) {
  const extents = json.memory === "extents";
  const film = extents ? readExtents(json) : readFilm(json);
  return { name, label: json.name ?? name, extents, film, length: json.frames.length };
}

function historyTable(report, history, root) {
  const { wrong } = history;
  if (isOneCase(report, history)) {
    const frame = node("div", { class: "v-row wrong" }, firstWrongStep(report, "wrong case"));
    return node("section", { class: "v-history one", "aria-label": "What was done" }, frame);
  }
  const table = node("section", { class: "v-history", "aria-label": "What was done" });
  table.classList.toggle("alone", history.sides.length === 0);
  table.style.setProperty("--sides", history.sides.length);
  if (history.look) table.style.setProperty("--state", `${history.look.width}px`);
  table.classList.toggle("live", canReplay(history));
  table.classList.toggle("stacked", Boolean(history.look?.stacked));
  table.append(historyHead(report, history));
  const stop = wrong === null ? report.calls.length : wrong + 1;
  const rows = (from, to) =>
    node(
      "ol",
      { class: "v-rows", start: from + 1 },
      ...report.calls.slice(from, to).map((_, k) => callRow(report, history, from + k, root)),
    );
  table.append(rows(0, stop));
  if (stop < report.calls.length) {
    const after = coded("p", report.go_on, { class: "v-after" });
    after.prepend(node("b", {}, report.go_on ? "what it leads to: " : "what it leads to"));
    table.append(after);
    table.append(rows(stop, report.calls.length));
  }
  return table;
}

// One call of a function: there is no history, and the call stands in the frame.
function isOneCase(report, history) {
  return !history.sides.length && report.calls.length === 1 && report.status === "failed";
}

function historyHead(report, history) {
  const names = history.sides.map((side) => node("span", { class: "v-side" }, node("b", {}, side.label)));
  const note = history.look?.note;
  if (note && names.length) names[0].append(node("small", {}, note));
  return node(
    "div",
    { class: "v-grid v-columns" },
    node("span", { class: "v-what" }, node("b", {}, "what was done"), node("small", {}, report.setting)),
    ...names,
  );
}

function callRow(report, history, i, root) {
  const isWrong = i === history.wrong;
  const after = history.wrong !== null && i > history.wrong;
  const row = node("li", { class: `v-row${isWrong ? " wrong" : ""}${after ? " after" : ""}` });
  const grid = node("div", { class: "v-grid" }, callNumber(report, history, i, root), callText(report, history, i));
  for (const side of history.sides) grid.append(sideCell(history, side, i));
  row.append(grid);
  if (isWrong && report.status === "failed") row.append(firstWrongStep(report));
  if (canReplay(history)) {
    // the pictures do what the number does; the words stay free to be selected
    row.addEventListener("click", (event) => {
      if (event.target.closest(".v-drawn")) openReplay(report, history, root, i);
    });
  }
  return row;
}

function callNumber(report, history, i, root) {
  if (!canReplay(history)) return node("span", { class: "v-number", "aria-hidden": "true" }, i + 1);
  const label = `Call ${i + 1}: open it in the player`;
  return node(
    "button",
    { class: "v-number", type: "button", "aria-label": label, title: label, onclick: () => openReplay(report, history, root, i) },
    i + 1,
  );
}

function callText(report, history, i) {
  const frame = history.sides.find((side) => side.name === "yours")?.film.frames[i];
  const said = frame ? callCaption(frame) : "";
  return node(
    "div",
    { class: "v-call" },
    node("code", { class: "mono" }, report.calls[i]),
    said ? node("small", {}, said) : null,
  );
}

// What the call did, without the call's name, which stands above it already.
function callCaption({ call, headline, error }) {
  if (error) return error;
  if ([call, `${call} returned`].includes(headline)) return "";
  return headline.startsWith(`${call}: `) ? headline.slice(call.length + 2) : headline;
}

function sideCell(history, side, i) {
  const cell = node("div", { class: `v-state ${side.name}` });
  cell.append(node("span", { class: "v-name" }, side.label));
  const frame = side.film.frames[i];
  if (!frame) {
    cell.append(node("p", { class: "v-none" }, "no picture: this call did not come back"));
    return cell;
  }
  const marks = side.name === "yours" ? history.marks[i] : new Map();
  const drawn = history.look.draw(side.film, i, marks, { ring: i === history.wrong });
  cell.append(node("div", { class: "v-drawn" }, ...drawn.parts));
  const told = [...outcome(history, side, i), ...drawn.notes];
  if (told.length) cell.append(node("ul", { class: "v-notes" }, ...told.map((text) => node("li", {}, text))));
  return cell;
}

// What the call gave back, where that differs between the two sides.
function outcome(history, side, i) {
  const frames = history.sides.map((other) => other.film.frames[i]);
  const isCopied = frames.some((frame) => frame?.copies?.length);
  const told = frames.map((frame) => outcomeText(frame, isCopied));
  const differs = told.some((text) => text !== told[0]);
  const own = told[history.sides.indexOf(side)];
  return own && (differs || (i === history.wrong && side.film.frames[i].error)) ? [own] : [];
}

function outcomeText(frame, isCopied) {
  if (!frame) return "";
  if (/^[A-Z]\w*(:|$)/.test(frame.error)) return `raised ${frame.error.split(":")[0]}`;
  if (frame.error) return frame.error;
  if (frame.copies?.length) return frame.copies.map(([from, to]) => `copy ${from} to ${to}`).join(", ");
  return isCopied ? "no copy" : "returned";
}

function firstWrongStep(report, words = report.wrong_words) {
  const parts = [wrongTag(words)];
  const compared = report.compared || (words === "wrong case" ? report.calls[0] : "");
  if (compared) parts.push(node("code", { class: "mono v-compared" }, compared));
  if (report.found_value) {
    const both = Boolean(report.expected_value);
    const isClause = !both || /^(raised|returned|did|is) /.test(report.found_value);
    parts.push(node("span", { class: "v-value" }, isClause ? "" : "found ", node("b", { class: "v-found" }, report.found_value)));
    if (both) parts.push(node("span", { class: "v-value" }, "expected ", node("b", {}, report.expected_value)));
  }
  if (!report.found_value) parts.push(coded("span", report.found));
  return node("div", { class: "v-step" }, ...parts);
}
