// The tree of answers: time runs to the right, one word a column; what every live
// sequence has written ends at its letter, and its block table follows.

const BEAM_COLUMN = 66;
const BEAM_ROW = 40;
const BEAM_ROW_DEAD = 22;
const BEAM_DEAD_FOR = 2; // steps that a pruned branch stays on the page

// {nodes: by id, kids: id -> ids, leaves: [[seq, id]], depth: id -> words after the prompt,
//  died: id -> index of the event that pruned it, or undefined}
function beamTree(picture, at) {
  const nodes = picture.nodes.filter((n) => n.born <= at || n.node_id === 0);
  const tree = { nodes: new Map(), kids: new Map(), depth: new Map(), died: new Map() };
  for (const n of nodes) {
    tree.nodes.set(n.node_id, n);
    tree.kids.set(n.node_id, []);
    tree.depth.set(n.node_id, n.parent_id === null ? 0 : tree.depth.get(n.parent_id) + 1);
    if (n.parent_id !== null) tree.kids.get(n.parent_id).push(n.node_id);
  }
  tree.leaves = Object.entries(picture.moments[at].leaf_by_seq);
  const alive = beamAlive(tree, tree.leaves);
  for (const id of tree.nodes.keys()) {
    if (!alive.has(id)) tree.died.set(id, beamDeath(picture, tree, id, at));
  }
  return tree;
}

function beamAlive(tree, leaves) {
  const alive = new Set([0]);
  for (const [, leaf] of leaves) {
    for (let id = leaf; id !== null && !alive.has(id); id = tree.nodes.get(id).parent_id) alive.add(id);
  }
  return alive;
}

// The event since which no live sequence goes through this word.
function beamDeath(picture, tree, id, at) {
  let event = at;
  while (event > tree.nodes.get(id).born) {
    const leaves = Object.entries(picture.moments[event - 1].leaf_by_seq);
    if (beamAlive(tree, leaves.filter(([, leaf]) => tree.nodes.has(leaf))).has(id)) break;
    event -= 1;
  }
  return event;
}

// Rows from top to bottom, in the order of the branches: {id, y, seq or undefined}.
// A word stands in the row of its first branch.
function beamRows(picture, tree, at) {
  const step = (event) => picture.film.frames[event].step;
  const shown = (id) => !tree.died.has(id) || step(at) - step(tree.died.get(id)) < BEAM_DEAD_FOR;
  const rows = [];
  const yById = new Map();
  let y = 0;
  const put = (row, height) => {
    rows.push({ ...row, y: y + height / 2 });
    y += height;
    return y - height / 2;
  };
  const walk = (id) => {
    const kids = tree.kids.get(id).filter(shown);
    const here = tree.leaves.filter(([, leaf]) => leaf === id);
    const places = [];
    const order = [...kids.filter((kid) => !tree.died.has(kid)), ...kids.filter((kid) => tree.died.has(kid))];
    for (const kid of order.filter((k) => !tree.died.has(k))) places.push(walk(kid));
    for (const [seq] of here) places.push(put({ id, seq }, BEAM_ROW));
    for (const kid of order.filter((k) => tree.died.has(k))) places.push(walk(kid));
    if (!places.length) places.push(put({ id }, BEAM_ROW_DEAD));
    yById.set(id, places[0]);
    return places[0];
  };
  walk(0);
  return { rows, yById, height: y };
}

// The tree as SVG text, in a box whose top left is 0, 0.
function beamTreeSvg(view, tree, layout, width) {
  const { picture, at } = view;
  const promptWidth = 118;
  const columns = Math.max(2, Math.floor((width - promptWidth - 46) / BEAM_COLUMN));
  const deepest = Math.max(0, ...[...layout.yById.keys()].map((id) => tree.depth.get(id)));
  const first = Math.max(1, deepest - columns + 1); // the leftmost word that is shown
  const x = (id) => promptWidth + (tree.depth.get(id) - first + 0.5) * BEAM_COLUMN + 12;
  let lines = "";
  let words = "";
  for (const [id, y] of layout.yById) {
    const n = tree.nodes.get(id);
    if (id === 0 || tree.depth.get(id) < first) continue;
    const fromPrompt = tree.depth.get(id) === first;
    const from = fromPrompt ? promptWidth : x(n.parent_id) + beamHalf(tree.nodes.get(n.parent_id).word);
    // words that are cut off at the left stand in the prompt's box, as "…"
    const fromY = layout.yById.get(fromPrompt ? 0 : n.parent_id);
    lines += beamBranch(from, fromY, x(id) - beamHalf(n.word), y, tree.died.has(id));
    words += beamWord(view, tree, n, x(id), y, n.born === at);
  }
  for (const row of layout.rows) {
    if (row.seq === undefined) continue;
    const from = tree.depth.get(row.id) < first ? promptWidth : x(row.id) + beamHalf(tree.nodes.get(row.id).word);
    const fromY = layout.yById.get(row.id);
    lines += beamBranch(from, fromY, width - 38, row.y, false, "1.5 3.5");
  }
  const root = layout.yById.get(0);
  return lines + beamPromptSvg(picture, root, promptWidth, first) + words;
}

function beamHalf(word) {
  return textWidth(word, 12) / 2 + 5;
}

function beamBranch(x1, y1, x2, y2, dead, dashes = "") {
  const turn = Math.min(16, Math.max(4, (x2 - x1) * 0.6));
  const path = Math.abs(y1 - y2) < 0.5
    ? `M${x1},${y1} H${x2}`
    : `M${x1},${y1} C${x1 + turn},${y1} ${x1 + turn * 0.2},${y2} ${x1 + turn + 6},${y2} H${x2}`;
  const dash = dashes || (dead ? "3 3" : "");
  return `<path d="${path}" fill="none" stroke="${dead ? "var(--line2)" : "var(--ink2)"}" stroke-width="1.4" ${dash ? `stroke-dasharray="${dash}"` : ""}/>`;
}

function beamWord(view, tree, n, x, y, isNew) {
  const dead = tree.died.has(n.node_id);
  const justDied = dead && tree.died.get(n.node_id) === view.at;
  const half = beamHalf(n.word);
  let out = "";
  if (isNew) out += rectSvg(x - half, y - 11, 2 * half, 22, { rx: 5, fill: "var(--paper)", stroke: "var(--ink)", "stroke-width": 1.8 });
  out += textSvg(x, y + 4.2, n.word, {
    "font-size": dead && !justDied ? 11 : 12.5, "text-anchor": "middle", fill: dead ? "var(--ink2)" : "var(--ink)",
    "font-weight": isNew ? 700 : 400, ...(dead ? { "text-decoration": "line-through" } : {}),
  });
  return out;
}

function beamPromptSvg(picture, y, width, first) {
  const words = picture.nodes[0].word.split(" ");
  const cut = first > 1 ? [...words, "…"] : words;
  const lines = [""];
  for (const word of cut) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (textWidth(longer, 11) > width - 18 && lines.at(-1)) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  const shown = lines.length > 3 ? [...lines.slice(0, 2), "…"] : lines;
  const height = shown.length * 14 + 10;
  let out = rectSvg(0.5, y - height / 2, width - 1, height, { rx: 5, fill: "var(--paper2)", stroke: "var(--line2)" });
  shown.forEach((line, k) => {
    out += textSvg(width / 2, y - height / 2 + 16 + k * 14, line, { "text-anchor": "middle" });
  });
  return out;
}
