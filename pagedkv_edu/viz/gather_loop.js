// The picture of the loop over logical blocks: scores, blocks, table and pool. What stands
// below them is drawn in gather_state.js.

const GATHER = { left: 104, right: 968, gap: 10, hue: HUES[0], lower: 342, row: 25 };

// Where things are; a block's width follows from how many there are.
function gatherLay({ picture, at }) {
  const { turns, block_size: size, num_blocks: numBlocks } = picture;
  const pitch = (GATHER.right - GATHER.left + GATHER.gap) / turns.length;
  const slot = (pitch - GATHER.gap) / size;
  const all = turns.flatMap((turn) => turn.scores);
  const high = 2 * Math.ceil(Math.max(...all) / 2 + 0.1);
  const low = Math.min(-1, ...all);
  const cell = (GATHER.right - GATHER.left) / numBlocks;
  const blockX = (k) => GATHER.left + k * pitch;
  return {
    last: turns.length - 1,
    pitch,
    slot,
    size,
    high,
    low,
    cell,
    wide: slot * size,
    blockX,
    slotX: (k, offset) => blockX(k) + (offset + 0.5) * slot,
    middle: (k) => blockX(k) + (slot * size) / 2,
    yOf: (score) => 24.5 + ((high - score) / (high - low)) * 86,
    poolX: (block) => GATHER.left + (block + 0.5) * cell,
    isDone: (k) => k <= at,
    isNow: (k) => k === at,
    hasTail: turns.at(-1).scores.length < size,
    tailX: blockX(turns.length - 1) + turns.at(-1).scores.length * slot,
  };
}

const gatherHeight = (picture) => Math.max(636, 545 + GATHER.row * picture.turns.length - 44);

function gatherSvg(svg, view) {
  const lay = gatherLay(view);
  const scene = { ...view, lay, paint: svg.paint };
  return (
    gatherLabelsSvg(scene) +
    gatherScoresSvg(scene) +
    gatherBlocksSvg(scene) +
    gatherTableSvg(scene) +
    gatherPoolSvg(scene) +
    gatherTailSvg(scene) +
    `<path d="M0,${GATHER.lower} H968" stroke="var(--line)"/>` +
    gatherStateSvg(scene) +
    gatherSectorsSvg(scene)
  );
}

function gatherTitle(y, title, note) {
  return (
    textSvg(0, y, title, { "font-size": 13, "font-weight": 700 }) +
    textSvg(0, y + 16, note, { fill: "var(--ink2)" })
  );
}

function gatherLabelsSvg({ picture }) {
  return (
    gatherTitle(12, "Scores of this step", `q · k / √${picture.head_dim}`) +
    gatherTitle(142, "Logical blocks", amount(picture.num_tokens, "token")) +
    gatherTitle(214, "Block table", "one lookup each") +
    gatherTitle(287, "Pool", amount(picture.num_blocks, "block"))
  );
}

// The shaded column of the block that is read: kept and moved, so that it slides.
function gatherMoveShade(svg, { picture, at }) {
  const lay = gatherLay({ picture, at });
  const { shade } = svg;
  shade.setAttribute("width", lay.wide + 8);
  shade.style.transform = `translate(${lay.blockX(Math.min(at, lay.last)) - 4}px, 6px)`;
  shade.style.opacity = at > lay.last ? 0 : 1;
}

// --- scores -------------------------------------------------------------------------

function gatherScoresSvg({ picture, lay, at }) {
  let out = "";
  for (let tick = lay.high; tick >= lay.low; tick -= 2) {
    const y = lay.yOf(tick);
    // a line behind the words about masked slots would strike them through
    const isBehindWords = lay.hasTail && at >= lay.last && y < 38;
    const end = isBehindWords ? lay.blockX(lay.last) - GATHER.gap / 2 : GATHER.right;
    out += `<path d="M100,${y} H${end}" stroke="var(--line)"/>`;
    out += textSvg(96, y + 3.5, String(tick).replace("-", "−"), { "font-size": 10, "text-anchor": "end", fill: "var(--ink2)" });
  }
  const zero = lay.yOf(0);
  let bars = "";
  picture.turns.forEach(({ scores }, k) => {
    if (!lay.isDone(k)) return;
    const now = lay.isNow(k);
    const wide = Math.min(now ? 5 : 4, lay.slot - 2);
    const paths = scores.map((score, i) => `M${lay.slotX(k, i)},${zero} V${lay.yOf(score)}`);
    bars += `<path class="${now ? "beat3" : "past"}" d="${paths.join(" ")}" stroke="${GATHER.hue.fill}" stroke-width="${wide}"/>`;
  });
  return out + bars + gatherMaximumSvg(picture, lay);
}

// The running maximum as a line of steps; a new one is labelled.
function gatherMaximumSvg({ turns }, lay) {
  let [line, fresh, labels] = ["", "", ""];
  turns.forEach((turn, k) => {
    if (!lay.isDone(k)) return;
    const left = lay.blockX(k) - (k ? GATHER.gap / 2 : 0);
    const right = lay.blockX(k) + lay.wide + (k < lay.last ? GATHER.gap / 2 : 0);
    const y = lay.yOf(turn.running_max);
    const piece = `${k && turn.is_new_max ? `M${left},${lay.yOf(turns[k - 1].running_max)} V${y}` : `M${left},${y}`} H${right}`;
    if (lay.isNow(k)) fresh += piece;
    else line += piece;
    if (!turn.is_new_max) return;
    const words = `${k ? "" : "running max "}${gatherFixed(turn.running_max, 2)}`;
    labels += textSvg(left + 3, y - 6, words, { "font-weight": 700, ...HALO, "stroke-width": 4, class: lay.isNow(k) ? "beat3" : null });
  });
  const stroke = 'fill="none" stroke="var(--ink)" stroke-width="2"';
  return `<path d="${line}" ${stroke}/><path class="beat3" d="${fresh}" ${stroke}/>${labels}`;
}

function gatherFixed(number, digits) {
  return number.toFixed(digits).replace("-", "−");
}

// --- blocks, table, pool ------------------------------------------------------------

function gatherBlocksSvg({ picture, lay }) {
  let out = "";
  picture.turns.forEach(({ scores, first }, k) => {
    const now = lay.isNow(k);
    const x = lay.blockX(k);
    const look = now ? "now" : lay.isDone(k) ? "past" : "ahead";
    let slots = "";
    for (let i = 0; i < scores.length; i += 1) {
      slots += rectSvg(x + i * lay.slot + 0.7, 134, lay.slot - 1.4, 26, { rx: 1.5, fill: GATHER.hue.fill });
    }
    out += `<g class="slots ${look}">${slots}</g>`;
    for (let i = scores.length; i < lay.size; i += 1) {
      out += rectSvg(x + i * lay.slot + 1, 134.5, lay.slot - 2, 25, { rx: 1.5, fill: "none", stroke: "var(--free)", "stroke-dasharray": "2 2", "stroke-width": 0.9 });
      out += `<path d="M${x + i * lay.slot + 3},157 l${lay.slot - 6},-20" stroke="var(--ink3)" stroke-width="1"/>`;
    }
    const frame = now ? { stroke: "var(--ink)", "stroke-width": 2 } : { stroke: "var(--line2)", "stroke-width": 1 };
    out += rectSvg(x - 2, 131.5, lay.wide + 4, 31, { rx: 4, fill: "none", ...frame });
    const weight = now ? { "font-weight": 700 } : { fill: "var(--ink2)" };
    out += textSvg(x, 176, `block ${k}`, weight);
    const tokens = scores.length > 1 ? `tokens ${first} to ${first + scores.length - 1}` : `token ${first}`;
    if (lay.wide > textWidth(tokens, 11) + 44) {
      out += textSvg(x + lay.wide, 176, tokens, { "text-anchor": "end", fill: "var(--ink2)" });
    }
  });
  return out;
}

function gatherTableSvg({ picture, lay, paint }) {
  let out = "";
  picture.turns.forEach(({ block_id: block }, k) => {
    const now = lay.isNow(k);
    const x = lay.middle(k);
    const beat = now ? "beat1" : "";
    const stroke = now ? "var(--ink)" : "var(--line2)";
    if (lay.isDone(k)) {
      out += `<path class="${beat}" d="M${x},183 V201" stroke="${now ? "var(--ink)" : "var(--ink3)"}" stroke-width="${now ? 1.6 : 1.1}" marker-end="${paint.arrow(now ? 9 : 8)}"/>`;
      const to = lay.poolX(block);
      const path = `M${x},230 C${x},254 ${to},238 ${to},${now ? 268 : 270}`;
      out += `<path class="${now ? "beat2" : ""}" d="${path}" fill="none" stroke="${now ? "var(--ink)" : "var(--line2)"}" stroke-width="${now ? 1.8 : 1.2}" marker-end="${paint.arrow(now ? 9 : 8)}"/>`;
    }
    out += rectSvg(x - 17, 203.5, 34, 26, { rx: 4, fill: "var(--paper)", stroke, "stroke-width": now ? 2 : 1.2 });
    out += textSvg(x, 221, block, { "font-size": 13, "text-anchor": "middle", ...(now ? { "font-weight": 700 } : { fill: "var(--ink2)" }) });
  });
  return out;
}

function gatherPoolSvg({ picture, lay }) {
  const turnOf = new Map(picture.turns.map((turn, k) => [turn.block_id, k]));
  let [cells, ring] = ["", ""];
  for (let block = 0; block < picture.num_blocks; block += 1) {
    const x = lay.poolX(block) - lay.cell / 2 + 1;
    const wide = lay.cell - 3;
    const k = turnOf.get(block);
    const centre = { "text-anchor": "middle", "font-size": 10 };
    const at = [x + wide / 2, 285];
    if (k === undefined) {
      cells += rectSvg(x + 0.5, 272.5, wide, 44, { rx: 4, fill: "none", stroke: "var(--free)", "stroke-dasharray": "2.5 2.5" });
      cells += textSvg(...at, block, { ...centre, fill: "var(--ink2)" });
      continue;
    }
    const filled = picture.turns[k].scores.length;
    const [now, done] = [lay.isNow(k), lay.isDone(k)];
    const height = (44 * filled) / lay.size;
    const look = now ? "now beat3" : done ? "past" : "ahead";
    cells += `<g class="slots ${look}">${rectSvg(x + 1.5, 272.5 + 44 - height, wide - 1, height, { rx: 3, fill: GATHER.hue.fill })}</g>`;
    cells += rectSvg(x + 1, 272.5, wide, 44, { rx: 4, fill: "none", stroke: GATHER.hue.fill, "stroke-width": 1.6 });
    const onHue = now && filled / lay.size > 0.8;
    cells += textSvg(...at, block, { ...centre, "font-size": 11, "font-weight": 700, ...(onHue ? { fill: GATHER.hue.text } : {}) });
    if (done) cells += textSvg(at[0], 331, `${filled}/${lay.size}`, { ...centre, "font-size": 10, ...(now ? { "font-weight": 700 } : { fill: "var(--ink2)" }) });
    if (now) ring = rectSvg(x - 1, 270, wide + 4, 49, { rx: 6, fill: "none", stroke: "var(--ink)", "stroke-width": 2, class: "beat3" });
  }
  return cells + ring;
}

// The end of the sequence inside its last block, through scores and slots.
function gatherTailSvg({ lay, picture, at }) {
  if (!lay.hasTail || at < lay.last) return "";
  const masked = lay.size - picture.turns.at(-1).scores.length;
  const zero = lay.yOf(0);
  let crosses = "";
  for (let i = lay.size - masked; i < lay.size; i += 1) {
    crosses += `M${lay.slotX(lay.last, i) - 3.5},${zero - 4} l7,8 m0,-8 l-7,8`;
  }
  const room = GATHER.right - lay.tailX;
  const side = room > 96 ? { x: lay.tailX + 5, "text-anchor": "start" } : { x: lay.tailX - 5, "text-anchor": "end" };
  return (
    `<path d="${crosses}" fill="none" stroke="var(--ink3)" stroke-width="1.2"/>` +
    `<path d="M${lay.tailX},8 V165" stroke="var(--ink)" stroke-width="1.5" stroke-dasharray="3 3"/>` +
    textSvg(side.x, 18, `masked: ${amount(masked, "slot")}`, { "font-weight": 700, "text-anchor": side["text-anchor"], ...HALO }) +
    textSvg(side.x, 32, "no token yet", { "text-anchor": side["text-anchor"], fill: "var(--ink2)", ...HALO })
  );
}
