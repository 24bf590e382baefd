// One block as a cell, in every state of the language that lesson pages and players share.
// assets.py puts the palette (const HUES), film.js and drawing.js in front of this file,
// and a widget's own files behind it; all share one scope, there are no imports.
//
//   const film = readFilm(json);               decode once
//   const facts = factsAt(film, i);            owners, filled slots, what is wrong
//   const svg = newSvg(width, height, "label");
//   const paint = paintBox(svg);               patterns and arrow heads of this svg
//   svg.body.innerHTML = cellSvg(paint, { ...cellOf(film, facts, blockId), x, y, size });

// A block as a cell. Give it what cellOf says, and
//   x, y, size   where; letters from 18 px, ids from 28 px, "6/16" from 36 px
//   look         "", or instead of the block's own state: "freed" (given back by a sequence
//                that ends), "dropped" (by one that is preempted), "kept" (preempted, kept
//                on the host), "reserved" (unused, of a contiguous cache), "cached"
//   ring         "" | "touched" | "fresh" (a copy) | "wrong"
//   faded        the event does not touch it: only its fill fades
//   badge        "" | "inside" | "corner": where the ref_count stands; a corner badge
//                reaches over what is beside the cell
//   letters      false: no letters, whatever the size
function cellSvg(paint, cell) {
  const drawn = { look: "", ring: "", badge: "", letters: true, faded: false, owners: [], ...cell };
  const parts = [fillSvg(paint, drawn), labelSvg(drawn), ringSvg(drawn), countSvg(drawn)];
  return `<g class="cell${drawn.faded ? " faded" : ""}" data-block="${esc(drawn.id)}">${parts.join("")}</g>`;
}

const EMPTY_LOOKS = {
  free: { stroke: "var(--free)", "stroke-dasharray": "2.5 2.5" },
  freed: { stroke: "var(--ink2)", "stroke-width": 1.5, "stroke-dasharray": "4 3" },
  dropped: { stroke: "var(--loss)", "stroke-width": 2, "stroke-dasharray": "4 3" },
  lost: { stroke: "var(--loss)", "stroke-width": 2, "stroke-dasharray": "4 3" },
  dangling: { stroke: "var(--loss)", "stroke-width": 2, "stroke-dasharray": "4 3" },
  kept: { stroke: "var(--ink2)", "stroke-width": 1.5, "stroke-dasharray": "4 3" },
};

function fillSvg(paint, cell) {
  const { x, y, size, owners } = cell;
  const radius = size >= 18 ? 4 : size >= 8 ? 2 : 0;
  const box = (attributes, inset = 1) =>
    rectSvg(x + inset, y + inset, size - 2 * inset, size - 2 * inset, { rx: radius, ...attributes });
  const name = cell.look || cell.state;
  if (name === "reserved") {
    const hue = owners[0]?.hue.fill ?? "var(--ink2)";
    return box({ class: "fill", fill: "none", stroke: hue, "stroke-width": 1.6, "stroke-dasharray": "3 2" });
  }
  if (name === "cached") {
    return box({ class: "fill", fill: paint.dots(), stroke: "var(--free)" });
  }
  if (name in EMPTY_LOOKS) {
    const look = { fill: "none", "stroke-width": 1, ...EMPTY_LOOKS[name] };
    const loud = ["lost", "freed", "dropped"].includes(name) && size >= 8;
    const cross = loud ? crossSvg(x, y, size, look.stroke) : "";
    const loss = look.stroke === "var(--loss)" ? " loss" : "";
    return box({ class: `fill free${loss}`, ...look }, 0.5) + cross;
  }
  return heldSvg(paint, cell, box, radius);
}

function crossSvg(x, y, size, colour) {
  const r = Math.min(9, size * 0.2);
  const [cx, cy] = [x + size / 2, y + size / 2 + (size >= 28 ? 2 : 0)];
  return `<path d="M${cx - r},${cy - r} l${2 * r},${2 * r} M${cx + r},${cy - r} l${-2 * r},${2 * r}" stroke="${colour}" stroke-width="2" fill="none"/>`;
}

function heldSvg(paint, cell, box, radius) {
  const { x, y, size, owners } = cell;
  const hues = owners.slice(0, 4).map((owner) => owner.hue);
  const shared = hues.length > 1;
  const paper = box({ fill: "var(--paper)" });
  if (!hues.length) {
    const grey = cell.count > 1 ? paint.greyStripes() : "var(--line)";
    return `<g class="fill">${paper}${box({ fill: grey, stroke: "var(--ink2)", "stroke-width": 1.2 })}</g>`;
  }
  const fill = shared ? paint.stripes(hues, size >= 18 ? 5 : 3) : hues[0].fill;
  const edge = shared || hues[0].isLight ? "var(--ink)" : hues[0].fill;
  const share = cell.slots ? cell.filled / cell.slots : 1;
  if (share >= 1 && cell.low >= cell.slots) {
    return `<g class="fill">${paper}${box({ fill, stroke: edge, "stroke-width": size >= 18 ? 1.2 : 0.8 })}</g>`;
  }
  const inner = size - 2;
  const level = (part) => inner * Math.max(0, Math.min(1, part));
  const clip = radius ? ` clip-path="${paint.clip(x + 1, y + 1, inner)}"` : "";
  let inside = "";
  if (shared && cell.low < cell.filled) {
    // owners disagree on the length: the upper slots are those of the longer ones only
    const top = level(share);
    inside += rectSvg(x + 1, y + 1 + inner - top, inner, top, { fill: paint.hatch() });
  }
  const height = level(shared ? Math.min(cell.low, cell.filled) / cell.slots : share);
  inside += rectSvg(x + 1, y + 1 + inner - height, inner, height, { class: "level", fill });
  const line = shared ? "var(--ink)" : hues[0].fill;
  let out = `${paper}<g${clip}>${inside}</g>`;
  out += box({ fill: "none", stroke: line, "stroke-width": size >= 18 ? 2 : 1 }, 1.5);
  if (!shared && hues[0].isLight) {
    out += box({ fill: "none", stroke: "var(--ink)", "stroke-width": 0.8 }, 0.5);
  }
  return `<g class="fill">${out}</g>`;
}

function labelSvg(cell) {
  const { x, y, size, owners, look } = cell;
  if (size < 18) return "";
  const loud = cell.ring !== "" && !cell.faded;
  const isCached = look === "cached" || (!look && cell.state === "cached");
  const empty = look ? look !== "cached" : cell.state === "free";
  const share = cell.slots ? cell.filled / cell.slots : 1;
  // over a full fill of one hue, letters have the hue's text colour; faded they are ink.
  // CSS does that, so a cell fades without being drawn again.
  const onHue = cell.state === "held" && !look && share >= 1 && owners.length === 1;
  const overFill = onHue ? { class: "on-hue", style: `--on:${owners[0].hue.text}` } : {};
  const centre = { "text-anchor": "middle", "font-weight": 700 };
  let out = "";
  const big = size >= 52 ? 1.2 : 1;
  if (size >= 28 && cell.id !== null) {
    const halo = share < 1 || owners.length > 1 ? HALO : {};
    out += textSvg(x + 4.5, y + 12.3 * (loud ? 1.05 : 1), cell.id, {
      "font-size": loud ? 11 : 10, "font-weight": loud ? 600 : 400,
      fill: loud || owners.length || isCached ? "var(--ink)" : "var(--ink2)",
      ...(isCached ? HALO : empty ? {} : halo), ...overFill,
    });
  }
  if (!cell.letters || empty) return out;
  const counted = owners.length > 0 && cell.slots && share < 1 && size >= 36 && cell.state === "held";
  const middle = y + size / 2 + (counted ? 3.5 : size >= 28 ? 7 : 4);
  // where two letters do not fit, the count stands alone: in the badge, or as the label
  const short = size < 28 ? String(owners.length) : "";
  const label = owners.length > 1 && size < 36 ? short : ownersLabel(owners, size - 2, size < 28 ? 10 : 11);
  if (label) {
    const fontSize = (size < 28 ? 10 : owners.length > 1 || label.length > 2 ? 11 : counted ? 12 : 13) * big;
    const plate = owners.length > 1 && share >= 1 && size >= 36;
    if (plate) out += rectSvg(x + 2, middle - 11.1, size - 4, 15, { rx: 3, fill: "var(--paper)", opacity: 0.92 });
    const halo = plate || onHue ? {} : HALO;
    out += textSvg(x + size / 2, middle, label, { ...centre, "font-size": fontSize, ...halo, ...overFill });
  }
  if (counted) {
    const text = cell.low < cell.filled ? `${cell.low}≠${cell.filled}` : `${cell.filled}/${cell.slots}`;
    out += textSvg(x + size / 2, y + size - 5, text, { ...centre, "font-size": 10, "font-weight": 600, ...HALO });
  }
  return out;
}

// "A·A.1", or "A+2" where more do not fit: the first owner and how many others.
function ownersLabel(owners, width, fontSize) {
  const labels = owners.map((owner) => String(owner.label));
  const all = labels.join("·");
  if (textWidth(all, fontSize) <= width || !labels.length) return all;
  // of one long name the end tells most: S128 becomes 128
  if (labels.length === 1) return width < 26 ? ending(all, width, fontSize) : shortened(all, width, fontSize);
  return `${shortened(labels[0], width - 16, fontSize)}+${labels.length - 1}`;
}

function ringSvg(cell) {
  const { x, y, size, ring } = cell;
  const around = (distance, attributes) =>
    rectSvg(x - distance, y - distance, size + 2 * distance, size + 2 * distance, { fill: "none", stroke: "var(--ink)", ...attributes });
  const small = size < 18;
  if (ring === "fresh") {
    return (
      around(small ? 3 : 3.5, { rx: small ? 3 : 7, "stroke-width": 1.6, class: "ring" }) +
      around(0.2, { rx: small ? 2 : 4.5, "stroke-width": small ? 1 : 1.6 })
    );
  }
  if (ring === "touched") return around(small ? 1.5 : 2.5, { rx: small ? 3 : 6, "stroke-width": 2, class: "ring" });
  if (ring === "wrong") return around(3.5, { rx: 6, "stroke-width": 2.6, stroke: "var(--loss)", class: "ring" });
  return "";
}

function countSvg(cell) {
  const { x, y, size, badge, count } = cell;
  if (!cell.owners.length && cell.state === "held" && size >= 18 && !cell.look) {
    // a pool by itself: the count is all there is to know
    const fontSize = size >= 40 ? 18 : size >= 28 ? 13 : 11;
    return textSvg(x + size / 2, y + size / 2 + fontSize * (size >= 28 ? 0.5 : 0.36), count, {
      "font-size": fontSize, "font-weight": 700, "text-anchor": "middle", ...(count > 1 ? HALO : {}),
    });
  }
  if (badge === "" || size < 28) return "";
  if (badge === "inside") return insideBadgeSvg(cell);
  return badgeSvg(x + size + 1, y - 1, count, { radius: size >= 40 ? 10 : 8.5, loss: cell.wrongCount });
}

// Inside the cell, so that it covers no neighbour's id; a cell whose own id leaves no room
// has it on its upper edge.
function insideBadgeSvg({ x, y, size, ring, count, wrongCount }) {
  const radius = ring && size >= 52 ? 9.5 : ring && size >= 36 ? 8 : 7.5;
  const inset = radius + 2;
  const [right, down] = size >= 36 ? [inset, inset] : [radius - 1, -1];
  return badgeSvg(x + size - right, y + down, count, { radius, loss: wrongCount });
}
