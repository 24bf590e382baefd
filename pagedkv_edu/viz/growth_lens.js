// What the lens of the growth explorer shows.

// The last blocks as boxes, and below them, box under box, the stairs of what is held.
function growthLens(view, facts) {
  const svg = view.parts.lens;
  const { lensWidth: W } = view;
  const H = 222;
  resizeSvg(svg, W, H);
  const { first, stop } = growthWindow(view, facts);
  const pitch = W / GROWTH_LENS;
  let out = `<path class="lens" d="M0.5,0 V${H - 6} H${W - 0.5} V0"/>`;
  for (let k = first; k < stop; k += 1) out += growthBox(facts, k, (k - first) * pitch + 8, 22, pitch - 16, 56);
  out += growthStairs(view.paint, facts, first, { x: 8, y: 96, width: W - 16, height: 100, pitch });
  svg.body.innerHTML = out;
}

function growthBox(facts, k, x, y, width, height) {
  const { size, seqLen, table, isFault } = facts;
  const hue = HUES[0];
  if (k >= table.length) return growthGhost(facts, k, x, y, width, height);
  const filled = Math.max(0, Math.min(size, seqLen - k * size));
  const isNew = isFault && k === table.length - 1;
  let out = textSvg(x + 1, y - 8, `block ${table[k]}`, { "font-weight": isNew ? 700 : 400 });
  out += textSvg(x + width - 1, y - 8, `${filled}/${size}`, { "font-weight": 700, "text-anchor": "end" });
  if (isNew) out += rectSvg(x - 3.5, y - 3.5, width + 7, height + 7, { rx: 7, fill: "none", stroke: "var(--ink)", "stroke-width": 2 });
  const grid = size <= 16 ? size : size <= 64 ? 16 : 32;
  const rows = Math.ceil(size / grid);
  const [w, h] = [width / grid, height / rows];
  const gap = w > 6 ? 1 : 0.5;
  let full = "";
  let empty = "";
  for (let slot = 0; slot < size; slot += 1) {
    const [sx, sy] = [x + (slot % grid) * w + gap / 2, y + Math.floor(slot / grid) * h + gap / 2];
    const box = `M${sx.toFixed(2)},${sy.toFixed(2)}h${(w - gap).toFixed(2)}v${(h - gap).toFixed(2)}h${(gap - w).toFixed(2)}z`;
    if (slot < filled) full += box;
    else empty += box;
  }
  out += `<path d="${full}" fill="${hue.fill}"/>`;
  out += `<path d="${empty}" fill="none" stroke="${hue.fill}" stroke-width="${gap}" opacity="0.6"/>`;
  out += rectSvg(x - 0.75, y - 0.75, width + 1.5, height + 1.5, { rx: 3, fill: "none", stroke: hue.fill, "stroke-width": 1.5 });
  return out;
}

function growthGhost(facts, k, x, y, width, height) {
  const when = facts.next && k === facts.table.length ? `for token ${withCommas(facts.next.seq_len)}` : "";
  let out = rectSvg(x, y, width, height, { rx: 4, fill: "none", stroke: "var(--free)", "stroke-dasharray": "2.5 2.5" });
  out += textSvg(x + width / 2, y + height / 2 - (when ? 3 : -4), "not taken", { fill: "var(--ink2)", "text-anchor": "middle" });
  if (when) out += textSvg(x + width / 2, y + height / 2 + 13, when, { fill: "var(--ink)", "font-weight": 600, "text-anchor": "middle" });
  return out;
}

function growthStairs(paint, facts, first, { x: left, y: top, width, height, pitch }) {
  const { size, seqLen } = facts;
  const bottom = top + height;
  const from = first * size;
  const scale = pitch / size;
  const x = (tokens) => left - 8 + (tokens - from) * scale;
  const y = (slots) => bottom - ((slots - from) / (GROWTH_LENS * size)) * height;
  const steps = facts.run.changes.filter((c) => c.seq_len <= seqLen && c.seq_len > from);
  const before = growthAt(facts.run, from).held * size;
  let [path, level] = [`M${x(from)},${y(before)}`, before];
  const marks = [];
  for (const change of steps) {
    path += ` H${x(change.seq_len - 1)} V${y(change.num_held * size)}`;
    marks.push([change.seq_len, level, change.num_held * size]);
    level = change.num_held * size;
  }
  path += ` H${x(seqLen)}`;
  const close = ` V${y(seqLen)} L${x(from)},${y(from)} Z`;
  let out = `<path d="M${left - 8},${bottom + 0.5} h${width + 16}" stroke="var(--line2)"/>`;
  out += `<path d="${path}${close}" fill="${paint.hatch()}"/>`;
  out += `<path d="M${x(from)},${y(from)} L${x(seqLen)},${y(seqLen)} V${bottom} H${x(from)} Z" fill="${HUES[0].fill}" opacity="var(--dim)"/>`;
  out += `<path d="M${x(from)},${y(from)} L${x(seqLen)},${y(seqLen)}" stroke="${HUES[0].fill}" stroke-width="2" fill="none"/>`;
  out += `<path d="${path}" stroke="var(--ink)" stroke-width="2.2" fill="none"/>`;
  for (const [token] of marks) {
    out += `<path d="M${x(token - 1)},${bottom} v5" stroke="var(--ink)" stroke-width="1.5"/>`;
    out += textSvg(x(token - 1) + 3, bottom + 14, `token ${withCommas(token)}`, { "font-size": 10.5, fill: "var(--ink2)" });
  }
  out += growthStairLabels(facts, { x, y, width, bottom });
  return out;
}

function growthStairLabels(facts, { x, y, width, bottom }) {
  const { seqLen, heldSlots } = facts;
  const cursor = x(seqLen);
  const fitsRight = cursor < width - 130;
  const place = fitsRight ? { dx: 8, anchor: "start" } : { dx: -8, anchor: "end" };
  let [heldY, tokensY] = [y(heldSlots), y(seqLen)];
  tokensY = Math.min(tokensY, bottom - 8);
  if (tokensY - heldY < 16) tokensY = heldY + 16;
  const label = (yy, text, weight) => textSvg(cursor + place.dx, yy + 4, text, { "font-weight": weight, "text-anchor": place.anchor, ...HALO });
  let out = `<path d="M${cursor},${y(heldSlots) - 6} V${y(seqLen) + 6}" stroke="var(--ink)" stroke-dasharray="2 2"/>`;
  if (!fitsRight) heldY -= 10;
  out += label(heldY, `${amount(heldSlots, "slot")} held`, 700);
  if (fitsRight) out += label(tokensY, `${amount(seqLen, "token")}`, 400);
  return out;
}
