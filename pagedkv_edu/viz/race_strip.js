// The contiguous cache of a race: the address strip, who hangs over it, and its holes.

const STRIP = { lineTop: 8, barTop: 14, barHeight: 28, top: 56, height: 52, total: 154 };

// Everything the views of one step ask for, from the data alone.
function raceFacts(view) {
  const { data, fit, at } = view;
  const run = data.contiguous[fit];
  const step = run.steps[at];
  const layout = data.layouts[step.layout];
  const pagedStep = data.paged.steps[at];
  const pagedLayout = data.layouts[pagedStep.layout];
  const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
  const extents = layout.held.map(([name, start, size], k) => ({ name, start, size, used: step.tokens[k] }));
  const holes = layout.holes.map(([start, size]) => ({ start, size }));
  const free = sum(holes.map((hole) => hole.size));
  const largest = holes.reduce((a, b) => (b.size > (a?.size ?? 0) ? b : a), null);
  const refused = layout.waiting[0] ?? null;
  const asked = refused === null ? 0 : raceRequest(data, refused).asked;
  return {
    run, step, layout, pagedStep, pagedLayout, extents, holes, free, largest, refused, asked,
    used: sum(step.tokens),
    pagedUsed: sum(pagedStep.tokens),
    pagedFree: pagedLayout.free * data.block_size,
    text: (i) => data.texts[i],
    fits: free >= asked,
    options: layout.options,
  };
}

function raceRequest(data, name) {
  return data.requests.find((request) => request.name === name);
}

// Hue = who. The same request has the same hue in both caches, in every fit.
function raceHue(data, name) {
  const index = data.requests.findIndex((request) => request.name === name);
  return HUES[Math.max(0, index) % HUES.length];
}

function drawRaceStrip(view, facts) {
  const { svg, paint } = view.parts.strip;
  const W = view.width;
  const x = (slot) => (slot / view.data.num_slots) * W;
  resizeSvg(svg, W, STRIP.total);
  let out = facts.holes.map((hole) => stripHole(paint, x, hole)).join("");
  out += facts.extents.map((extent) => stripExtent(view, x, extent)).join("");
  out += stripAxis(view, x);
  out += stripBracket(view, x, facts);
  if (facts.refused !== null) out += stripRefused(view, x, facts);
  svg.body.innerHTML = out;
}

function stripHole(paint, x, { start, size }) {
  const [left, width] = [x(start), x(size)];
  const { top, height } = STRIP;
  let out = rectSvg(left + 0.75, top, width - 1.5, height, { rx: 2, fill: paint.hatch() });
  const plate = textWidth(size, 13) + 14;
  if (width >= plate + 4) {
    out += rectSvg(left + width / 2 - plate / 2, top + 16, plate, 20, { rx: 3, fill: "var(--paper)" });
    out += stripText(left + width / 2, top + 31, size, { "font-size": 13 });
  }
  return out;
}

function stripText(x, y, text, more = {}) {
  return textSvg(x, y, text, { "font-weight": 700, "text-anchor": "middle", ...more });
}

function stripExtent(view, x, { name, start, size, used }) {
  const hue = raceHue(view.data, name);
  const { top, height } = STRIP;
  const edge = hue.isLight ? "var(--ink)" : hue.fill;
  const [left, width, filled] = [x(start) + 0.75, x(size) - 1.5, x(used) - 0.75];
  const free = size - used;
  const atStart = { "text-anchor": "start" };
  let out = rectSvg(left, top, width, height, { rx: 3, fill: "none", stroke: edge, "stroke-width": 1.3, "stroke-dasharray": "4 3" });
  out += rectSvg(left, top, Math.min(filled, width), height, { rx: 3, fill: hue.fill, stroke: edge, "stroke-width": 1 });
  if (filled > textWidth(name, 15) + 4) {
    const inset = Math.min(7, (filled - textWidth(name, 15)) / 2);
    out += stripText(left + inset, top + 22, name, { ...atStart, "font-size": 15, fill: hue.text });
    const label = [`${used} used`, String(used)].find((text) => filled > textWidth(text, 11) + 9);
    if (label) out += stripText(left + inset, top + 41, label, { ...atStart, "font-size": 11, "font-weight": 400, fill: hue.text });
  }
  const room = width - filled;
  if (free && room > textWidth("reserved", 11) + 12) {
    out += stripText(left + filled + 8, top + 22, free, { ...atStart, "font-size": 12 });
    out += stripText(left + filled + 8, top + 40, "reserved", { ...atStart, "font-weight": 400, fill: "var(--ink2)" });
  } else if (free && room > textWidth(free, 12) + 4) {
    out += stripText(left + filled + room / 2, top + 22, free, { "font-size": 12 });
  }
  return `<g><title>${esc(`${name}: ${used} of ${size} slots from slot ${start} on hold a token`)}</title>${out}</g>`;
}

function stripAxis(view, x) {
  const { num_slots: numSlots } = view.data;
  const y = STRIP.top + STRIP.height;
  const tick = niceTick(numSlots, view.width / 110);
  let out = "";
  for (let slot = 0; slot <= numSlots; slot += tick) {
    if (slot > 0 && numSlots - slot < tick * 0.6 && slot < numSlots) continue;
    out += stripTick(x(slot), y, slot, slot === 0 ? "start" : slot === numSlots ? "end" : "middle", numSlots);
  }
  if (numSlots % tick) out += stripTick(x(numSlots), y, numSlots, "end", numSlots);
  return out;
}

function stripTick(x, y, slot, anchor, last) {
  const label = slot === last ? `${withCommas(slot)} slots` : withCommas(slot);
  return (
    `<path d="M${x},${y + 2} v4" stroke="var(--ink2)"/>` +
    textSvg(x, y + 17, label, { "font-size": 10, fill: "var(--ink2)", "text-anchor": anchor })
  );
}

// The smallest power of two of which at most this many fit.
function niceTick(total, most) {
  let tick = 1;
  while (total / tick > most) tick *= 2;
  return tick;
}

function stripBracket(view, x, { largest }) {
  if (!largest) return "";
  const y = STRIP.top + STRIP.height + 21;
  const [left, right] = [x(largest.start), x(largest.start + largest.size)];
  return (
    bracketSvg(left, right, y) +
    clampedText((left + right) / 2, y + 20, `largest hole ${largest.size}`, view.width)
  );
}

function bracketSvg(left, right, y) {
  const [from, to] = [left + 0.8, Math.max(left + 1.6, right - 0.8)];
  return `<path d="M${from},${y} v5 H${to} v-5" fill="none" stroke="var(--ink)" stroke-width="1.6"/>`;
}

// A centred bold text that stays inside the width.
function clampedText(middle, y, label, width, more = {}) {
  const half = textWidth(label, 12) / 2;
  return stripText(Math.max(half, Math.min(width - half, middle)), y, label, { "font-size": 12, ...more });
}

// Who is refused, hanging over the largest hole at the strip's scale. What does not fit
// hangs out at the right, or at the left where the strip ends first.
function refusedPlace(view, facts, hole = facts.largest) {
  const { num_slots: numSlots } = view.data;
  const size = hole?.size ?? 0;
  const over = Math.max(0, facts.asked - size);
  const start = hole?.start ?? 0;
  const toTheRight = start + facts.asked <= numSlots || start < facts.asked - size;
  return { size, over, start: toTheRight ? start : start - over, toTheRight };
}

function stripRefused(view, x, facts) {
  const { refused, asked, largest } = facts;
  const { size, over, start, toTheRight } = refusedPlace(view, facts);
  const { barTop, barHeight, top, height } = STRIP;
  const hue = raceHue(view.data, refused);
  const left = x(start);
  const [inLeft, inWidth] = [toTheRight ? left : left + x(over), x(asked - over)];
  const outLeft = toTheRight ? left + inWidth : left;
  let out = "";
  if (largest) {
    for (const slot of [largest.start, largest.start + largest.size]) {
      const edge = Math.min(view.width - 0.6, Math.max(0.6, x(slot)));
      out += `<path d="M${edge},${STRIP.lineTop} V${top + height}" stroke="var(--ink)" stroke-width="1.2"/>`;
    }
  }
  let bar = "";
  if (inWidth > 0) {
    bar += rectSvg(inLeft, barTop, inWidth, barHeight, { rx: 3, fill: "var(--paper)", stroke: hue.fill, "stroke-width": 2 });
  }
  if (over) {
    bar += rectSvg(outLeft, barTop, x(over), barHeight, { rx: 3, class: "overhang", fill: "var(--loss-paper)", stroke: "var(--loss)", "stroke-width": 2, "stroke-dasharray": "4 3" });
  }
  bar += refusedChip(hue, refused, (inWidth > 26 ? inLeft : outLeft) + 5, barTop + 5);
  const asks = `asks for ${asked}`;
  const asksRoom = inWidth - 34 > textWidth(asks, 12);
  if (asksRoom) bar += stripText(inLeft + 31, barTop + 18.5, asks, { "font-size": 12, "text-anchor": "start" });
  return out + `<g class="refused">${bar}</g>` + overhangLabel(view, x, { over, outLeft, toTheRight, asked, asksRoom, size });
}

function refusedChip(hue, name, x, y, height = 18) {
  const width = Math.max(20, textWidth(name, 12) + 8);
  const edge = hue.isLight ? "#1b1b1b" : hue.fill;
  return (
    rectSvg(x, y, width, height, { rx: 4, fill: hue.fill, stroke: edge }) +
    stripText(x + width / 2, y + height / 2 + 4.3, name, { "font-size": 12, fill: hue.text })
  );
}

// "82 slots too long", inside the overhang where it fits, beside it where it does not.
function overhangLabel(view, x, { over, outLeft, toTheRight, asked, asksRoom }) {
  if (!over) return "";
  const y = STRIP.barTop + 18.5;
  const loss = { "font-size": 12, fill: "var(--loss)" };
  const full = asksRoom ? `${amount(over, "slot")} too long` : `asks for ${asked}, ${over} too long`;
  const room = x(over) - 10;
  for (const label of [full, `${over} too long`]) {
    if (textWidth(label, 12) <= room && (asksRoom || label === full)) {
      return stripText(outLeft + x(over) / 2, y, label, loss);
    }
  }
  const right = outLeft + x(over) + 8;
  const fitsRight = toTheRight && right + textWidth(full, 12) < view.width;
  const place = fitsRight ? [right, "start"] : [Math.max(textWidth(full, 12), (toTheRight ? x(0) : outLeft) - 8), "end"];
  return stripText(place[0], y, full, { ...loss, "text-anchor": place[1] });
}

// --- the holes as one ---------------------------------------------------------------

const HOLES = { top: 4, height: 24, bar: 34, barHeight: 24, bracket: 67, total: 94 };

function drawRaceHoles(view, facts) {
  const { svg, paint } = view.parts.holes;
  const W = view.holesWidth;
  const x = (slot) => (slot / view.data.num_slots) * view.width * holesScale(view, facts);
  resizeSvg(svg, W, HOLES.total);
  let out = "";
  let packed = 0;
  for (const hole of facts.holes) {
    out += holePiece(paint, x, hole, packed);
    packed += hole.size;
  }
  if (facts.refused !== null) out += holesBar(view, x, facts, packed);
  if (packed) {
    out += bracketSvg(0, x(packed), HOLES.bracket);
    out += clampedText(x(packed) / 2, HOLES.bracket + 20, `sum of holes ${packed}`, W);
  } else out += stripText(0, HOLES.top + 17, "there is no hole", { "font-size": 12, "text-anchor": "start" });
  svg.body.innerHTML = out;
  placeHoles(view);
}

// 1, the scale of the strip, unless all holes together are wider than their box.
function holesScale(view, facts) {
  const needed = (Math.max(facts.free, facts.asked) / view.data.num_slots) * view.width;
  return Math.min(1, view.holesWidth / needed);
}

function holePiece(paint, x, { start, size }, packed) {
  const [left, width] = [x(packed) + 0.75, x(size) - 1.5];
  let out = rectSvg(left, HOLES.top, width, HOLES.height, { rx: 2, fill: "var(--paper)" });
  out += rectSvg(left, HOLES.top, width, HOLES.height, { rx: 2, fill: paint.hatch(), stroke: "var(--ink2)" });
  const plate = textWidth(size, 11.5) + 12;
  if (width >= plate + 2) {
    out += rectSvg(left + width / 2 - plate / 2, HOLES.top + 4, plate, 16, { rx: 3, fill: "var(--paper)" });
    out += stripText(left + width / 2, HOLES.top + 16.5, size, { "font-size": 11.5 });
  }
  const place = rectSvg(left, HOLES.top, width, HOLES.height, { rx: 2, fill: "none", stroke: "var(--line2)", "stroke-dasharray": "3 3" });
  return `${place}<g class="hole" data-from="${x(start)}" data-to="${x(packed)}">${out}</g>`;
}

function holesBar(view, x, facts, sum) {
  const { refused, asked } = facts;
  const hue = raceHue(view.data, refused);
  const width = x(asked);
  const inside = x(Math.min(asked, sum));
  let out = "";
  if (inside > 0) {
    out += rectSvg(0.75, HOLES.bar, inside - 1.5, HOLES.barHeight, { rx: 3, fill: "var(--paper)", stroke: hue.fill, "stroke-width": 2 });
  }
  if (!facts.fits) {
    out += rectSvg(inside, HOLES.bar, width - inside, HOLES.barHeight, { rx: 3, class: "overhang", fill: "var(--loss-paper)", stroke: "var(--loss)", "stroke-width": 2, "stroke-dasharray": "4 3" });
  }
  out += refusedChip(hue, refused, 5, HOLES.bar + 4, 16);
  const label = facts.fits ? `${asked} would fit` : `${asked} would not fit`;
  const fill = facts.fits ? "var(--ink)" : "var(--loss)";
  const halo = { "paint-order": "stroke", stroke: "var(--paper)", "stroke-width": 3 };
  return out + stripText(32, HOLES.bar + 16.5, label, { "font-size": 12, "text-anchor": "start", fill, ...halo });
}

// Together in their box, or apart: each over its place in the strip.
function placeHoles(view) {
  const { svg } = view.parts.holes;
  const strip = view.parts.strip.svg.getBoundingClientRect();
  const box = svg.getBoundingClientRect();
  const up = strip.top + STRIP.top + (STRIP.height - HOLES.height) / 2 - (box.top + HOLES.top);
  for (const piece of svg.querySelectorAll(".hole")) {
    const { from, to } = piece.dataset;
    piece.style.transform = view.apart ? `translate(${from - to}px, ${up}px)` : "none";
  }
}
