// The drawing of the small multiples: a panel for each block size, and the track below.

const MULTIPLES_ROW = 15; // height of a sequence's blocks
const MULTIPLES_PITCH = 22;
const MULTIPLES_LEFT = 26; // room for the letters
const MULTIPLES_DASHES = ["", "7 4", "2 3", "9 3 2 3"]; // one for each line of the track

// What a panel holds at a step: {blocks, held, slots, tokens, empty, share, taken, took}
function multiplesFacts(view, panel, step = view.at) {
  const seen = step < panel.blocks.length;
  const blocks = seen ? panel.blocks[step] : view.names.map(() => 0);
  const held = blocks.reduce((sum, n) => sum + n, 0);
  const tokens = view.lengths[step].reduce((sum, n) => sum + n, 0);
  const slots = held * panel.block_size;
  const taken = seen ? panel.taken[step] : 0;
  const took = taken - (seen && step > 0 ? panel.taken[step - 1] : 0);
  return { seen, blocks, held, slots, tokens, empty: slots - tokens, share: slots ? (slots - tokens) / slots : 0, taken, took };
}

function multiplesPercent(share) {
  return `${(100 * share).toFixed(1)} %`;
}

function multiplesPanel(view, panel, svg, width) {
  const facts = multiplesFacts(view, panel);
  const top = 34;
  const bottom = top + view.names.length * MULTIPLES_PITCH;
  resizeSvg(svg, width, bottom + 40);
  const scale = (width - MULTIPLES_LEFT) / view.mostSlots;
  let out = textSvg(0, 14, `block_size ${panel.block_size}`, { "font-size": 14, "font-weight": 700 });
  const share = facts.seen ? `${multiplesPercent(facts.share)} of the slots empty` : "stopped";
  out += textSvg(width, 14, share, { "font-size": 12, "font-weight": 700, "text-anchor": "end" });
  view.names.forEach((name, i) => {
    const row = { name, hue: HUES[i], y: top + i * MULTIPLES_PITCH, blocks: facts.blocks[i], tokens: view.lengths[view.at][i] };
    out += multiplesRow(row, panel.block_size, scale, width);
  });
  out += `<path d="M${MULTIPLES_LEFT},${bottom + 1} H${width}" stroke="var(--line)"/>`;
  const counted = `${withCommas(facts.held)} table ${facts.held === 1 ? "entry" : "entries"}, ${amount(facts.empty, "empty slot")}`;
  const decided = `${amount(facts.taken, "decision")} so far${facts.took ? `, ${facts.took} in this step` : ""}`;
  out += textSvg(MULTIPLES_LEFT, bottom + 19, facts.seen ? counted : shortened(panel.error, width - MULTIPLES_LEFT, 12), { "font-size": 12, "font-weight": 700 });
  if (facts.seen) out += textSvg(MULTIPLES_LEFT, bottom + 35, decided, { "font-size": 12, fill: "var(--ink2)" });
  svg.body.innerHTML = out;
  svg.setAttribute("aria-label", facts.seen ? `block_size ${panel.block_size}: ${counted}; ${decided}` : panel.error);
}

// The blocks of one sequence, one mark each; slots without a token stay white.
function multiplesRow({ name, hue, y, blocks, tokens }, size, scale, width) {
  const edge = hue.isLight ? "var(--ink)" : hue.fill;
  const ended = tokens === 0;
  let out = ended
    ? textSvg(MULTIPLES_LEFT, y + 12, `${name} has ended; its blocks are free`, { "font-size": 11, fill: "var(--ink2)" })
    : rectSvg(0.5, y, 18, MULTIPLES_ROW, { rx: 3, fill: hue.fill, stroke: edge }) +
      textSvg(9.5, y + 11.5, shortened(name, 16, 11), { "font-weight": 700, fill: hue.text, "text-anchor": "middle" });
  const gap = Math.min(1.6, size * scale * 0.3);
  for (let k = 0; k < blocks; k += 1) {
    const x = MULTIPLES_LEFT + k * size * scale;
    const wide = size * scale - gap;
    const filled = Math.max(0, Math.min(size, tokens - k * size));
    if (filled === size) {
      const border = hue.isLight && wide > 4 ? { stroke: edge, "stroke-width": 0.8 } : {};
      out += rectSvg(x, y, wide, MULTIPLES_ROW, { class: "block", fill: hue.fill, ...border });
      continue;
    }
    out += rectSvg(x, y, wide, MULTIPLES_ROW, { class: "block part", fill: "var(--paper)" });
    out += rectSvg(x, y, Math.min(wide, filled * scale), MULTIPLES_ROW, { fill: hue.fill });
    out += rectSvg(x + 0.6, y + 0.6, wide - 1.2, MULTIPLES_ROW - 1.2, { fill: "none", stroke: edge, "stroke-width": 1.2 });
  }
  if (tokens > blocks * size) {
    const x = MULTIPLES_LEFT + blocks * size * scale + 6;
    out += textSvg(Math.min(x, width), y + 12, `${tokens - blocks * size} without a slot`, { "font-size": 11, "font-weight": 700, fill: "var(--loss)" });
  }
  return out;
}

// The share of empty slots over all steps, a line for each block size, and the cursor.
function multiplesTrack(view) {
  const svg = view.parts.track;
  const [left, right, top, bottom] = [40, view.width - 108, 38, 118];
  resizeSvg(svg, view.width, 144);
  const last = view.lengths.length - 1;
  const x = (step) => left + ((right - left) * step) / Math.max(1, last);
  const most = Math.max(0.01, ...view.panels.flatMap((panel) => panel.blocks.map((_, step) => multiplesFacts(view, panel, step).share)));
  const y = (share) => bottom - (share / most) * (bottom - top);
  let out = textSvg(0, 12, "empty slots, share of all held slots", { "font-size": 12, "font-weight": 700 });
  for (const share of [0, most / 2, most]) {
    out += `<path d="M${left},${y(share)} H${right}" stroke="var(--line)"/>`;
    out += textSvg(left - 6, y(share) + 4, `${Math.round(100 * share)} %`, { fill: "var(--ink2)", "text-anchor": "end" });
  }
  const labels = [];
  view.panels.forEach((panel, i) => {
    const points = panel.blocks.map((_, step) => `${x(step).toFixed(1)},${y(multiplesFacts(view, panel, step).share).toFixed(1)}`);
    if (!points.length) return;
    out += `<path d="M${points.join("L")}" fill="none" stroke="var(--ink)" stroke-width="${1.2 + 0.3 * i}" stroke-dasharray="${MULTIPLES_DASHES[i % MULTIPLES_DASHES.length]}"/>`;
    labels.push({ text: `block_size ${panel.block_size}`, y: Number(points.at(-1).split(",")[1]), x: Number(points.at(-1).split(",")[0]) });
  });
  labels.sort((a, b) => b.y - a.y);
  let free = Infinity;
  for (const label of labels) {
    free = Math.min(label.y + 4, free - 14);
    out += textSvg(right + 8, free, label.text, { "font-size": 12 });
  }
  out += `<path d="M${x(view.at)},${top - 4} V${bottom}" stroke="var(--ink)" stroke-width="2"/>`;
  out += `<circle cx="${x(view.at)}" cy="${top - 8}" r="6" fill="var(--paper)" stroke="var(--ink)" stroke-width="2.5"/>`;
  out += textSvg(left, bottom + 18, "step 0", { fill: "var(--ink2)" });
  out += textSvg(right, bottom + 18, `step ${last}`, { fill: "var(--ink2)", "text-anchor": "end" });
  svg.body.innerHTML = out;
  view.stepAt = (fraction) => Math.round(((fraction * view.width - left) / (right - left)) * last);
  svg.setAttribute("aria-valuemax", last);
  svg.setAttribute("aria-valuenow", view.at);
  svg.setAttribute("aria-valuetext", `step ${view.at}`);
}
