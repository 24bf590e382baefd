// Below the loop's picture: the running numbers, turn by turn, and one block's sectors.

const GATHER_COLUMNS = [
  ["block", 0, "start"], ["pool", 62, "start"], ["tokens", 160, "end"], ["max here", 236, "end"],
  ["running max", 318, "end"], ["rescale", 396, "end"], ["running sum", 478, "end"],
];

function gatherStateSvg({ picture, lay, at }) {
  const y = GATHER.lower;
  let out = gatherTitle(y + 20, "Loop state of this program", "sequence A, KV head 0, query head 0");
  for (const [name, x, anchor] of GATHER_COLUMNS) {
    out += textSvg(x, y + 58, name, { "font-weight": 700, "text-anchor": anchor, fill: "var(--ink2)" });
  }
  picture.turns.forEach((turn, k) => {
    if (lay.isDone(k)) out += gatherRowSvg(turn, k, y + 79 + k * GATHER.row, lay);
  });
  const below = y + 79 + picture.turns.length * GATHER.row;
  out += textSvg(0, below + 5, "bold running max: a new maximum, so the old sum is rescaled", { fill: "var(--ink2)", "font-size": 10.5 });
  return out + (at > lay.last ? gatherOutputSvg(picture, below + 32) : gatherSumSvg(picture, at, below + 32));
}

function gatherRowSvg(turn, k, y, lay) {
  const now = lay.isNow(k);
  const tokens = turn.scores.length;
  const wrong = turn.yours;
  const shown = [
    k, turn.block_id, tokens < lay.size ? `${tokens} of ${lay.size}` : tokens,
    gatherFixed(turn.max_here, 3),
    gatherFixed(wrong ? wrong[0] : turn.running_max, 3),
    k ? `× ${gatherFixed(turn.rescale, 3)}` : "",
    gatherFixed(wrong ? wrong[1] : turn.sum, 3),
  ];
  let out = now ? rectSvg(-8, y - 16.5, 495, 24, { rx: 4, fill: "var(--paper2)", stroke: "var(--ink)", "stroke-width": 1.6 }) : "";
  GATHER_COLUMNS.forEach(([name, x, anchor], i) => {
    const isMax = name === "running max";
    const bold = now || (isMax && turn.is_new_max);
    const off = wrong && (isMax || name === "running sum") && Math.abs(wrong[isMax ? 0 : 1] - (isMax ? turn.running_max : turn.sum)) > 1e-4;
    out += textSvg(x, y, off ? `yours ${shown[i]}` : shown[i], {
      "font-size": off ? 11 : 12, "text-anchor": anchor, "font-weight": bold ? 700 : null,
      ...(off ? { fill: "var(--loss)", "font-weight": 700 } : {}),
    });
  });
  return now ? `<g class="beat4">${out}</g>` : out;
}

function gatherSumSvg({ turns }, at, y) {
  const { sum, rescale, added, scores } = turns[at];
  const exponentials = at ? amount(scores.length, "new exponential") : amount(scores.length, "exponential");
  const parts = [[`${gatherFixed(sum, 3)}`, "sum", true], ["=", ""]];
  if (at) parts.push([`${gatherFixed(turns[at - 1].sum, 3)} × ${gatherFixed(rescale, 3)}`, "old sum × rescale"], ["+", ""]);
  parts.push([gatherFixed(added, 3), exponentials]);
  const counts = at ? { "data-from": turns[at - 1].sum * rescale, "data-to": sum } : {};
  let [x, out] = [0, ""];
  for (const [text, note, bold] of parts) {
    out += textSvg(x, y, text, { "font-size": 14, ...(bold ? { "font-weight": 700, ...counts } : {}) });
    out += textSvg(x, y + 16, note, { "font-size": 10.5, fill: "var(--ink2)" });
    x += Math.max(textWidth(text, 14), textWidth(note, 10)) + (note ? 14 : 8);
  }
  return `<g class="beat4">${out}</g>`;
}

function gatherOutputSvg({ error, head_dim: dim }, y) {
  return (
    textSvg(0, y, "Output = acc / sum.", { "font-size": 14, "font-weight": 700 }) +
    textSvg(0, y + 18, `${dim} numbers, at most ${error} from dense attention in float64.`, { "font-size": 12 })
  );
}

// --- sectors ------------------------------------------------------------------------

function gatherSectorsSvg({ picture, lay, at }) {
  const k = Math.min(at, lay.last);
  const tokens = picture.turns[k].scores.length;
  const [x, wide, y] = [534, 434, GATHER.lower];
  const which = tokens < lay.size ? "tail block" : "full block";
  const note = `${which}, ${tokens} of ${lay.size} tokens, ${picture.sizes}; model, not counted by hardware`;
  let out = textSvg(x, y + 20, `Which ${picture.strips[k][0].sector_bytes}-byte sectors of K does block ${k} fetch?`, { "font-size": 13, "font-weight": 700 });
  out += textSvg(x, y + 36, note, { fill: "var(--ink2)", "font-size": 10.5 });
  picture.strips[k].forEach((strip, i) => {
    out += sectorStripSvg(strip, x, y + 62 + i * 84, wide, GATHER.hue);
  });
  return out;
}
