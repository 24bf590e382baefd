// A history over extents, the contiguous cache: strips of slots with their holes.

function readExtents(json) {
  const film = { numSlots: json.num_slots, frames: json.frames, hueBySeq: new Map(), live: [] };
  for (const frame of json.frames) {
    const present = frame.state.extents.map((extent) => String(extent.seq));
    film.live = film.live.filter((seq) => present.includes(seq));
    for (const seq of present) {
      if (film.live.includes(seq)) continue;
      if (!film.hueBySeq.has(seq)) film.hueBySeq.set(seq, nextHue(film));
      film.live.push(seq);
    }
  }
  return film;
}

const STRIP_WIDTH = 262;

function extentsLook() {
  return {
    width: STRIP_WIDTH + 112,
    note: "",
    differences: extentDifferences,
    draw: (film, i, marks, { ring }) => drawExtents(film, i, marks, ring),
  };
}

function extentDifferences(yours, reference, numCalls) {
  return Array.from({ length: numCalls }, (_, i) => {
    const marks = new Map();
    if (!yours.film.frames[i] || !reference.film.frames[i]) return marks;
    const namesOf = (film) => [...film.frames[i].state.extents, ...holesOf(film, i)].map(extentName);
    const wanted = new Set(namesOf(reference.film));
    for (const name of namesOf(yours.film)) if (!wanted.has(name)) marks.set(name, true);
    const free = (film) => holesOf(film, i).reduce((sum, hole) => sum + hole.length, 0);
    if (free(yours.film) !== free(reference.film)) marks.set("free", true);
    return marks;
  });
}

// "a 0+6", or "hole 6+4" for a hole, which has no sequence.
function extentName({ start, length, seq = "hole" }) {
  return `${seq} ${start}+${length}`;
}

// The holes that the allocator says it has; where it was not asked, what is not held.
function holesOf(film, i) {
  return film.frames[i].state.holes ?? notHeld(film, film.frames[i].state.extents);
}

// The stretches that none of these parts covers.
function notHeld(film, parts) {
  const open = [];
  let from = 0;
  const sorted = [...parts].sort((a, b) => a.start - b.start);
  for (const { start, length } of [...sorted, { start: film.numSlots, length: 0 }]) {
    if (start > from) open.push({ start: from, length: start - from });
    from = Math.max(from, start + length);
  }
  return open;
}

function drawExtents(film, i, marks, ring) {
  const { extents } = film.frames[i].state;
  const holes = holesOf(film, i);
  const spoken = [
    ...extents.map(({ start, length, used, seq }) => `${seq}: slots ${start} to ${start + length - 1}, ${used} used`),
    ...holes.map(({ start, length }) => `hole of ${length} at ${start}`),
  ];
  const svg = newSvg(STRIP_WIDTH, 44, spoken.join("; "));
  const paint = paintBox(svg);
  const scale = (STRIP_WIDTH - 8) / film.numSlots;
  // holes follow from what is held, so they are marked where nothing held is wrong
  const marked = (parts) => (ring ? parts.filter((part) => marks.has(extentName(part))) : []);
  const wrong = marked(extents).length ? marked(extents) : marked(holes);
  svg.body.innerHTML =
    rectSvg(4, 8, STRIP_WIDTH - 8, 28, { fill: "none", stroke: "var(--line2)", "stroke-dasharray": "2.5 2.5" }) +
    holes.map((hole) => holeSvg(paint, hole, scale)).join("") +
    extents.map((extent) => extentSvg(film, extent, scale)).join("") +
    wrong.map((part) => wrongSvg(part, scale)).join("");
  const free = holes.reduce((sum, hole) => sum + hole.length, 0);
  const counted = freeHtml(free, marks.has("free"));
  if (holes.length > 1) {
    counted.append(node("small", {}, `largest hole ${Math.max(...holes.map((hole) => hole.length))}`));
  }
  return { parts: [svg, counted], notes: newNotes(i, (k) => extentNotes(film, k)) };
}

// Beside each other two of these must stay two, so they leave a gap.
function wrongSvg({ start, length }, scale) {
  return rectSvg(5.5 + start * scale, 5, length * scale - 3, 34, { rx: 5, fill: "none", stroke: "var(--loss)", "stroke-width": 2.6 });
}

function holeSvg(paint, { start, length }, scale) {
  const [x, width] = [4 + start * scale, length * scale];
  const label = String(length);
  const plate = textWidth(label, 11) + 6;
  let out = rectSvg(x, 8, width, 28, { fill: paint.hatch(), stroke: "var(--line2)" });
  if (plate < width) {
    out += rectSvg(x + width / 2 - plate / 2, 15, plate, 14, { rx: 3, fill: "var(--paper)" });
    out += textSvg(x + width / 2, 26, label, { "text-anchor": "middle", fill: "var(--ink2)" });
  }
  return out;
}

function extentSvg(film, extent, scale) {
  const { start, length, used, seq } = extent;
  const hue = seq === null ? { fill: "var(--paper3)", text: "var(--ink)", isLight: true } : hueOf(film, seq);
  const [x, width] = [4 + start * scale, length * scale];
  let out = rectSvg(x, 8, width, 28, { fill: "var(--paper)" });
  out += rectSvg(x, 8, used * scale, 28, { fill: hue.fill });
  const edge = hue.isLight ? "var(--ink)" : hue.fill;
  out += rectSvg(x + 0.75, 8.75, width - 1.5, 26.5, { fill: "none", stroke: edge, "stroke-width": 1.5, "stroke-dasharray": used < length ? "4 3" : null });
  if (seq !== null && width > 14) {
    const label = shortened(seq, width - 4, 12);
    const fits = textWidth(label, 12) + 4 <= used * scale;
    const middle = fits ? x + (used * scale) / 2 : x + width / 2;
    out += textSvg(middle, 26.5, label, { "font-size": 12, "font-weight": 700, "text-anchor": "middle", fill: fits ? hue.text : "var(--ink)", ...(fits ? {} : HALO) });
  }
  return out;
}

// What is wrong by itself: slots held twice, in a hole and held, or neither, and two
// holes that should be one.
function extentNotes(film, i) {
  const { extents, holes } = film.frames[i].state;
  const parts = [...extents, ...(holes ?? [])].sort((a, b) => a.start - b.start);
  const name = (part) => part.seq ?? "a hole";
  const notes = [];
  parts.slice(1).forEach((part, k) => {
    const before = parts[k];
    const end = before.start + before.length;
    if (part.start < end) notes.push(`slot ${part.start}: in ${name(before)} and in ${name(part)}`);
    else if (part.start === end && !part.seq && !before.seq) notes.push(`two holes meet at slot ${end}`);
  });
  if (holes) {
    for (const { start, length } of holes) {
      if (length < 1) notes.push(`a hole of ${length} slots at ${start}`);
    }
    for (const { start, length } of notHeld(film, parts)) {
      const slots = length > 1 ? `slots ${start} to ${start + length - 1} are` : `slot ${start} is`;
      notes.push(`${slots} in no hole and held by nobody`);
    }
  }
  return notes;
}
