// The pool of the beams explorer: a block shows the words in its slots.

function beamsPool(view, frame, facts, top) {
  const { film, width: W } = view;
  const withWords = film.blockSize <= 4;
  const gap = 6;
  const least = withWords ? 74 : 40;
  const columns = Math.min(film.numBlocks, Math.max(1, Math.floor((W + gap) / (least + gap))));
  const perRow = Math.ceil(film.numBlocks / Math.ceil(film.numBlocks / columns));
  const width = withWords ? (W - (perRow - 1) * gap) / perRow : least;
  const height = withWords ? 20 + 14 * film.blockSize : least;
  const place = (block) => ({ x: (block % perRow) * (width + gap), y: top + 16 + Math.floor(block / perRow) * (height + 14) });
  const { held, alone } = beamsSharing(facts);
  let out = textSvg(0, top, "Physical pool", { "font-size": 13, "font-weight": 700 });
  out += textSvg(W, top, `${held} of ${amount(film.numBlocks, "block")} held; ${alone} would be, if none were shared`, { "text-anchor": "end", fill: "var(--ink2)" });
  const words = beamsWords(view);
  const touched = new Set([...frame.taken, ...frame.freed, ...frame.copies.map(([source]) => source)]);
  for (let block = 0; block < film.numBlocks; block += 1) {
    const cell = cellOf(film, facts, block);
    const look = frame.freed.includes(block) ? "freed" : "";
    const ring = frame.copies.some(([, target]) => target === block) ? "fresh" : touched.has(block) ? "touched" : "";
    const faded = !touched.has(block) && !(frame.kind === "fork" && cell.owners.some((o) => o.label === frame.seq));
    out += withWords
      ? beamsWordCell(view, { ...cell, ...place(block), width, height, look, ring, faded, words: words.get(block) ?? [], frame })
      : cellSvg(view.paint, { ...cell, ...place(block), size: width, look, ring: look ? "" : ring, faded, badge: cell.count > 1 ? "inside" : "" });
  }
  for (const [source, target] of frame.copies) out += beamsArc(view, place(source), place(target), width, height);
  const rows = Math.ceil(film.numBlocks / perRow);
  return { svg: out, bottom: top + 16 + rows * (height + 14) };
}

// A block with its words: a line for each slot, tinted in its owners' hues.
function beamsWordCell(view, cell) {
  const { x, y, width, height, owners, look, faded } = cell;
  if (!owners.length) return beamsEmptyCell(cell);
  const hues = owners.map((owner) => owner.hue);
  const tint = hues.length > 1 ? view.paint.stripes(hues.slice(0, 4), 5) : hues[0].fill;
  const edge = hues.length > 1 ? "var(--ink)" : hues[0].isLight ? "var(--ink)" : hues[0].fill;
  let out = `<g class="wordcell${faded ? " faded" : ""}" data-block="${cell.id}" data-count="${cell.count}">`;
  out += rectSvg(x, y, width, height, { rx: 5, fill: "var(--paper)" });
  for (let slot = 0; slot < cell.slots; slot += 1) {
    const top = y + 18 + slot * 14;
    const isFilled = slot < cell.filled;
    if (isFilled) out += rectSvg(x + 2, top, width - 4, 13, { rx: 2, fill: tint, class: "tint" });
    else out += rectSvg(x + 4.5, top + 0.5, width - 9, 12, { rx: 2, fill: "none", stroke: "var(--line)" });
    const word = cell.words[slot];
    if (isFilled) {
      out += textSvg(x + width / 2, top + 9.8, word === undefined ? "…" : shortened(word, width - 8, 11), {
        "font-size": 11, "text-anchor": "middle", "font-weight": word === undefined ? 700 : 400, ...HALO, "stroke-opacity": 0.85,
      });
    }
  }
  out += rectSvg(x + 0.75, y + 0.75, width - 1.5, height - 1.5, { rx: 5, fill: "none", stroke: edge, "stroke-width": 1.5 });
  out += textSvg(x + 6, y + 13, cell.id, { "font-size": 10 });
  const room = width - 22 - (cell.count > 1 ? 20 : 0);
  out += textSvg(x + width - (cell.count > 1 ? 24 : 7), y + 13, ownersLabel(owners, room, 11), { "font-weight": 700, "text-anchor": "end" });
  if (cell.count > 1 || cell.wrongCount) out += badgeSvg(x + width - 11, y + 10, cell.count, { radius: 7.5, loss: cell.wrongCount });
  if (cell.ring === "touched") out += beamsRing(cell, 2.5);
  if (cell.ring === "fresh") out += beamsRing(cell, 2) + beamsRing(cell, 5);
  return `${out}</g>`;
}

function beamsEmptyCell({ id, x, y, width, height, look, state, frame, ring }) {
  const freed = look === "freed";
  const lost = state === "lost";
  const stroke = lost ? "var(--loss)" : freed ? "var(--ink)" : "var(--free)";
  let out = `<g class="wordcell" data-block="${id}" data-count="0">`;
  out += rectSvg(x + 0.75, y + 0.75, width - 1.5, height - 1.5, { rx: 5, fill: "none", stroke, "stroke-width": freed || lost ? 1.8 : 1, "stroke-dasharray": freed || lost ? "4 3" : "2.5 2.5" });
  out += textSvg(x + 6, y + 13, id, { "font-size": 10, fill: freed ? "var(--ink)" : "var(--ink2)" });
  if (freed || lost) {
    const [cx, cy] = [x + width / 2, y + height / 2];
    out += `<path d="M${cx - 9},${cy - 9}l18,18M${cx + 9},${cy - 9}l-18,18" stroke="${stroke}" stroke-width="2"/>`;
    const by = freed && frame.kind === "finish" ? `freed by ${frame.seq}` : freed ? "freed" : "lost";
    out += textSvg(cx, y + height - 7, by, { "text-anchor": "middle", "font-weight": 600, fill: stroke });
  }
  return `${out}</g>`;
}

function beamsRing({ x, y, width, height }, distance) {
  return rectSvg(x - distance, y - distance, width + 2 * distance, height + 2 * distance, { rx: 5 + distance, fill: "none", stroke: "var(--ink)", "stroke-width": 1.8, class: "ring" });
}

function beamsArc(view, source, target, width, height) {
  const sameRow = source.y === target.y;
  const [x1, x2] = [source.x + width / 2, target.x + width / 2];
  const [y1, y2] = sameRow ? [source.y - 3, target.y - 6] : [source.y + (source.y < target.y ? height + 3 : -3), target.y + (source.y < target.y ? -6 : height + 6)];
  const lift = sameRow ? -18 : 0;
  const path = sameRow
    ? `M${x1},${y1} C${x1},${y1 + lift} ${x2},${y2 + lift} ${x2},${y2}`
    : `M${x1},${y1} C${x1},${(y1 + y2) / 2} ${x2},${(y1 + y2) / 2} ${x2},${y2}`;
  return `<path d="${path}" fill="none" stroke="var(--ink)" stroke-width="1.8" stroke-dasharray="5 3" marker-end="${view.paint.arrow(9)}"/>`;
}
