// The track: the curve of blocks held is the scrubber; below it a mark for each event
// that the filters let through, pushed aside where marks are close together.

const MARK = { width: 26, top: 52, size: 24 };
const COVERED_WIDTH = 64; // the end of the track while later events are covered
const QUIET_KINDS = ["write", "grow"]; // not marked unless asked for
const KIND_NAMES = {
  arrive: "arrive", fork: "fork", copy: "copy", preempt: "preempt", refuse: "refuse",
  finish: "finish", swap_out: "swap out", swap_in: "swap in",
  allocate: "allocate", share: "share", free: "free",
  grow: "new block", write: "token writes",
};
// what a mark shows that stands for several events: the rarest and most telling first
const LOUDEST = ["refuse", "preempt", "copy", "fork", "swap_out", "swap_in", "arrive", "finish", "free", "share", "allocate", "grow", "write"];

// [[kind, how many]...] of a film, in a fixed order.
function countKinds(film) {
  const counts = new Map();
  for (const { kind } of film.frames) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const known = Object.keys(KIND_NAMES).filter((kind) => counts.has(kind));
  const others = [...counts.keys()].filter((kind) => !(kind in KIND_NAMES));
  return [...known, ...others].map((kind) => [kind, counts.get(kind)]);
}

// Where event i lies on a track of this width. One event lies at its beginning.
function trackX(film, i, width) {
  return film.frames.length < 2 ? 0 : (i * width) / (film.frames.length - 1);
}

function trackIndex(film, x, width) {
  const last = film.frames.length - 1;
  return Math.max(0, Math.min(last, Math.round((x * last) / width)));
}

// Marks for the events of all kinds but the hidden ones: [{events: [i...], x, at}], at being the true
// place and x the centre of the mark. Where too many would not fit, one mark stands for
// all events of a stretch.
function layMarks(film, hidden, width) {
  const events = film.frames.map((frame, i) => i).filter((i) => !hidden.has(film.frames[i].kind));
  const room = Math.max(1, Math.floor(width / MARK.width));
  let groups = events.map((i) => [i]);
  if (events.length > room) {
    const bins = new Map();
    for (const i of events) {
      const bin = Math.min(room - 1, Math.floor((trackX(film, i, width) / width) * room));
      bins.set(bin, [...(bins.get(bin) ?? []), i]);
    }
    groups = [...bins.values()];
  }
  const half = MARK.width / 2;
  const marks = groups.map((group) => ({ events: group, at: trackX(film, group[0], width) }));
  let edge = -half;
  for (const mark of marks) {
    mark.x = Math.max(mark.at, edge + MARK.width, half);
    edge = mark.x;
  }
  edge = width + half;
  for (const mark of [...marks].reverse()) {
    mark.x = Math.min(mark.x, edge - MARK.width);
    edge = mark.x;
  }
  return marks;
}

// The event a mark is named after.
function loudest(film, events) {
  const rank = (i) => LOUDEST.indexOf(film.frames[i].kind);
  return events.reduce((a, b) => (rank(b) < rank(a) ? b : a));
}

function curveSvg(film, width, height) {
  // steps: between two events nothing changes
  const held = (i) => (height - (height * (film.numBlocks - film.frames[i].num_free)) / film.numBlocks).toFixed(1);
  const stride = Math.max(1, Math.floor(film.frames.length / (2 * width)));
  let path = `${held(0)}`;
  for (let i = stride; i < film.frames.length; i += stride) path += ` H${trackX(film, i, width).toFixed(1)} V${held(i)}`;
  path += ` H${width}`;
  return (
    rectSvg(0, 0, width, height, { fill: "none", stroke: "var(--line)" }) +
    `<path d="M0,${height} V${path} V${height} Z" fill="var(--paper3)"/>` +
    `<path d="M0,${path}" fill="none" stroke="var(--ink2)" stroke-width="1.2"/>` +
    textSvg(4, 12, `blocks held, of ${withCommas(film.numBlocks)}`, { "font-size": 10, fill: "var(--ink2)", ...HALO })
  );
}

// The track as an element. It calls seek(i) and has draw() and move(i).
function makeTrack(film, { seek, covered }) {
  const hidden = new Set(QUIET_KINDS); // a kind that appears later is shown
  const svg = newSvg(100, 92);
  const cursor = document.createElementNS(SVG_NAMES, "g");
  svg.append(cursor);
  const paint = paintBox(svg);
  const slider = node("div", { class: "slider", role: "slider", tabindex: 0, "aria-label": "Event" });
  const marksBox = node("div", { class: "marks" });
  const root = node("div", { class: "track" }, svg, slider, marksBox);
  const filters = node("div", { class: "filters" });
  let width = 100;
  let full = 100;
  let marks = [];

  const seekTo = (event) => seek(trackIndex(film, event.clientX - slider.getBoundingClientRect().left, width));
  slider.addEventListener("pointerdown", (event) => {
    slider.setPointerCapture(event.pointerId);
    seekTo(event);
  });
  slider.addEventListener("pointermove", (event) => {
    if (slider.hasPointerCapture(event.pointerId)) seekTo(event);
  });

  const drawFilters = () => {
    const focused = filters.contains(document.activeElement) ? document.activeElement.dataset.kind : null;
    filters.replaceChildren("on the track:");
    for (const [kind, count] of countKinds(film)) {
      const toggle = () => {
        if (!hidden.delete(kind)) hidden.add(kind);
        draw(full);
      };
      const button = node("button", { type: "button", class: "filter", "data-kind": kind, "aria-pressed": !hidden.has(kind), onclick: toggle });
      button.innerHTML = `${iconHtml(kind)}${KIND_NAMES[kind] ?? esc(kind)} ${withCommas(count)}`;
      filters.append(button);
      if (kind === focused) button.focus();
    }
  };

  const drawMarks = () => {
    marks = layMarks(film, hidden, width);
    marksBox.replaceChildren();
    for (const mark of marks) {
      const main = loudest(film, mark.events);
      const frame = film.frames[main];
      const several = mark.events.length > 1;
      const name = several ? `${mark.events.length} events, the first: ` : "";
      const label = `Event ${mark.events[0] + 1}: ${name}${film.frames[mark.events[0]].headline}`;
      // one click after another goes through all events of a mark
      const onclick = () => seek(mark.events.find((i) => i > place) ?? mark.events[0]);
      const button = node("button", { type: "button", class: `mark ${frame.kind}`, "aria-label": label, title: label, onclick });
      button.innerHTML = iconHtml(frame.kind, 14);
      button.style.left = `${mark.x - MARK.size / 2}px`;
      const under = several ? `×${mark.events.length}` : (frame.seq ?? (frame.taken[0] ?? frame.call.match(/\d+/)?.[0] ?? ""));
      const caption = node("span", { class: "under", "aria-hidden": "true" }, shortened(under, 24, 10));
      button.append(caption);
      mark.button = button;
      marksBox.append(button);
    }
  };

  let place = 0;
  const move = (i, valueText) => {
    place = i;
    const x = trackX(film, i, width);
    const here = marks.find((mark) => mark.events.includes(i));
    marks.forEach((mark) => mark.button.classList.toggle("here", mark === here));
    const leader = here ? ` V42 L${here.x},49 V52` : "";
    cursor.innerHTML =
      `<path d="M${x},-5 V40${leader}" fill="none" stroke="var(--ink)" stroke-width="2"/>` +
      `<circle cx="${x}" cy="-5" r="7" fill="var(--paper)" stroke="var(--ink)" stroke-width="2.2"/>`;
    slider.setAttribute("aria-valuenow", i + 1);
    slider.setAttribute("aria-valuetext", `event ${i + 1} of ${film.frames.length}: ${valueText}`);
  };

  const draw = (newWidth) => {
    full = newWidth;
    width = covered() ? full - COVERED_WIDTH : full;
    resizeSvg(svg, full, 92);
    slider.style.width = `${width}px`;
    slider.setAttribute("aria-valuemin", 1);
    slider.setAttribute("aria-valuemax", film.frames.length);
    drawFilters();
    drawMarks();
    let out = curveSvg(film, width, 38);
    for (const { at, x } of marks) {
      out += `<path d="M${at},38 V42 L${x},49 V52" fill="none" stroke="var(--line2)"/>`;
    }
    if (covered()) {
      out += rectSvg(width + 4.5, 0.5, COVERED_WIDTH - 5, 37, { rx: 4, fill: paint.hatch(), stroke: "var(--line2)", "stroke-dasharray": "3 3" });
      out += textSvg(width + 4 + COVERED_WIDTH / 2, 24, "?", { "font-size": 16, "font-weight": 700, "text-anchor": "middle", ...HALO, "stroke-width": 6 });
      out += textSvg(width + 4 + COVERED_WIDTH / 2, 52, "covered", { "font-size": 10, fill: "var(--ink2)", "text-anchor": "middle" });
    }
    svg.body.innerHTML = out;
    move(place, film.frames[place].headline);
  };

  return { root, filters, draw, move };
}
