// The right column: a copy's three beats as a filmstrip; for other events the block the
// event is about (or the one that was chosen), and how to read a cell.

const BEATS = ["shared", "copied", "flipped"];

// One card of the filmstrip, 182 x 142. The states are those of the film, so a wrong
// manager is shown doing what it did.
function beatSvg(film, paint, i, beat) {
  const frame = film.frames[i];
  const [source, target] = copyOf(film, i);
  const [before, after] = [factsAt(film, i - 1), factsAt(film, i)];
  const facts = [before, copiedFacts(film, i), after][beat - 1];
  const writer = frame.seq;
  const k = before.state.tables.get(writer)?.blocks.lastIndexOf(source) ?? -1;
  const readers = (before.owners.get(source) ?? []).filter((seq) => seq !== writer);
  const pair = [readers[0], writer];
  const rows = [...before.state.tables.keys()].filter((seq) => pair.includes(seq));
  const entryOf = (seq) => {
    const { blocks } = facts.state.tables.get(seq) ?? { blocks: [] };
    if (seq === writer) return k >= 0 ? blocks[k] : blocks.at(-1);
    return blocks.includes(source) ? source : blocks.at(-1);
  };
  const boxes = new Map([[source, { x: 93, y: 46 }], [target, { x: 139, y: 78 }]]);
  const size = 36;
  const wide = Math.max(24, 8 + 6.4 * String(film.numBlocks - 1).length);
  let out = "";
  rows.forEach((seq, row) => {
    const y = 44 + row * 40;
    const block = entryOf(seq);
    out += chipSvg(film, seq, 10, y, 28, 18);
    out += rectSvg(40, y, wide, 18, { rx: 3, fill: "var(--paper)", stroke: "var(--ink)", "stroke-width": 1.3 });
    out += textSvg(40 + wide / 2, y + 13, block ?? "", { "font-weight": 700, "text-anchor": "middle" });
    if (boxes.has(block)) out += beatArrowSvg(film, paint, seq, { x: 42 + wide, y: y + 9 }, boxes.get(block), block === target);
  });
  if (readers.length > 1) out += textSvg(10, 76, `and ${readers.length - 1} more`, { "font-size": 10, fill: "var(--ink2)" });
  const small = { size, letters: false, slots: film.blockSize };
  out += cellSvg(paint, { ...cellOf(film, facts, source), ...boxes.get(source), ...small, badge: "corner" });
  out += cellSvg(paint, { ...cellOf(film, facts, target), ...boxes.get(target), ...small, ring: beat === 2 ? "fresh" : "" });
  if (beat === 2) {
    out += `<path d="M131,64 Q158,50 158,70" fill="none" stroke="var(--ink)" stroke-width="1.4" stroke-dasharray="4 3" marker-end="${paint.arrow()}"/>`;
  }
  if (beat === 3) {
    const [was, is] = [before.state.counts[source], after.state.counts[source]];
    if (was !== is) out += textSvg(143, 50, `was ${was}`, { "font-size": 10.5, fill: "var(--ink2)" });
  }
  return out;
}

function beatArrowSvg(film, paint, seq, from, box, toTarget) {
  const hue = hueOf(film, seq).fill;
  const [x, y] = [box.x - 3, box.y + (toTarget ? 20 : from.y < 60 ? 10 : 26)];
  return `<path d="M${from.x},${from.y} C${from.x + 14},${from.y} ${x - 18},${y} ${x},${y}" fill="none" stroke="${hue}" stroke-width="1.8" marker-end="${paint.arrow()}"/>`;
}

function beatCaption(film, i, beat) {
  const frame = film.frames[i];
  const [source, target] = copyOf(film, i);
  const [before, after] = [factsAt(film, i - 1), factsAt(film, i)];
  const filled = before.filled.get(source) ?? 0;
  if (beat === 1) {
    const slot = `slot ${filled % (film.blockSize || 1)} of ${source}`;
    const text = `${frame.seq} wants to write ${slot}`;
    return text.length < 34 ? text : `${frame.seq} wants ${slot}`;
  }
  if (beat === 2) return `${amount(filled, "filled slot")} ${filled === 1 ? "flies" : "fly"} to block ${target}`;
  const { blocks } = after.state.tables.get(frame.seq) ?? { blocks: [] };
  const points = blocks.includes(target) ? `${frame.seq} points to ${target}` : `${frame.seq} does not point to ${target}`;
  const [was, is] = [before.state.counts[source], after.state.counts[source]];
  return `${points}, badge ${was === is ? `stays ${was}` : `${was} to ${is}`}`;
}

// --- one block, in words ------------------------------------------------------------

// [[what, value]...]; values are text, or {seqs: [...]} to be shown as chips.
function blockFacts(film, facts, block) {
  const owners = facts.owners.get(block) ?? [];
  const count = facts.state.counts[block];
  const rows = [];
  if (film.hasTables) {
    rows.push(["held by", owners.length ? { seqs: owners } : count ? "no table" : "nobody: free"]);
  }
  rows.push(["ref_count", String(count)]);
  if (film.blockSize) {
    const [filled, low] = [facts.filled.get(block) ?? 0, facts.low.get(block) ?? 0];
    const text = low < filled ? `${low} or ${filled}, owners differ` : `${filled} of ${film.blockSize}`;
    if (owners.length) rows.push(["filled", text]);
    const first = block * film.blockSize;
    rows.push(["slots", `${first} to ${first + film.blockSize - 1}`]);
  }
  const places = owners.slice(0, 3).map((seq) => {
    const { blocks } = facts.state.tables.get(seq);
    return `${blocks.indexOf(block)} of ${seq}`;
  });
  if (places.length) rows.push(["logical", places.join(", ")]);
  return rows;
}

// The same as one sentence, for a screen reader.
function blockSentence(film, facts, block) {
  const text = blockFacts(film, facts, block).map(([what, value]) => `${what} ${value.seqs ? listed(value.seqs) : value}`);
  return `Block ${block}: ${text.join("; ")}.`;
}

function blockHtml(film, view, block) {
  const rows = blockFacts(film, view.shown, block).map(([what, value]) => {
    const shown = value.seqs
      ? value.seqs.slice(0, 4).map((seq) => chipHtml(film, seq)).join(" ") + (value.seqs.length > 4 ? ` +${value.seqs.length - 4}` : "")
      : esc(value);
    return `<dt>${what}</dt><dd>${shown}</dd>`;
  });
  return `<div class="block-name">Block ${block}</div><dl>${rows.join("")}</dl>`;
}

// What a refused call lacked, counted from the call: {needed, numFree}, or null where
// blocks were not the reason.
function missingBlocks(film, view) {
  const { frame, shown } = view;
  if (!frame.error.startsWith("OutOfBlocks") || !film.blockSize || !frame.tokens) return null;
  const len = shown.state.tables.get(frame.seq)?.len ?? 0;
  const size = film.blockSize;
  const isCopy = len % size > 0 && (shown.state.counts[shown.state.tables.get(frame.seq)?.blocks.at(-1)] ?? 0) > 1;
  const needed = Math.ceil((len + frame.tokens) / size) - Math.ceil(len / size) + isCopy;
  return needed > frame.num_free ? { needed, numFree: frame.num_free } : null;
}

function missingHtml({ needed, numFree }) {
  const most = 70;
  const one = (k) => rectSvg((k % 10) * 16 + 0.5, Math.floor(k / 10) * 16 + 0.5, 12, 12,
    k < numFree
      ? { rx: 2, fill: "none", stroke: "var(--ink)", "stroke-width": 1.4 }
      : { rx: 2, fill: "var(--loss-paper)", stroke: "var(--loss)", "stroke-width": 1.4, "stroke-dasharray": "3 2" });
  const boxes = Array.from({ length: Math.min(needed, most) }, (_, k) => one(k)).join("");
  const height = Math.ceil(Math.min(needed, most) / 10) * 16;
  return (
    `<div class="block-name">needs ${withCommas(needed)}, ${withCommas(numFree)} free</div>` +
    `<svg width="160" height="${height}" aria-hidden="true" style="margin:9px 0">${boxes}</svg>` +
    `<div class="loss"><b>${amount(needed - numFree, "block")} missing</b></div>` +
    (needed > most ? `<div class="small">the first ${most} are drawn</div>` : "")
  );
}

// --- how to read a cell ---------------------------------------------------------------

function legendCells(film) {
  const [a, b] = HUES;
  const owner = (hue, label) => ({ hue, label });
  if (!film.hasTables) {
    const remembers = film.frames.some((frame) => frame.cached?.length);
    return [
      [{ state: "free" }, "free"],
      ...(remembers ? [[{ state: "cached" }, "free, and can be found"]] : []),
      [{ state: "held", count: 1 }, "in use, ref_count 1"],
      [{ state: "held", count: 2 }, "in use, ref_count 2"],
      [{ state: "free", look: "freed" }, "given back just now"],
    ];
  }
  const part = { filled: 6, low: 6, slots: 16 };
  const full = { filled: 16, low: 16, slots: 16 };
  return [
    [{ state: "free" }, "free"],
    [{ state: "held", owners: [owner(a, "A")], ...full }, "held by A, full"],
    [{ state: "held", owners: [owner(a, "A")], ...part }, "last block, partly filled"],
    [{ state: "held", owners: [owner(a, "A"), owner(b, "B")], ...full, count: 2 }, "shared: striped, counted"],
    [{ state: "held", owners: [owner(a, "A")], ...full, ring: "touched" }, "touched by this event"],
    [{ state: "free", look: "freed" }, "given back just now"],
    [{ state: "free", look: "dropped" }, "lost: preempted, or leaked"],
  ];
}

function legendSvg(film, paint) {
  return legendCells(film)
    .map(([cell, text], k) => {
      const y = 4 + k * 27;
      const drawn = cellSvg(paint, { id: null, owners: [], count: 0, filled: 0, low: 0, ...cell, x: 4, y, size: 19 });
      return drawn + textSvg(34, y + 13.5, text, { fill: "var(--ink2)" });
    })
    .join("");
}

// --- drawing ------------------------------------------------------------------------------

function drawAside(p) {
  const { film, view } = p;
  const { aside, asideTitle } = p.parts;
  // a copy shows its beats, unless a block was chosen while it is on the screen
  const chosen = p.cursor ?? (view.copy ? (p.chosenAt === p.index ? p.block : null) : (p.hover ?? p.block));
  if (view.copy && chosen === null) return drawFilmstrip(p);
  const missing = chosen === null ? missingBlocks(film, view) : null;
  const shown = chosen ?? view.main;
  asideTitle.innerHTML = `<span class="title">${asideName(view, chosen, missing)}</span>`;
  aside.className = "aside-body";
  const card = node("div", { class: "card" });
  if (missing) card.innerHTML = missingHtml(missing);
  else if (shown === null) card.innerHTML = '<div class="small">This event touches no block.</div>';
  else card.innerHTML = blockHtml(film, view, shown) + wordsHtml(p.options.words?.[p.index]?.[shown]);
  if (!aside.legend) {
    const legend = newSvg(RIGHT_WIDTH, legendCells(film).length * 27);
    legend.body.innerHTML = legendSvg(film, paintBox(legend));
    aside.legend = node("div", {}, node("div", { class: "title legend-title" }, "How to read a cell"), legend);
  }
  aside.replaceChildren(card, aside.legend);
}

function asideName({ inked }, chosen, missing) {
  if (missing) return "Too few free blocks";
  if (chosen !== null) return "The block you chose";
  return inked.size > 1 ? `One of ${inked.size} blocks touched` : "The block touched";
}

function wordsHtml(text) {
  return text ? `<div class="words">“${esc(text)}”</div>` : "";
}

// The three beats as cards; a click goes to that beat.
function drawFilmstrip(p) {
  const { aside, asideTitle } = p.parts;
  asideTitle.innerHTML = '<span class="title">The copy in three beats</span>';
  if (aside.dataset.index !== String(p.index) || aside.className !== "aside-body filmstrip") {
    aside.dataset.index = p.index;
    aside.className = "aside-body filmstrip";
    aside.replaceChildren(...[1, 2, 3].map((beat) => beatCard(p, beat)));
  }
  [...aside.children].forEach((card, k) => {
    card.classList.toggle("on", k + 1 === p.beat);
    card.setAttribute("aria-current", k + 1 === p.beat);
  });
}

function beatCard(p, beat) {
  const { index } = p;
  const svg = newSvg(RIGHT_WIDTH - 4, 124);
  svg.body.innerHTML = beatSvg(p.film, paintBox(svg), index, beat);
  const name = node("span", { class: "beat-name" });
  name.innerHTML = `<i>${beat}</i>${BEATS[beat - 1]}`;
  const caption = node("span", { class: "caption" }, beatCaption(p.film, index, beat));
  const onclick = () => {
    p.pause();
    p.seek(index, beat);
  };
  return node("button", { type: "button", class: "beat-card", onclick }, name, svg, caption);
}
