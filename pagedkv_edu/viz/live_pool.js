// The pool: a cell for each block, with a tick for each slot; what the pointed block holds;
// and the same memory as a contiguous cache would use it.

function livePoolDraw(view) {
  const { live, at, parts } = view;
  const width = view.poolWidth;
  const columns = live.film.numBlocks <= 64 ? 6 : live.film.numBlocks <= 160 ? 12 : 18;
  const gap = columns === 6 ? 6 : 3;
  const size = Math.floor((width - 6 - gap * (columns - 1)) / columns);
  const rows = Math.ceil(live.film.numBlocks / columns);
  const facts = factsAt(live.film, at);
  const frame = live.film.frames[at];
  const touched = liveTouched(view);
  const freed = new Set(Object.values(frame?.freed_by ?? {}).flat());
  const dropped = new Map(Object.entries(frame?.dropped_by ?? {}).flatMap(([seq, blocks]) => blocks.map((block) => [block, seq])));
  const moment = live.moments[at];
  let out = "";
  for (let block = 0; block < live.film.numBlocks; block += 1) {
    const x = 3 + (block % columns) * (size + gap);
    const y = 3 + Math.floor(block / columns) * (size + gap);
    const cell = cellOf(live.film, facts, block);
    if (cell.state === "free" && dropped.has(block)) cell.look = moment.states.get(dropped.get(block)) === "host" ? "kept" : "dropped";
    else if (cell.state === "free" && freed.has(block)) cell.look = "freed";
    const ring = view.pointed === block || touched.has(block) ? "touched" : "";
    out += cellSvg(view.paint, { ...cell, x, y, size, ring, badge: cell.count > 1 ? "inside" : "" });
    if (cell.state === "held" && size >= 40 && cell.owners.length < 2) out += liveTicks(live, cell, x, y, size);
  }
  resizeSvg(parts.pool, width, rows * (size + gap) + 3);
  parts.pool.body.innerHTML = out;
  parts.poolFacts.textContent = livePoolFacts(view, facts);
  parts.pool.setAttribute("aria-label", `Pool: ${livePoolFacts(view, facts)}`);
  livePointedDraw(view);
}

// A tick for each slot of a cell, from the bottom up; full ink where a token is.
function liveTicks(live, cell, x, y, size) {
  if (live.size > 32) return "";
  const step = (size - 8) / live.size;
  let used = "";
  let empty = "";
  for (let slot = 0; slot < live.size; slot += 1) {
    const line = `M${x + size - 7.5},${y + size - 4 - (slot + 0.5) * step} h4.5`;
    if (slot < cell.filled) used += line;
    else empty += line;
  }
  const dark = cell.owners[0]?.hue.text ?? "var(--ink)";
  return `<path d="${used}" stroke="${dark}" stroke-width="1" opacity=".75"/><path d="${empty}" stroke="var(--line2)" stroke-width="1"/>`;
}

function livePoolFacts(view, facts) {
  const { film, size } = view.live;
  const tokens = [...facts.filled.values()].reduce((sum, n) => sum + n, 0);
  const empty = facts.numHeld * size - tokens;
  return `${facts.numHeld} of ${amount(film.numBlocks, "block")} held, ${amount(tokens, "token")}, ${amount(empty, "empty slot")}`;
}

function livePointedDraw(view) {
  const { live, at, parts } = view;
  const block = view.pointed;
  if (block === null || at < 0) {
    parts.pointed.innerHTML = '<span class="ink2">Point at a block, or at words, to see which words it holds.</span>';
    return;
  }
  const words = liveWords(live, at, block);
  parts.pointed.innerHTML = words
    ? `<b>Block ${block}, pointed at, holds ${amount(words.count, "token")} of ${esc(listed(words.owners))}:</b><br>“${esc(words.text.trim())}”`
    : `<b>Block ${block} is free.</b>`;
}

// --- the same memory, contiguous ------------------------------------------------------

function liveBesideDraw(view) {
  const { live, at, parts } = view;
  const slots = live.film.numBlocks * live.size;
  parts.beside.hidden = live.reserve === 0 || at < 0;
  if (parts.beside.hidden) return;
  const width = view.poolWidth;
  const scale = width / slots;
  const facts = factsAt(live.film, at);
  const tables = [...stateAt(live.film, at).tables];
  let x = 0;
  let paged = rectSvg(0.5, 0.5, width - 1, 19, { fill: "none", stroke: "var(--free)", "stroke-dasharray": "2.5 2.5", rx: 3 });
  for (const [seq, table] of tables) {
    const held = table.blocks.length * live.size;
    paged += liveBarSvg(live, seq, x, held * scale, Math.min(1, table.len / Math.max(1, held)) * held * scale, "");
    x += held * scale;
  }
  const numPlaces = Math.floor(slots / live.reserve);
  const beside = live.film.frames[at].beside;
  let whole = rectSvg(0.5, 0.5, width - 1, 19, { fill: "none", stroke: "var(--free)", "stroke-dasharray": "2.5 2.5", rx: 3 });
  beside.forEach(([seq, tokens], place) => {
    const each = live.reserve * scale;
    whole += liveBarSvg(live, seq, place * each, each, Math.min(each, tokens * scale), "3 2");
  });
  for (const [svg, text] of [[parts.strips[0], paged], [parts.strips[1], whole]]) {
    resizeSvg(svg, width, 20);
    svg.body.innerHTML = text;
  }
  parts.besideTitle.textContent = `How many could run in these ${withCommas(slots)} slots?`;
  parts.pagedFacts.textContent = `${withCommas(facts.numHeld * live.size)} slots taken, ${tables.length} running`;
  parts.wholeName.textContent = `contiguous, ${live.reserve} each`;
  const running = live.prompts.filter((prompt) => ["running", "host", "preempted"].includes(live.moments[at].states.get(prompt.seq)));
  const late = running.filter((prompt) => !beside.some(([seq]) => seq === prompt.seq)).map((prompt) => prompt.seq);
  const began = beside.filter(([, , steps]) => steps > 0);
  const delay = began.length === 1 ? `${began[0][0]} began ${amount(began[0][2], "step")} late` : `${listed(began.map(([seq]) => seq))} began late`;
  const said = late.length ? `${listed(late)} would wait` : began.length ? delay : `${beside.length} running`;
  parts.wholeFacts.textContent = `${numPlaces} at a time: ${said}`;
}

function liveBarSvg(live, seq, x, width, filled, dash) {
  const hue = hueOf(live.film, seq);
  const line = hue.isLight ? "var(--ink)" : hue.fill;
  const edge = { fill: "none", stroke: line, "stroke-width": 1.4, "stroke-dasharray": dash || null, rx: 3 };
  let out = rectSvg(x + 1, 1, filled - 1, 18, { fill: hue.fill, rx: 2 });
  out += rectSvg(x + 1, 1, width - 2, 18, edge);
  if (filled > 13) out += textSvg(x + 7, 14, shortened(seq, filled - 9, 11), { "font-weight": 700, fill: hue.text });
  return out;
}
