// The panels of a schedule: who does what when, over the pool by owner, on one axis.

const SCHEDULE = { left: 44, right: 14, head: 30, pool: 80, gap: 30, axis: 34 };

function scheduleScale(view) {
  const { data, width: W } = view;
  const numRows = data.names.length;
  const row = numRows <= 6 ? 28 : numRows <= 12 ? 22 : 16;
  const inner = W - SCHEDULE.left - SCHEDULE.right;
  const tracks = numRows * row;
  const panel = SCHEDULE.head + tracks + 16 + SCHEDULE.pool;
  const top = (k) => 20 + k * (panel + SCHEDULE.gap);
  return {
    row,
    bar: row - 6,
    tracks,
    panel,
    top,
    x: (step) => SCHEDULE.left + (inner * step) / data.num_steps,
    right: SCHEDULE.left + inner,
    bottom: top(data.panels.length - 1) + panel,
    stepAt: (px) => Math.round(((px - SCHEDULE.left) / inner) * data.num_steps),
  };
}

function scheduleHue(view, name) {
  return HUES[view.data.names.indexOf(name) % HUES.length];
}

function drawSchedule(view) {
  const { svg } = view.parts;
  const scale = scheduleScale(view);
  resizeSvg(svg, view.width, scale.bottom + SCHEDULE.axis);
  let out = scheduleAxis(view, scale);
  view.data.panels.forEach((panel, k) => {
    out += schedulePanel(view, scale, panel, scale.top(k));
  });
  const captions = view.data.panels.map((panel, k) => scheduleCaption(view, panel, scale.top(k)));
  svg.body.innerHTML = `${out}<g class="cursor"></g>${captions.join("")}`;
  drawScheduleCursor(view);
}

// Above the cursor, which may cross it.
function scheduleCaption(view, panel, top) {
  const halo = { "paint-order": "stroke", stroke: "var(--paper)", "stroke-width": 5 };
  const after = textWidth(panel.name, 14) + 14;
  const caption = shortened(panel.caption, view.width - after, 11.5);
  return (
    textSvg(0, top + 14, panel.name, { "font-size": 14, "font-weight": 700, ...halo }) +
    textSvg(after, top + 14, caption, { "font-size": 12, fill: "var(--ink2)", ...halo })
  );
}

function schedulePanel(view, scale, panel, top) {
  let out = "";
  const rows = top + SCHEDULE.head;
  panel.tracks.forEach((track, k) => {
    out += scheduleTrack(view, scale, track, rows + k * scale.row);
  });
  return out + schedulePool(view, scale, panel, rows + scale.tracks + 16);
}

// --- the pool, by owner -----------------------------------------------------------

function schedulePool(view, scale, panel, top) {
  const { num_blocks: numBlocks, names } = view.data;
  const height = SCHEDULE.pool;
  const yOf = (blocks) => top + height * (1 - blocks / numBlocks);
  let out = scheduleBands(view, scale, panel, yOf);
  for (const blocks of new Set([0, Math.round(numBlocks / 2), numBlocks])) {
    out += textSvg(SCHEDULE.left - 6, yOf(blocks) + 3.6, blocks, { "font-size": 10.5, "text-anchor": "end", fill: "var(--ink2)" });
  }
  const line = (y, width) => `<path d="M${SCHEDULE.left},${y} H${scale.right}" stroke="var(--ink)" stroke-width="${width}"/>`;
  out += `<path d="M${SCHEDULE.left},${top} V${top + height} M${scale.right},${top} V${top + height}" stroke="var(--line2)"/>`;
  out += line(top, 1.6) + line(top + height, 1);
  const owners = names.length > 1 ? "blocks of the pool, by owner" : "blocks of the pool";
  return out + textSvg(scale.right - 4, top - 4, owners, { "font-size": 10.5, "font-weight": 600, "text-anchor": "end" });
}

// One shape for each stretch in which an owner holds blocks, and its name in every part
// of it in which the same owners share the pool.
function scheduleBands(view, scale, panel, yOf) {
  const runs = new Map(view.data.names.map((name) => [name, []]));
  let owners = "";
  let epoch = 0;
  panel.bands.forEach(({ step, held }, k) => {
    const stop = panel.bands[k + 1]?.step ?? panel.done;
    const now = view.data.names.filter((name) => held[name]).join("|");
    if (now !== owners) epoch += 1;
    owners = now;
    let below = 0;
    for (const name of view.data.names) {
      const blocks = held[name] ?? 0;
      if (!blocks) continue;
      const piece = { start: step, stop, epoch, left: scale.x(step), right: scale.x(stop), top: yOf(below + blocks), bottom: yOf(below) };
      const run = runs.get(name).at(-1);
      if (run && run.at(-1).stop === step) run.push(piece);
      else runs.get(name).push([piece]);
      below += blocks;
    }
  });
  let [shapes, letters] = ["", ""];
  for (const [name, all] of runs) {
    const hue = scheduleHue(view, name);
    for (const run of all) {
      shapes += `<path class="band" d="${bandPath(run)}" fill="${hue.fill}" opacity="0.85"/>`;
      shapes += `<path d="${bandFoot(run, yOf(0))}" stroke="var(--paper)" fill="none"/>`;
      for (const number of new Set(run.map((piece) => piece.epoch))) {
        letters += bandLetter(name, hue, run.filter((piece) => piece.epoch === number));
      }
    }
  }
  return shapes + letters;
}

function bandPath(run) {
  const top = run.map((p) => `L${p.left},${p.top} L${p.right},${p.top}`).join(" ");
  const back = run.toReversed().map((p) => `L${p.right},${p.bottom} L${p.left},${p.bottom}`).join(" ");
  return `M${run[0].left},${run[0].bottom} ${top} ${back} Z`;
}

// A line of paper between two owners, not along the axis.
function bandFoot(run, axis) {
  return run.filter((p) => p.bottom < axis).map((p) => `M${p.left},${p.bottom} H${p.right}`).join(" ");
}

function bandLetter(name, hue, pieces) {
  const [left, right] = [pieces[0].left, pieces.at(-1).right];
  const middle = (left + right) / 2;
  const high = pieces.filter((p) => p.bottom - p.top >= 11 && p.right - p.left >= 9);
  const off = (p) => Math.max(p.left - middle, middle - p.right, 0);
  const best = high.sort((a, b) => off(a) - off(b))[0];
  const label = shortened(name, right - left - 6, 12);
  if (!best || right - left < 30 || !label) return "";
  const x = Math.max(best.left + 5, Math.min(best.right - 5, middle));
  return textSvg(x, (best.top + best.bottom) / 2 + 4.3, label, { "font-weight": 700, "text-anchor": "middle", fill: hue.text });
}

// --- axis and cursor --------------------------------------------------------------

function scheduleAxis(view, scale) {
  const { num_steps: numSteps } = view.data;
  const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
  const tick = steps.find((step) => numSteps / step <= (scale.right - SCHEDULE.left) / 70) ?? 2000;
  let out = "";
  for (let step = 0; step <= numSteps; step += tick) {
    const x = scale.x(step);
    out += `<path d="M${x},${scale.bottom} v5" stroke="var(--ink2)"/>`;
    out += textSvg(x, scale.bottom + 18, step ? step : "step 0", { "font-size": 10.5, "text-anchor": "middle", fill: "var(--ink2)" });
  }
  return out;
}

function drawScheduleCursor(view) {
  const { svg } = view.parts;
  const scale = scheduleScale(view);
  const x = scale.x(view.at);
  const label = `step ${view.at}`;
  const width = textWidth(label, 12) + 20;
  const left = Math.max(0, Math.min(view.width - width, x - width / 2));
  const top = scale.bottom + 6;
  svg.querySelector(".cursor").innerHTML =
    `<path d="M${x},16 V${scale.bottom + 6}" stroke="var(--ink)" stroke-width="2"/>` +
    `<circle cx="${x}" cy="9" r="7" fill="var(--paper)" stroke="var(--ink)" stroke-width="2"/>` +
    rectSvg(left, top, width, 20, { rx: 4, fill: "var(--ink)" }) +
    textSvg(left + width / 2, top + 14.2, label, { "font-weight": 700, "text-anchor": "middle", fill: "var(--paper)" });
}
