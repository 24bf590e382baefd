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

// --- the words --------------------------------------------------------------------

const STATUS = {
  passed: { icon: "right", words: "passed" },
  failed: { icon: "wrong", words: "not right yet" },
  waiting: { icon: "next", words: "your turn" },
};

function verdictHeader(report) {
  const { icon, words } = STATUS[report.status];
  const mark = node("span", { class: "v-mark", "aria-hidden": "true" });
  mark.innerHTML = iconHtml(icon, 15);
  const header = node(
    "header",
    { class: `v-head ${report.status}`, role: "status", "aria-atomic": "true" },
    mark,
    node(
      "div",
      { class: "v-words" },
      node("h3", { class: "v-title" }, `${report.exercise_id}  ${words}`),
      coded("p", asSentence(report.title)),
    ),
    triedText(report),
  );
  // A screen reader speaks what is added to a status, not what it was born with.
  const spoken = firstWrongSpoken(report);
  if (spoken) setTimeout(() => header.append(node("p", { class: "spoken" }, spoken)), 60);
  return header;
}

// "after x" -> "After x."; a name at the beginning, as in "fork is not written", stays.
function asSentence(text) {
  const begun = text.replace(/^(after|an?|blocks?|no|the) (?!=)/, (word) => word[0].toUpperCase() + word.slice(1));
  return /[.?:]$/.test(begun) ? begun : `${begun}.`;
}

function firstWrongSpoken(report) {
  if (report.wrong_call === null) return "";
  const { compared, found_value: found, expected_value: expected } = report;
  const values = !found ? "" : expected ? ` ${compared}: found ${found}, expected ${expected}.` : ` It ${found}.`;
  const call = report.calls[report.wrong_call];
  return `First wrong step: call ${report.wrong_call + 1}, ${call}.${values}`;
}

function triedText(report) {
  if (report.num_tried < 2 || report.status !== "failed") return null;
  const isHistory = Boolean(report.films.yours);
  const noun = isHistory ? "histories" : "cases";
  const lines = [`${withCommas(report.num_passed)} of ${withCommas(report.num_tried)} ${noun} pass`];
  if (isHistory && report.wrong_call !== null) {
    lines.push(`shortest one that fails: ${amount(report.wrong_call + 1, "call")}`);
  }
  return node("p", { class: "v-tried" }, ...lines.flatMap((line) => [line, node("br")]).slice(0, -1));
}

// Expected, Found, Go on, Nearby. What follows the wrong call in the table has its
// "Go on" there, so it is not said twice.
function reasonList(report, history) {
  const goesOn = history !== null && history.wrong !== null && history.wrong + 1 < report.calls.length;
  const rows = [
    ["Expected", report.expected],
    ["Found", saidInStep(report) ? "" : report.found],
    [report.status === "failed" ? "Go on" : "Next", goesOn ? "" : report.go_on],
    ["Nearby", report.nearby],
  ].filter(([, text]) => text);
  if (!rows.length) return null;
  const words = wordsNote(report);
  if (words) rows.push(["", words]);
  return node("dl", { class: "v-reasons" }, ...rows.flatMap(([name, text]) => [node("dt", {}, name), coded("dd", text, name ? {} : { class: "ink2" })]));
}

// Says how words are written, where a sentence quotes what attention reads.
function wordsNote(report) {
  const quoted = [report.title, report.found, report.expected, report.go_on].join(" ").match(/"(?:[A-Z]\d+|·)(?: (?:[A-Z]\d+|·))*"/g);
  if (!quoted) return "";
  const unwritten = quoted.some((words) => words.includes("·")) ? "; · is a slot that nobody wrote" : "";
  return `A1 stands for what A wrote at position 1${unwritten}.`;
}

// Whether the first wrong step says all that was found: in a sentence, where there are
// no two values to set side by side, or because the sentence is the value.
function saidInStep({ status, wrong_call: wrong, found_value: value, found }) {
  return status === "failed" && wrong !== null && (!value || found.replace(/\.$/, "") === value);
}

// Text in which calls, snake_case names, a line of the learner's and what stands in
// backticks look like code, and *this* is stressed.
const CODED = new RegExp(
  [
    /`(?<ticked>[^`]+)`/,
    /(?<![\w)])\*(?<stressed>[^*\s][^*]*)\*(?!\w)/,
    /(?<=in line \d+, ")(?<line>.+)(?="\.)/,
    /(?<call>(?:\b[A-Za-z]\w* = )?\b[A-Za-z_][\w.]*\((?:[^()]|\([^()]*\))*\))/,
    /(?<name>\b[a-z]+(?:_[a-z]+)+\b)/,
  ].map((part) => part.source).join("|"),
  "g",
);

function coded(tag, text, attributes = {}) {
  const element = node(tag, attributes);
  let from = 0;
  for (const match of text.matchAll(CODED)) {
    element.append(text.slice(from, match.index));
    const { ticked, stressed, line, call, name } = match.groups;
    element.append(stressed ? node("em", {}, stressed) : node("code", { class: "mono" }, ticked ?? line ?? call ?? name));
    from = match.index + match[0].length;
  }
  element.append(text.slice(from));
  return element;
}

// --- the history: each call is a row, yours beside the reference -------------------

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
  return { name, extents, film: extents ? readExtents(json) : readFilm(json), length: json.frames.length };
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
  const names = history.sides.map((side) => node("span", { class: "v-side" }, node("b", {}, side.name)));
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
  cell.append(node("span", { class: "v-name" }, side.name));
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
  if (frame.error) return `raised ${frame.error.split(":")[0]}`;
  if (frame.copies?.length) return frame.copies.map(([from, to]) => `copy ${from} to ${to}`).join(", ");
  return isCopied ? "no copy" : "returned";
}

function firstWrongStep(report, words = "first wrong step") {
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

// --- blocks -----------------------------------------------------------------------

// How a history over blocks is drawn: which blocks (only those that some call touches,
// and free ones up to four), how large, and how wide the column is.
const LEAST_STATE = 290;
const MOST_STATE = 376; // two of them leave room for the calls

function blocksLook(sides) {
  const { shown, numBlocks } = shownBlocks(sides);
  const few = shown.length <= 8;
  const perLine = few ? Math.min(4, shown.length) : shown.length <= 24 ? 8 : 12;
  const [size, gap] = few ? [40, 8] : shown.length <= 24 ? [28, 9] : [18, 4];
  const poolWidth = perLine * (size + gap) + 6;
  const longest = Math.max(1, ...sides.map((side) => longestTable(side)));
  const tables = sides.some((side) => side.film.hasTables) ? 70 + Math.min(longest, 4) * 27 : 0;
  const beside = 14 + poolWidth + tables + 62;
  const stacked = beside > MOST_STATE;
  const stackedWidth = 14 + Math.max(poolWidth + 78, Math.min(tables, 330));
  return {
    width: Math.max(LEAST_STATE, Math.min(MOST_STATE, stacked ? stackedWidth : beside)),
    stacked,
    note: blocksNote(shown, numBlocks),
    differences: blockDifferences,
    draw: (film, i, marks, { ring }) => drawBlocks(film, i, marks, { shown, perLine, size, gap, ring }),
  };
}

function shownBlocks(sides) {
  const numBlocks = Math.max(...sides.map((side) => side.film.numBlocks));
  const touched = new Set();
  for (const { film } of sides) {
    film.frames.forEach((frame, i) => {
      const { state, owners } = factsAt(film, i);
      state.counts.forEach((count, block) => count && touched.add(block));
      for (const block of owners.keys()) touched.add(block);
      for (const block of [...(frame.taken ?? []), ...(frame.freed ?? [])]) touched.add(block);
    });
  }
  for (let block = 0; block < numBlocks && touched.size < 4; block += 1) touched.add(block);
  const shown = [...touched].filter((block) => block >= 0 && block < numBlocks);
  return { shown: shown.sort((a, b) => a - b), numBlocks };
}

function blocksNote(shown, numBlocks) {
  const rest = numBlocks - shown.length;
  if (!rest) return "";
  return rest === 1 ? "1 more block, always free" : `${rest} more blocks, always free`;
}

function longestTable({ film }) {
  let longest = 0;
  film.frames.forEach((_, i) => {
    for (const table of stateAt(film, i).tables.values()) longest = Math.max(longest, table.blocks.length);
  });
  return longest;
}

// For each call a Map: block -> "block", `${seq}.${k}` -> an entry, `${seq}` -> its
// length, "free" -> the number of free blocks; present where yours differs. Blocks are
// compared up to renaming: a block keeps its counterpart for as long as it is held.
function blockDifferences(yours, reference, numCalls) {
  const counterpart = new Map();
  return Array.from({ length: numCalls }, (_, i) => {
    const marks = new Map();
    if (!yours.film.frames[i] || !reference.film.frames[i]) return marks;
    const mine = factsAt(yours.film, i);
    const wanted = factsAt(reference.film, i);
    const given = [...counterpart].filter(([block]) => !mine.state.counts[block] && !mine.owners.has(block));
    given.forEach(([block]) => counterpart.delete(block));
    for (const [seq, table] of mine.state.tables) compareTable(marks, counterpart, seq, table, wanted.state.tables.get(seq));
    pairOwnerless(counterpart, yours.film, mine, wanted);
    for (const [block, other] of given) {
      const isMissed = wanted.state.counts[other] && ![...counterpart.values()].includes(other);
      if (isMissed) marks.set(block, "block"); // given back too early
    }
    for (let block = 0; block < yours.film.numBlocks; block += 1) {
      const count = mine.state.counts[block];
      const inTables = mine.owners.get(block)?.length ?? 0;
      const other = counterpart.get(block);
      const known = other === undefined ? 0 : wanted.state.counts[other];
      if (marks.has(block)) continue;
      if (count !== known || (yours.film.hasTables && count !== inTables)) marks.set(block, "block");
    }
    if (yours.film.frames[i].num_free !== reference.film.frames[i].num_free) marks.set("free", true);
    return marks;
  });
}

function compareTable(marks, counterpart, seq, table, wanted) {
  if (!wanted) {
    marks.set(seq, true);
    return;
  }
  if (table.len !== wanted.len) marks.set(seq, true);
  const taken = new Set(counterpart.values());
  table.blocks.forEach((block, k) => {
    const other = wanted.blocks[k];
    if (!counterpart.has(block) && other !== undefined && !taken.has(other)) {
      counterpart.set(block, other);
      taken.add(other);
    }
    if (counterpart.get(block) !== other || other === undefined) marks.set(`${seq}.${k}`, true);
  });
}

// A pool by itself has no tables to compare; there the ids of held blocks are paired in
// the order in which they were taken.
function pairOwnerless(counterpart, film, mine, wanted) {
  if (film.hasTables) return;
  const held = (facts) => [...facts.state.counts.keys()].filter((block) => facts.state.counts[block]);
  const open = held(wanted).filter((block) => ![...counterpart.values()].includes(block));
  for (const block of held(mine)) {
    if (counterpart.has(block) || !open.length) continue;
    const same = open.indexOf(block);
    counterpart.set(block, open.splice(Math.max(0, same), 1)[0]);
  }
}

function drawBlocks(film, i, marks, look) {
  const facts = factsAt(film, i);
  const frame = film.frames[i];
  const parts = [poolSvg(film, facts, marks, look)];
  if (film.hasTables) parts.push(tablesHtml(film, facts, frame, marks));
  parts.push(freeHtml(frame.num_free, marks.has("free")));
  return { parts, notes: newNotes(i, (k) => stateNotes(film, k)) };
}

function poolSvg(film, facts, marks, { shown, perLine, size, gap, ring }) {
  const numLines = Math.ceil(shown.length / perLine);
  const pitch = size + gap;
  const top = size >= 28 ? 11 : 3;
  const label = shown.map((block) => blockSpoken(film, facts, block)).filter(Boolean).join("; ");
  const svg = newSvg(perLine * pitch + 6, numLines * pitch + top - gap + 4, label || "all blocks free");
  const paint = paintBox(svg);
  const cells = shown.map((block, k) => ({
    ...cellOf(film, facts, block),
    x: 4 + (k % perLine) * pitch,
    y: top + Math.floor(k / perLine) * pitch,
    size,
    ring: ring && marks.has(block) ? "wrong" : "",
    isWrong: marks.has(block),
  }));
  // badges last: the ring of a neighbour must not cover a count
  svg.body.innerHTML =
    cells.map((cell) => cellSvg(paint, { ...cell, letters: size < 36 && cell.owners.length < 2 }) + ownersSvg(cell)).join("") +
    cells.map((cell) => (film.hasTables ? cornerBadge(cell) : "")).join("");
  return svg;
}

// The owners' letters in a large cell. How full the block is shows in its level, and
// the length stands beside the table, so there is no "1/4" here.
function ownersSvg({ x, y, size, owners, filled, low, slots, state }) {
  if (size < 36 || !owners.length || state !== "held") return "";
  const isFull = !slots || (filled >= slots && low >= slots);
  const onHue = isFull && owners.length === 1;
  const look = onHue ? { fill: owners[0].hue.text } : HALO;
  const hasPlate = isFull && !onHue; // stripes from top to bottom: no halo is enough
  const plate = hasPlate ? rectSvg(x + 2, y + size / 2 - 7.5, size - 4, 15, { rx: 3, fill: "var(--paper)", opacity: 0.92 }) : "";
  return plate + textSvg(x + size / 2, y + size / 2 + 4, ownersLabel(owners, size - 6, 11.5), {
    "font-size": 11.5, "font-weight": 700, "text-anchor": "middle", ...look,
  });
}

function cornerBadge({ x, y, size, count, isWrong, wrongCount }) {
  if (size < 28 || !count) return "";
  return badgeSvg(x + size - 1, y + 1, count, { radius: size >= 40 ? 9 : 7.5, loss: isWrong || wrongCount });
}

function blockSpoken(film, facts, block) {
  const owners = facts.owners.get(block) ?? [];
  const count = facts.state.counts[block];
  if (!count && !owners.length) return "";
  const slots = film.blockSize && owners.length ? `, ${facts.filled.get(block)} of ${film.blockSize} slots` : "";
  const who = owners.length ? listed(owners) : film.hasTables ? "in no table" : "held";
  return `block ${block}: ${who}${slots}, ref_count ${count}`;
}

const MOST_TABLES = 4;

function tablesHtml(film, facts, frame, marks) {
  const list = node("ul", { class: "v-tables", "aria-label": "tables" });
  const { tables } = facts.state;
  const told = toldTables(tables, frame, marks);
  for (const seq of told) list.append(tableLine(film, seq, tables.get(seq), marks));
  const rest = tables.size - told.length;
  if (rest) list.append(node("li", { class: "v-len" }, `and ${amount(rest, "more table")}`));
  if (!tables.size) list.append(node("li", { class: "v-len" }, "no tables"));
  return list;
}

// Where there are many tables: the one that acts, those that are wrong, the newest.
function toldTables(tables, frame, marks) {
  const all = [...tables.keys()];
  if (all.length <= MOST_TABLES) return all;
  const isTold = (seq) => [frame.seq, frame.parent].includes(seq) || [...marks.keys()].some((key) => key === seq || String(key).startsWith(`${seq}.`));
  const first = all.filter(isTold).slice(0, MOST_TABLES);
  const others = all.filter((seq) => !first.includes(seq)).slice(first.length - MOST_TABLES);
  const told = new Set(first.length < MOST_TABLES ? [...first, ...others] : first);
  return all.filter((seq) => told.has(seq));
}

function tableLine(film, seq, table, marks) {
  const line = node("li", { title: `${seq}: ${table.blocks.join(", ")}` });
  line.innerHTML = chipHtml(film, seq);
  const cut = table.blocks.length > 4 ? table.blocks.length - 2 : 0;
  table.blocks.forEach((block, k) => {
    if (k > 0 && k < cut) {
      if (k === 1) line.append(node("span", { class: "v-len" }, "…"));
      return;
    }
    const isWrong = marks.has(`${seq}.${k}`);
    line.append(node("span", { class: `v-entry${isWrong ? " wrong" : ""}` }, block));
  });
  line.append(node("span", { class: `v-len${marks.has(seq) ? " wrong" : ""}` }, `${table.len} tok`));
  return line;
}

function freeHtml(numFree, isWrong) {
  const free = node("span", { class: `v-free${isWrong ? " wrong" : ""}` });
  free.innerHTML = isWrong ? iconHtml("wrong", 10) : "";
  free.append(`${numFree} free`);
  return free;
}

// What is wrong with this state and was not wrong after the call before.
function newNotes(i, notesAt) {
  const before = new Set(i > 0 ? notesAt(i - 1) : []);
  return notesAt(i).filter((note) => !before.has(note));
}

function stateNotes(film, i) {
  const facts = factsAt(film, i);
  const notes = [];
  for (const [seq, told] of facts.notes) notes.push(...told.map((note) => `${seq}: ${note}`));
  for (let block = 0; film.hasTables && block < film.numBlocks; block += 1) {
    const count = facts.state.counts[block];
    const inTables = facts.owners.get(block)?.length ?? 0;
    if (count && !inTables) notes.push(`block ${block} is held by nobody`);
    else if (count && count !== inTables) {
      notes.push(`block ${block}: in ${amount(inTables, "table")}, ref_count ${count}`);
    }
  }
  return notes;
}

// --- extents (the contiguous cache) -----------------------------------------------

function readExtents(json) {
  const film = { numSlots: json.num_slots, frames: json.frames, hueBySeq: new Map(), live: [] };
  for (const frame of json.frames) {
    const present = frame.state.extents.map((extent) => String(extent.seq));
    film.live = film.live.filter((seq) => present.includes(seq));
    for (const seq of present) {
      if (film.live.includes(seq)) continue;
      if (!film.hueBySeq.has(seq)) film.hueBySeq.set(seq, nextHue(film));
      film.live.push(seq);
    }
  }
  return film;
}

const STRIP_WIDTH = 262;

function extentsLook() {
  return {
    width: STRIP_WIDTH + 112,
    note: "",
    differences: extentDifferences,
    draw: (film, i, marks, { ring }) => drawExtents(film, i, marks, ring),
  };
}

function extentDifferences(yours, reference, numCalls) {
  return Array.from({ length: numCalls }, (_, i) => {
    const marks = new Map();
    if (!yours.film.frames[i] || !reference.film.frames[i]) return marks;
    const namesOf = (film) => [...film.frames[i].state.extents, ...holesOf(film, i)].map(extentName);
    const wanted = new Set(namesOf(reference.film));
    for (const name of namesOf(yours.film)) if (!wanted.has(name)) marks.set(name, true);
    const free = (film) => holesOf(film, i).reduce((sum, hole) => sum + hole.length, 0);
    if (free(yours.film) !== free(reference.film)) marks.set("free", true);
    return marks;
  });
}

// "a 0+6", or "hole 6+4" for a hole, which has no sequence.
function extentName({ start, length, seq = "hole" }) {
  return `${seq} ${start}+${length}`;
}

// The holes that the allocator says it has; where it was not asked, what is not held.
function holesOf(film, i) {
  return film.frames[i].state.holes ?? notHeld(film, film.frames[i].state.extents);
}

// The stretches that none of these parts covers.
function notHeld(film, parts) {
  const open = [];
  let from = 0;
  const sorted = [...parts].sort((a, b) => a.start - b.start);
  for (const { start, length } of [...sorted, { start: film.numSlots, length: 0 }]) {
    if (start > from) open.push({ start: from, length: start - from });
    from = Math.max(from, start + length);
  }
  return open;
}

function drawExtents(film, i, marks, ring) {
  const { extents } = film.frames[i].state;
  const holes = holesOf(film, i);
  const spoken = [
    ...extents.map(({ start, length, used, seq }) => `${seq}: slots ${start} to ${start + length - 1}, ${used} used`),
    ...holes.map(({ start, length }) => `hole of ${length} at ${start}`),
  ];
  const svg = newSvg(STRIP_WIDTH, 44, spoken.join("; "));
  const paint = paintBox(svg);
  const scale = (STRIP_WIDTH - 8) / film.numSlots;
  // holes follow from what is held, so they are marked where nothing held is wrong
  const marked = (parts) => (ring ? parts.filter((part) => marks.has(extentName(part))) : []);
  const wrong = marked(extents).length ? marked(extents) : marked(holes);
  svg.body.innerHTML =
    rectSvg(4, 8, STRIP_WIDTH - 8, 28, { fill: "none", stroke: "var(--line2)", "stroke-dasharray": "2.5 2.5" }) +
    holes.map((hole) => holeSvg(paint, hole, scale)).join("") +
    extents.map((extent) => extentSvg(film, extent, scale)).join("") +
    wrong.map((part) => wrongSvg(part, scale)).join("");
  const free = holes.reduce((sum, hole) => sum + hole.length, 0);
  const counted = freeHtml(free, marks.has("free"));
  if (holes.length > 1) {
    counted.append(node("small", {}, `largest hole ${Math.max(...holes.map((hole) => hole.length))}`));
  }
  return { parts: [svg, counted], notes: newNotes(i, (k) => extentNotes(film, k)) };
}

// Beside each other two of these must stay two, so they leave a gap.
function wrongSvg({ start, length }, scale) {
  return rectSvg(5.5 + start * scale, 5, length * scale - 3, 34, { rx: 5, fill: "none", stroke: "var(--loss)", "stroke-width": 2.6 });
}

function holeSvg(paint, { start, length }, scale) {
  const [x, width] = [4 + start * scale, length * scale];
  const label = String(length);
  const plate = textWidth(label, 11) + 6;
  let out = rectSvg(x, 8, width, 28, { fill: paint.hatch(), stroke: "var(--line2)" });
  if (plate < width) {
    out += rectSvg(x + width / 2 - plate / 2, 15, plate, 14, { rx: 3, fill: "var(--paper)" });
    out += textSvg(x + width / 2, 26, label, { "text-anchor": "middle", fill: "var(--ink2)" });
  }
  return out;
}

function extentSvg(film, extent, scale) {
  const { start, length, used, seq } = extent;
  const hue = seq === null ? { fill: "var(--paper3)", text: "var(--ink)", isLight: true } : hueOf(film, seq);
  const [x, width] = [4 + start * scale, length * scale];
  let out = rectSvg(x, 8, width, 28, { fill: "var(--paper)" });
  out += rectSvg(x, 8, used * scale, 28, { fill: hue.fill });
  const edge = hue.isLight ? "var(--ink)" : hue.fill;
  out += rectSvg(x + 0.75, 8.75, width - 1.5, 26.5, { fill: "none", stroke: edge, "stroke-width": 1.5, "stroke-dasharray": used < length ? "4 3" : null });
  if (seq !== null && width > 14) {
    const label = shortened(seq, width - 4, 12);
    const fits = textWidth(label, 12) + 4 <= used * scale;
    const middle = fits ? x + (used * scale) / 2 : x + width / 2;
    out += textSvg(middle, 26.5, label, { "font-size": 12, "font-weight": 700, "text-anchor": "middle", fill: fits ? hue.text : "var(--ink)", ...(fits ? {} : HALO) });
  }
  return out;
}

// What is wrong by itself: slots held twice, in a hole and held, or neither, and two
// holes that should be one.
function extentNotes(film, i) {
  const { extents, holes } = film.frames[i].state;
  const parts = [...extents, ...(holes ?? [])].sort((a, b) => a.start - b.start);
  const name = (part) => part.seq ?? "a hole";
  const notes = [];
  parts.slice(1).forEach((part, k) => {
    const before = parts[k];
    const end = before.start + before.length;
    if (part.start < end) notes.push(`slot ${part.start}: in ${name(before)} and in ${name(part)}`);
    else if (part.start === end && !part.seq && !before.seq) notes.push(`two holes meet at slot ${end}`);
  });
  if (holes) {
    for (const { start, length } of holes) {
      if (length < 1) notes.push(`a hole of ${length} slots at ${start}`);
    }
    for (const { start, length } of notHeld(film, parts)) {
      const slots = length > 1 ? `slots ${start} to ${start + length - 1} are` : `slot ${start} is`;
      notes.push(`${slots} in no hole and held by nobody`);
    }
  }
  return notes;
}

// --- hints ------------------------------------------------------------------------

const LAYERS = ["A question to ask yourself", "The idea", "Almost code"];

function hintsPart({ report, attempt }) {
  if (report.status === "passed" || !report.hints.length) return null;
  const [first, ...others] = report.hints;
  const part = node("section", { class: "v-hints", "aria-label": "Hints" });
  part.append(hintGroup(first, attempt, node("h4", {}, "Hints")));
  if (others.length) {
    const more = node("details", { class: "v-others" }, node("summary", {}, `Not what you see? ${amount(others.length, "other symptom")}`));
    more.append(...others.map((hint) => hintGroup(hint, attempt)));
    part.append(more);
  }
  return part;
}

// A hint's layers, one under the other: each opens after the one before it, and the
// last one only after one more attempt.
function hintGroup(hint, attempt, head = null) {
  const symptom = coded("span", `“${hint.title}”`, { class: "v-symptom" });
  const group = node("div", { class: "v-hint" }, node("div", { class: "v-hint-head" }, head, symptom));
  const places = hint.layers.map(() => group.appendChild(node("div")));
  const open = (k) => {
    if (k >= places.length) return;
    const early = k === places.length - 1 && k > 0 && attempt < 2;
    const show = () => places[k].replaceChildren(hintLayer(hint, k, () => open(k + 1)));
    if (early) places[k].replaceChildren(lockedLayer(hint, k, "opens after one more attempt"));
    else show();
  };
  places.forEach((place, k) => place.append(lockedLayer(hint, k, k === places.length - 1 && attempt < 2 ? "opens after one more attempt" : `open ${k} first`)));
  open(0);
  return group;
}

function layerName(hint, k) {
  return hint.layers.length === LAYERS.length ? LAYERS[k] : `Layer ${k + 1}`;
}

function hintLayer(hint, k, onOpen) {
  const layer = node("details", { class: "v-layer" });
  const summary = node("summary");
  summary.innerHTML = iconHtml("next", 11);
  summary.append(node("b", {}, k + 1), layerName(hint, k));
  layer.append(summary, coded("p", hint.layers[k]));
  layer.addEventListener("toggle", () => layer.open && onOpen(), { once: true });
  return layer;
}

const LOCK = '<svg width="12" height="12" viewBox="0 0 16 16" aria-hidden="true"><path d="M3.5 7.5h9v6.5h-9zM5.3 7.5V5a2.7 2.7 0 0 1 5.4 0v2.5" fill="none" stroke="currentColor" stroke-width="1.6"/></svg>';

function lockedLayer(hint, k, why) {
  const layer = node("div", { class: "v-layer locked" });
  layer.innerHTML = LOCK;
  layer.append(node("b", {}, k + 1), layerName(hint, k), node("small", {}, why));
  return layer;
}

// --- the way on -------------------------------------------------------------------

function footer(seen, history, root) {
  const { report, lessonUrl } = seen;
  const parts = [];
  if (canReplay(history)) parts.push(replayButton(report, history, root));
  if (report.as_test) parts.push(...copyButton(report));
  if (report.reread) parts.push(rereadLink(report.reread, lessonUrl));
  return parts.length ? node("footer", { class: "v-foot" }, ...parts) : null;
}

function replayButton(report, history, root) {
  const button = node("button", {
    class: "btn primary v-replay",
    type: "button",
    "aria-expanded": "false",
    onclick: () => {
      if (button.getAttribute("aria-expanded") === "true") closeReplay(root);
      else openReplay(report, history, root, history.wrong ?? 0);
    },
  });
  button.innerHTML = iconHtml("play");
  const num = report.calls.length;
  button.append(num === 1 ? "Replay this call in the player" : `Replay these ${num} calls in the player`);
  return button;
}

// Copies, says so, and where the browser does not allow it shows the text, selected.
function copyButton({ as_test: text, calls }) {
  const told = node("span", { class: "v-told", role: "status" });
  const shown = node("pre", { class: "mono v-test", tabindex: "0", hidden: true }, text);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      told.textContent = "Copied. Paste it into a cell or a test file.";
    } catch {
      shown.hidden = false;
      window.getSelection().selectAllChildren(shown);
      shown.focus();
      told.textContent = "The browser did not copy. The text is selected: copy it by hand.";
    }
  };
  const button = node("button", { class: "btn v-copy", type: "button", onclick: copy }, calls.length > 1 ? "Copy them as a test" : "Copy it as a test");
  return [button, told, shown];
}

// In JupyterLab the hidden text output beside this view holds the same link, resolved
// for the notebook's folder; a click here is passed on to it.
function rereadLink(reread, url) {
  const words = `Reread: ${reread}`;
  if (!url) return node("span", { class: "v-reread" }, words);
  const follow = (event) => {
    const area = event.currentTarget.closest(".jp-OutputArea");
    const resolved = area?.querySelector(".pagedkv-verdict-text a");
    if (!resolved) return;
    event.preventDefault();
    followInLab(resolved);
  };
  return node("a", { class: "v-reread", href: url, onclick: follow }, words);
}

// JupyterLab 4 opens a notebook at its top and finds a heading only in one that is open
// already; so a notebook that had to be opened is asked for the heading once more.
function followInLab(link) {
  const numOpen = () => document.querySelectorAll(".jp-NotebookPanel").length;
  const before = numOpen();
  link.click();
  let looks = 0;
  const look = setInterval(() => {
    looks += 1;
    if (numOpen() > before) setTimeout(() => link.click(), 1000);
    if (numOpen() > before || looks === 20) clearInterval(look);
  }, 250);
}

// --- the replay -------------------------------------------------------------------

// Two players, yours and the reference, that go through the calls together. Strips of
// extents are their own replay: the player shows blocks.
function canReplay(history) {
  return Boolean(history?.sides.length) && !history.sides.some((side) => side.extents);
}

// Open the players, or let them go on, paused at call i.
function openReplay(report, history, root, i) {
  const open = root.querySelector(".v-replays");
  if (open) open.seekAll(i);
  else replayPart(report, history, i, root);
  root.querySelector(".v-replay").setAttribute("aria-expanded", "true");
  const part = root.querySelector(".v-replays");
  part.querySelector(".player").focus({ preventScroll: true });
  part.scrollIntoView({ block: "nearest", behavior: "auto" });
}

function closeReplay(root) {
  const part = root.querySelector(".v-replays");
  if (!part) return;
  part.destroyAll();
  part.remove();
  root.querySelector(".v-replay")?.setAttribute("aria-expanded", "false");
}

function replayPart(report, history, start, root) {
  const part = node("section", { class: "v-replays", "aria-label": "Replay, yours and the reference" });
  const over = "This call did not come back. Below is what was before it.";
  const places = history.sides.map((side) =>
    node("div", { class: `v-player ${side.name}` }, node("h4", {}, side.name), node("p", { class: "v-over" }, over)),
  );
  const longest = history.sides.reduce((most, side, k) => (side.length > history.sides[most].length ? k : most), 0);
  const bar = replayBar(report, history, root, () => players[longest]);
  part.append(bar.root, node("div", { class: "v-players" }, ...places));
  root.append(part); // a player measures its place when it is made
  const tell = (i, playing) => {
    bar.tell(i, playing);
    markOpenRow(root, i);
    history.sides.forEach((side, k) => places[k].classList.toggle("over", i >= side.length));
  };
  const follow = followers(() => players, tell);
  let players = null;
  players = history.sides.map((side, k) => {
    const place = places[k].appendChild(node("div"));
    const player = createPlayer(place, {
      film: report.films[side.name],
      startAt: Math.min(start, side.length - 1),
      onIndex: (i, playing) => follow(k, i, playing),
    });
    place.setAttribute("aria-label", `${side.name}. ${place.getAttribute("aria-label")}`);
    return player;
  });
  part.seekAll = (i) => {
    players[longest].pause();
    players[longest].seek(i);
  };
  part.destroyAll = () => {
    players.forEach((player) => player.destroy());
    markOpenRow(root, -1);
  };
  tell(start, false);
  return part;
}

// Whichever player moves, the others go to the same call and the same beat of a copy.
function followers(players, tell) {
  let isFollowing = false;
  return (leader, i, playing) => {
    if (isFollowing || !players()) return;
    isFollowing = true;
    const { beat } = players()[leader];
    players().forEach((player, k) => {
      if (k === leader) return;
      player.pause();
      const ownBeat = i < player.film.frames.length && numBeats(player.film, i) && beat ? beat : null;
      player.seek(i, ownBeat, playing);
    });
    tell(i, playing);
    isFollowing = false;
  };
}

// The buttons of both players. The rows of the history are their track.
function replayBar(report, history, root, first) {
  const numCalls = report.calls.length;
  const play = node("button", { class: "btn primary v-play", type: "button", onclick: () => (first().mode === "paused" ? first().play() : first().pause(), tellMode(first().mode !== "paused")) });
  const button = (name, label, onclick) => {
    const made = node("button", { class: "btn", type: "button", onclick });
    made.innerHTML = iconHtml(name);
    made.append(label);
    return made;
  };
  const where = node("span", { class: "v-where" });
  const close = () => {
    closeReplay(root);
    root.querySelector(".v-replay").focus();
  };
  const tellMode = (playing) => {
    play.innerHTML = iconHtml(playing ? "pause" : "play");
    play.append(playing ? "Pause" : "Play");
  };
  const tell = (i, playing) => {
    tellMode(playing && i < numCalls - 1);
    where.replaceChildren(`call ${i + 1} of ${numCalls} `, node("code", { class: "mono" }, report.calls[i]));
    if (i === history.wrong) where.append(wrongTag());
  };
  const bar = node(
    "div",
    { class: "v-bar" },
    play,
    button("back", "Back", () => first().step(-1)),
    button("step", "Step", () => first().step(1)),
    where,
    node("button", { class: "btn v-close", type: "button", onclick: close }, "Close the replay"),
  );
  return { root: bar, tell };
}

function wrongTag(words = "first wrong step") {
  const tag = node("b", { class: "v-tag" });
  tag.innerHTML = `${iconHtml("wrong", 12)} ${words}`;
  return tag;
}

function markOpenRow(root, i) {
  root.querySelectorAll(".v-row").forEach((row, k) => {
    row.classList.toggle("open", k === i);
    if (k === i) row.setAttribute("aria-current", "step");
    else row.removeAttribute("aria-current");
  });
}
