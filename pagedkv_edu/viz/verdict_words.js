// The words of a verdict: the status, the reasons, and text in which code looks like code.

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
  const words = report.wrong_words[0].toUpperCase() + report.wrong_words.slice(1);
  return `${words}: call ${report.wrong_call + 1}, ${call}.${values}`;
}

function triedText(report) {
  if (report.num_tried < 2 || report.status !== "failed") return null;
  const [passed, tried] = [report.num_passed, report.num_tried].map(withCommas);
  if (report.counted) return node("p", { class: "v-tried" }, `${passed} of ${tried} ${report.counted}`);
  const isHistory = Boolean(report.films.yours);
  const noun = isHistory ? "histories" : "cases";
  const lines = [`${passed} of ${tried} ${noun} pass`];
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
