// The paged cache of a race as a row of blocks, and the curves of both with one cursor.

function drawRaceBlocks(view, facts) {
  const { svg, paint } = view.parts.blocks;
  const { data, width: W } = view;
  const numRows = Math.ceil((data.num_blocks * 21) / W);
  const perRow = Math.ceil(data.num_blocks / numRows);
  const height = numRows === 1 ? 52 : numRows === 2 ? 40 : numRows <= 4 ? 30 : 14;
  const step = height + (height >= 30 ? 18 : 3);
  const owners = new Map();
  facts.pagedLayout.held.forEach(([name, blocks], k) => {
    const used = facts.pagedStep.tokens[k];
    blocks.forEach((block, i) => {
      const filled = Math.max(0, Math.min(data.block_size, used - i * data.block_size));
      owners.set(block, { name, filled });
    });
  });
  const ringed = new Set(facts.pagedStep.ringed);
  resizeSvg(svg, W, numRows * step + 6);
  let out = "";
  for (let block = 0; block < data.num_blocks; block += 1) {
    const cell = {
      x: ((block % perRow) * W) / perRow + 1.5,
      y: Math.floor(block / perRow) * step + 4,
      width: W / perRow - 3,
      height,
      block,
      owner: owners.get(block),
      isRinged: ringed.has(block),
    };
    out += raceBlock(view, paint, cell);
  }
  svg.body.innerHTML = out;
}

function raceBlock(view, paint, { x, y, width, height, block, owner, isRinged }) {
  const middle = { "text-anchor": "middle" };
  const id = (fill) => (height >= 30 ? textSvg(x + width / 2, y + 12, block, { ...middle, "font-size": 10, fill }) : "");
  if (!owner) {
    return rectSvg(x, y, width, height, { rx: 3, fill: "none", stroke: "var(--free)", "stroke-dasharray": "2.5 2.5" }) + id("var(--ink2)");
  }
  const hue = raceHue(view.data, owner.name);
  const size = view.data.block_size;
  const isFull = owner.filled >= size;
  const edge = hue.isLight ? "var(--ink)" : hue.fill;
  const inner = (height - 2) * (owner.filled / size);
  let out = rectSvg(x, y, width, height, { rx: 3, fill: "var(--paper)", stroke: edge, "stroke-width": 1.2 });
  out += rectSvg(x + 0.6, y + height - 1 - inner, width - 1.2, inner, { rx: 2, fill: hue.fill });
  const covers = (fromTop) => height - 1 - inner <= fromTop;
  if (height >= 14) {
    const letter = height >= 30 ? 30 : height - 3;
    const halo = covers(letter - 9) ? {} : { "paint-order": "stroke", stroke: "var(--paper)", "stroke-width": 3 };
    const fill = covers(letter - 9) ? hue.text : "var(--ink)";
    out += textSvg(x + width / 2, y + Math.min(letter, height - 3), shortened(owner.name, width - 2, 12), { ...middle, ...halo, "font-size": 12, "font-weight": 700, fill });
  }
  out += id(covers(3) ? hue.text : "var(--ink)");
  if (!isFull && height >= 30) {
    out += textSvg(x + width / 2, y + height + 13, owner.filled, { ...middle, "font-size": 10.5, "font-weight": 600, fill: "var(--ink2)" });
  }
  if (isRinged) {
    out += rectSvg(x - 2, y - 2.5, width + 4, height + 5, { rx: 5, class: "ring", fill: "none", stroke: "var(--ink)", "stroke-width": 2 });
  }
  const title = `block ${block}: ${owner.name}, ${owner.filled} of ${size} slots hold a token`;
  return `<g><title>${esc(title)}</title>${out}</g>`;
}

// --- the curves -------------------------------------------------------------------

const CURVES = { left: 36, right: 96, top: 18, height: 104, bands: 128, bandHeight: 13, axis: 156, total: 160 };

function curvesScale(view) {
  const { data, width: W } = view;
  const right = W < 700 ? 12 : CURVES.right;
  const inner = W - CURVES.left - right;
  const last = Math.max(1, data.num_steps - 1);
  return {
    inner,
    last,
    x: (step) => CURVES.left + (inner * step) / last,
    y: (slots) => CURVES.top + CURVES.height * (1 - slots / data.num_slots),
    stepAt: (px) => Math.round(((px - CURVES.left) / inner) * last),
    isWide: W >= 700,
  };
}

function raceTotals(run, upTo) {
  return run.steps.slice(0, upTo + 1).map((step) => step.tokens.reduce((a, b) => a + b, 0));
}

function drawRaceCurves(view, facts) {
  const { svg } = view.parts.curves;
  const { data, at, width: W } = view;
  const scale = curvesScale(view);
  resizeSvg(svg, W, CURVES.total);
  const contiguous = raceTotals(facts.run, facts.run.done);
  const paged = raceTotals(data.paged, data.paged.done);
  let out = curvesGrid(view, scale);
  out += curvePath(scale, contiguous, { stroke: "var(--ink2)", "stroke-width": 1.8, "stroke-dasharray": "5 3" });
  out += curvePath(scale, paged, { stroke: "var(--ink)", "stroke-width": 2.4 });
  out += curveLabels(view, scale, contiguous, paged);
  out += curveBands(view, scale, facts.run);
  out += curveCursor(view, scale, at, contiguous, paged);
  svg.body.innerHTML = out;
  svg.setAttribute("aria-valuemin", 0);
  svg.setAttribute("aria-valuemax", data.num_steps - 1);
  svg.setAttribute("aria-valuenow", at);
  svg.setAttribute("aria-valuetext", `step ${at}: contiguous ${contiguous[at] ?? 0}, paged ${paged[at] ?? 0} of ${data.num_slots} slots hold a token`);
}

function curvesGrid(view, scale) {
  const { num_slots: numSlots, num_steps: numSteps } = view.data;
  let out = "";
  for (const percent of [0, 25, 50, 75, 100]) {
    const y = scale.y((numSlots * percent) / 100);
    out += `<path d="M${CURVES.left},${y} h${scale.inner}" stroke="var(--line)"/>`;
    out += textSvg(CURVES.left - 6, y + 3.5, `${percent}%`, { "font-size": 10, fill: "var(--ink2)", "text-anchor": "end" });
  }
  const tick = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000].find((t) => numSteps / t <= scale.inner / 90) ?? 10000;
  for (let step = 0; step < numSteps; step += tick) {
    const label = step === 0 ? "step 0" : withCommas(step);
    out += textSvg(scale.x(step), CURVES.axis, label, { "font-size": 10, fill: "var(--ink2)", "text-anchor": "middle" });
  }
  return out;
}

function curvePath(scale, totals, stroke) {
  const points = totals.map((slots, step) => `${scale.x(step).toFixed(1)},${scale.y(slots).toFixed(1)}`);
  return `<path d="M${points.join(" L")}" fill="none" stroke-linejoin="round" ${attrs(stroke)}/>`;
}

const CURVE_HALO = { "paint-order": "stroke", stroke: "var(--paper)", "stroke-width": 4 };

function curveLabels(view, scale, contiguous, paged) {
  const { num_slots: numSlots } = view.data;
  const peak = paged.indexOf(Math.max(...paged));
  const share = Math.round((100 * paged[peak]) / numSlots);
  let out = clampedText(scale.x(peak), scale.y(paged[peak]) - 7, `paged, peak ${share} %`, CURVES.left + scale.inner, CURVE_HALO);
  const doneText = (run, y, words, colour) => {
    const x = scale.x(run.length - 1);
    const text = `${words} ${run.length - 1}`;
    const toTheRight = x + 6 + textWidth(text, 11) < view.width;
    const place = toTheRight ? { x: x + 6, anchor: "start" } : { x: x - 6, anchor: "end" };
    return (
      `<path d="M${x},${scale.y(0) - 8} v12" stroke="${colour}" stroke-width="2"/>` +
      textSvg(place.x, y, text, { "font-size": 11, "font-weight": 600, fill: colour, "text-anchor": place.anchor, ...CURVE_HALO })
    );
  };
  const base = scale.y(0) - 12;
  const near = Math.abs(scale.x(paged.length) - scale.x(contiguous.length)) < 150;
  out += doneText(paged, near ? base - 14 : base, "paged done, step", "var(--ink)");
  out += doneText(contiguous, base, "done,", "var(--ink2)");
  return out + contiguousLabel(scale, contiguous, paged);
}

// Where the two curves are far apart, beside the dashed one.
function contiguousLabel(scale, contiguous, paged) {
  let best = null;
  for (let step = Math.round(contiguous.length * 0.15); step < contiguous.length * 0.85; step += 1) {
    const gap = Math.abs(scale.y(contiguous[step]) - scale.y(paged[step] ?? 0));
    const bonus = step >= paged.length ? 40 : 0; // nothing else is drawn there
    const room = scale.y(contiguous[step]) > CURVES.top + 20 ? 0 : -60;
    const score = Math.min(gap, 40) + bonus + room;
    if (!best || score > best.score) best = { step, score };
  }
  if (!best) return "";
  const span = contiguous.slice(Math.max(0, best.step - 12), best.step + 13);
  const isBelow = (paged[best.step] ?? 0) > contiguous[best.step];
  const y = isBelow ? scale.y(Math.min(...span)) + 15 : scale.y(Math.max(...span)) - 7;
  return stripText(scale.x(best.step), y, "contiguous", { "font-size": 12, fill: "var(--ink2)", ...CURVE_HALO });
}

function curveBands(view, scale, run) {
  const y = CURVES.bands;
  let out = rectSvg(CURVES.left, y, scale.inner, CURVES.bandHeight, { rx: 2, fill: "var(--paper3)" });
  for (const [name, start, stop] of run.waits) {
    const [left, right] = [scale.x(start) + 0.75, scale.x(stop) - 0.75];
    const width = Math.max(2, right - left);
    out += rectSvg(left, y, width, CURVES.bandHeight, { rx: 1, class: "wait", fill: "var(--loss)" });
    if (width > textWidth(name, 10.5) + 4) {
      out += stripText(left + width / 2, y + 10.2, name, { "font-size": 10.5, fill: "var(--paper)" });
    }
  }
  if (!scale.isWide) return out;
  const at = CURVES.left + scale.inner + 6;
  const loss = { "font-size": 10.5, fill: "var(--loss)", "text-anchor": "start", "font-weight": 600 };
  return out + stripText(at, y + 8.5, "refused in the", loss) + stripText(at, y + 20, "contiguous run", loss);
}

function curveCursor(view, scale, at, contiguous, paged) {
  const x = scale.x(at);
  const dot = (slots, fill) => `<circle cx="${x}" cy="${scale.y(slots)}" r="4" fill="${fill}" stroke="var(--ink)" stroke-width="2"/>`;
  const label = `step ${at}`;
  const toTheRight = x + 10 + textWidth(label, 11) < CURVES.left + scale.inner;
  return (
    `<path d="M${x},10 V${CURVES.bands + CURVES.bandHeight + 4}" stroke="var(--ink)" stroke-width="2"/>` +
    `<circle cx="${x}" cy="8" r="6" fill="var(--paper)" stroke="var(--ink)" stroke-width="2"/>` +
    textSvg(x + (toTheRight ? 11 : -11), 12, label, { "font-weight": 700, "text-anchor": toTheRight ? "start" : "end", ...CURVE_HALO }) +
    dot(paged[at] ?? 0, "var(--ink)") +
    dot(contiguous[at] ?? 0, "var(--paper)")
  );
}
