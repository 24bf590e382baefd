// The growth explorer's two strips, at one scale: what is promised, what is held, and the
// lens over the last blocks.

// The boxes under the lens: the last blocks of the table and, if any, the one to come.
function growthWindow(view, facts) {
  const numBoxes = Math.max(facts.table.length, Math.min(facts.table.length + 1, facts.promisedBlocks));
  const first = Math.max(0, numBoxes - GROWTH_LENS);
  return { first, stop: Math.min(first + GROWTH_LENS, Math.max(numBoxes, facts.promisedBlocks)) };
}

function growthStrips(view, facts) {
  const svg = view.parts.strips;
  const { width: W, maxLen } = view;
  const H = 196;
  resizeSvg(svg, W, H);
  const x = (slots) => (Math.min(slots, maxLen) / maxLen) * W;
  const share = (slots) => `${((100 * facts.seqLen) / slots).toFixed(1)} %`;
  const narrow = W < 760;
  let out = growthTitle(W, 14, "Promised", narrow ? "contiguous" : `contiguous: one run of ${withCommas(maxLen)} slots, taken before the first token`,
    `${share(maxLen)} of the slots hold a token`);
  out += growthPromised(view, facts, x, 24, 36);
  out += growthAxis(W, maxLen, 60);
  out += growthTitle(W, 106, "Held", narrow ? "paged" : `paged: blocks of ${facts.size} slots, each taken when a token finds no empty slot`,
    facts.heldSlots ? `${share(facts.heldSlots)} of the slots hold a token` : "");
  out += growthHeld(view, facts, x, 116, 36);
  const { first, stop } = growthWindow(view, facts);
  const [left, right] = [x(first * facts.size), x(stop * facts.size)];
  out += `<path class="lens" d="M${left},154 V160 C${left},178 0.5,172 0.5,${H} M${right},154 V160 C${right},178 ${view.lensWidth - 0.5},172 ${view.lensWidth - 0.5},${H}" />`;
  out += `<path class="lens" d="M${left},154 H${right}" stroke-width="2"/>`;
  svg.body.innerHTML = out;
}

function growthTitle(W, y, name, note, right) {
  return (
    textSvg(0, y, name, { "font-size": 14, "font-weight": 700 }) +
    textSvg(textWidth(name, 14) + 14, y, note, { "font-size": 12, fill: "var(--ink2)" }) +
    textSvg(W, y, right, { "font-size": 12, "font-weight": 700, "text-anchor": "end" })
  );
}

function growthAxis(W, maxLen, y) {
  let out = "";
  for (let k = 0; k <= 4; k += 1) {
    const slots = Math.round((maxLen * k) / 4);
    const anchor = k === 0 ? "start" : k === 4 ? "end" : "middle";
    out += `<path d="M${Math.min(W - 0.5, (W * k) / 4 + 0.5)},${y} v5" stroke="var(--ink2)"/>`;
    out += textSvg((W * k) / 4, y + 17, `${withCommas(slots)}${k === 4 ? " slots" : ""}`, { fill: "var(--ink2)", "text-anchor": anchor });
  }
  return out;
}

function growthPromised(view, facts, x, y, height) {
  const hue = HUES[0];
  const edge = x(facts.seqLen);
  const W = view.width;
  let out = rectSvg(0.75, y + 0.75, W - 1.5, height - 1.5, { rx: 4, fill: "none", stroke: hue.fill, "stroke-width": 1.5, "stroke-dasharray": "5 3" });
  out += rectSvg(0, y, edge, height, { rx: Math.min(4, edge / 2), fill: hue.fill });
  const label = `${withCommas(facts.promisedEmpty)} promised to A and empty`;
  const room = W - edge;
  if (room > textWidth(label, 12) + 24) {
    out += textSvg(edge + room / 2, y + height / 2 + 4.5, label, { "font-size": 12, "font-weight": 600, "text-anchor": "middle" });
  }
  return out + growthLetter(edge, y, height);
}

function growthLetter(edge, y, height) {
  if (edge < 22) return "";
  const middle = Math.min(edge / 2, 16);
  const plate = rectSvg(middle - 9, y + height / 2 - 10, 18, 20, { fill: HUES[0].fill });
  return plate + textSvg(middle, y + height / 2 + 4.5, "A", { "font-size": 13, "font-weight": 700, fill: HUES[0].text, "text-anchor": "middle" });
}

function growthHeld(view, facts, x, y, height) {
  const hue = HUES[0];
  const W = view.width;
  const each = x(facts.size);
  const heldEdge = x(facts.heldSlots);
  let out = rectSvg(0.5, y + 0.5, W - 1, height - 1, { rx: 4, fill: "none", stroke: "var(--free)", "stroke-dasharray": "2.5 2.5" });
  // one box for all, lines between: a thousand rectangles would be slow
  out += rectSvg(0, y, heldEdge, height, { rx: Math.min(4, heldEdge / 2), fill: "var(--paper)", stroke: hue.fill, "stroke-width": 1.5 });
  out += rectSvg(0, y, Math.min(x(facts.seqLen), heldEdge), height, { rx: Math.min(4, heldEdge / 2), fill: hue.fill });
  if (each >= 3) {
    let lines = "";
    for (let k = 1; k < facts.held; k += 1) lines += `M${k * each},${y}v${height}`;
    out += `<path d="${lines}" stroke="var(--paper)" stroke-width="${each >= 12 ? 2 : 0.9}"/>`;
  }
  const free = view.maxLen - facts.heldSlots;
  const label = `${withCommas(free)} not taken: any sequence may have them`;
  const room = W - heldEdge;
  if (room > textWidth(label, 12) + 24) {
    out += textSvg(heldEdge + room / 2, y + height / 2 + 4.5, label, { "font-size": 12, fill: "var(--ink2)", "text-anchor": "middle" });
  }
  return out + (each >= 12 ? "" : growthLetter(x(facts.seqLen), y, height));
}
