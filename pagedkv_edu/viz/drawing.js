// HTML and SVG that every view draws with: text, elements, patterns, icons, the chip of a
// sequence and the entry of a table. Functions whose names end in Svg or Html return
// text; what they are given may hold any characters, they escape it.

// --- text -------------------------------------------------------------------------

const ESCAPED = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function esc(text) {
  if (typeof text === "number") return String(text);
  return String(text).replace(/[&<>"']/g, (c) => ESCAPED[c]);
}

// 1 block, 2 blocks
function amount(count, noun) {
  return `${withCommas(count)} ${noun}${count === 1 ? "" : "s"}`;
}

function withCommas(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ",");
}

// A, A and B, A, B and C; a long list is cut: 1, 2, 3, … and 9
function listed(items, most = 6) {
  const texts = items.map(String);
  const cut = texts.length > most ? [...texts.slice(0, 3), "…", texts.at(-1)] : texts;
  return cut.length < 2 ? cut.join("") : `${cut.slice(0, -1).join(", ")} and ${cut.at(-1)}`;
}

// About how wide a bold text is; enough to choose between two labels.
function textWidth(text, fontSize) {
  let units = 0;
  for (const c of String(text)) units += /[.,:;·|il'\s]/.test(c) ? 0.3 : /[MW@…]/.test(c) ? 0.95 : /[A-Z]/.test(c) ? 0.7 : 0.57;
  return units * fontSize;
}

// --- HTML and SVG -----------------------------------------------------------------

// An HTML element: node("button", {class: "btn", onclick: f}, "Play", child).
function node(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name.startsWith("aria-")) element.setAttribute(name, String(value));
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child != null));
  return element;
}

const SVG_NAMES = "http://www.w3.org/2000/svg";

// An svg element with two children: svg.defs, kept, and svg.body, to be filled.
// With a label it is an image for a screen reader, without one it is decoration.
function newSvg(width, height, label = "") {
  const svg = document.createElementNS(SVG_NAMES, "svg");
  svg.defs = svg.appendChild(document.createElementNS(SVG_NAMES, "defs"));
  svg.body = svg.appendChild(document.createElementNS(SVG_NAMES, "g"));
  resizeSvg(svg, width, height);
  if (label) {
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", label);
  } else svg.setAttribute("aria-hidden", "true");
  return svg;
}

function resizeSvg(svg, width, height) {
  svg.setAttribute("width", width);
  svg.setAttribute("height", height);
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
}

// Patterns and arrow heads of one svg, made when they are first asked for. Each method
// returns what goes into fill or marker-end.
function paintBox(svg) {
  // Each widget of a notebook runs a copy of this file, so a counter would not do: the
  // ids are looked up in the whole page, and an svg that is scrolled away paints nothing.
  const uid = `pkv${Math.random().toString(36).slice(2)}`;
  const made = new Set();
  const make = (name, text) => {
    const id = `${uid}-${name}`;
    if (!made.has(id)) {
      made.add(id);
      svg.defs.insertAdjacentHTML("beforeend", text(id));
    }
    return `url(#${id})`;
  };
  const tile = (id, size, turn, inside) =>
    `<pattern id="${id}" width="${size}" height="${size}" patternUnits="userSpaceOnUse" ` +
    `patternTransform="rotate(${turn})">${inside}</pattern>`;
  return {
    // shared: a stripe for each owner's hue
    stripes(hues, width = 5) {
      const fills = hues.map((hue) => (hue ? hue.fill : "var(--ink3)"));
      const name = `st${width}-${fills.map((f) => f.replace(/\W/g, "")).join("-")}`;
      const bars = fills.map(
        (fill, k) => `<rect x="${k * width}" width="${width + 0.3}" height="99" fill="${fill}"/>`,
      );
      return make(name, (id) => tile(id, fills.length * width, 45, bars.join("")));
    },
    // reserved, empty, a hole
    hatch() {
      const line = '<path d="M0,0 V7" stroke="var(--ink3)" stroke-width="1.6"/>';
      return make("hatch", (id) => tile(id, 7, -45, line));
    },
    // cached, evictable
    dots() {
      const dot = '<circle cx="2.5" cy="2.5" r="1.1" fill="var(--ink3)"/>';
      return make("dots", (id) => tile(id, 5, 0, dot));
    },
    // held in a pool that knows no owners, with more than one reference
    greyStripes() {
      const bar = '<rect width="4" height="8" fill="var(--line2)"/>';
      return make("grey", (id) => tile(id, 8, 45, bar));
    },
    arrow(size = 8) {
      return make(
        `ah${size}`,
        (id) =>
          `<marker id="${id}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="${size}" ` +
          `markerHeight="${size}" orient="auto" markerUnits="userSpaceOnUse">` +
          '<path d="M0,0.6 L7.4,4 L0,7.4 z" fill="context-stroke"/></marker>',
      );
    },
    // a rounded square to cut a fill with
    clip(x, y, size) {
      const name = `c${x}_${y}_${size}`.replace(/[^\w]/g, "_");
      return make(
        name,
        (id) =>
          `<clipPath id="${id}"><rect x="${x}" y="${y}" width="${size}" height="${size}" ` +
          'rx="4"/></clipPath>',
      );
    },
  };
}

function rectSvg(x, y, width, height, attributes = {}) {
  return `<rect x="${x}" y="${y}" width="${Math.max(0, width)}" height="${Math.max(0, height)}" ${attrs(attributes)}/>`;
}

function textSvg(x, y, text, attributes = {}) {
  const all = { "font-size": 11, fill: "var(--ink)", ...attributes };
  return `<text x="${x}" y="${y}" ${attrs(all)}>${esc(text)}</text>`;
}

function attrs(attributes) {
  let out = "";
  for (const name in attributes) {
    const value = attributes[name];
    if (value !== undefined && value !== null) out += `${name}="${esc(value)}" `;
  }
  return out;
}

// A halo of paper, for small text over a fill.
const HALO = { "paint-order": "stroke", stroke: "var(--paper)", "stroke-width": 2.6 };

// --- icons ------------------------------------------------------------------------

const stroked = (d, width = 1.7) =>
  `<path d="${d}" fill="none" stroke="currentColor" stroke-width="${width}"/>`;
const filledIn = (d) => `<path d="${d}" fill="currentColor"/>`;
const copySquares =
  '<rect x="1.6" y="1.6" width="8.6" height="8.6" rx="1.4" fill="none" stroke="currentColor" stroke-width="1.6"/>' +
  '<rect x="5.8" y="5.8" width="8.6" height="8.6" rx="1.4" fill="currentColor" stroke="currentColor" stroke-width="1.6"/>';

// Each in a box of 16 x 16, drawn in the colour of the text around it.
const ICONS = {
  arrive: stroked("M8 1.5v8M4.6 6.4 8 9.8l3.4-3.4M2 11v3.2h12V11"),
  preempt: stroked("M8 10.5V2M4.4 5.4 8 1.8l3.6 3.6M2 10v4.2h12V10", 1.8),
  fork: stroked("M8 15V9.5C8 6.5 3.6 7 3.6 3M8 9.5C8 6.5 12.4 7 12.4 3M1.4 5l2.2-2.6L5.8 5M10.2 5l2.2-2.6L14.6 5", 1.6),
  copy: copySquares,
  finish: stroked("M3.5 15V1.8M3.5 2.4h9.2l-2 3 2 3H3.5"),
  refuse: '<circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" stroke-width="1.8"/>' + stroked("M3.8 12.2 12.2 3.8", 1.8),
  write: stroked("M2 14.2h12M8 1.8v8.6M5 7.6l3 3 3-3", 1.6),
  grow: stroked("M2 2h12v12H2zM8 5v6M5 8h6", 1.6),
  allocate: stroked("M2 2h12v12H2zM8 5v6M5 8h6", 1.6),
  share: stroked("M4.5 8h7M11.5 3.5 4.5 8l7 4.5", 1.4) +
    '<circle cx="3.6" cy="8" r="2" fill="currentColor"/><circle cx="12.2" cy="3.2" r="2" fill="currentColor"/><circle cx="12.2" cy="12.8" r="2" fill="currentColor"/>',
  free: stroked("M2 2h12v12H2zM5 8h6", 1.6),
  swap_out: stroked("M2 13.8h12M8 11V2.4M4.6 5.8 8 2.4l3.4 3.4"),
  swap_in: stroked("M2 13.8h12M8 2v8.6M4.6 7.2 8 10.6l3.4-3.4"),
  play: filledIn("M3.5 2v12l9.5-6z"),
  pause: filledIn("M3.5 2.5h3.2v11H3.5zM9.3 2.5h3.2v11H9.3z"),
  back: filledIn("M13.5 2.5v11L6 8zM2.5 2.5h2v11h-2z"),
  step: filledIn("M2.5 2.5v11l7.5-5.5zM11.5 2.5h2v11h-2z"),
  next: stroked("M5.5 2.5 11 8l-5.5 5.5", 2),
  right: stroked("M2.5 8.5 6.2 12.4 13.5 4", 2),
  wrong: stroked("M3.5 3.5l9 9M12.5 3.5l-9 9", 2),
};

// An icon for HTML. Icons are decoration: the words beside them say the same.
function iconHtml(name, size = 13) {
  return `<svg width="${size}" height="${size}" viewBox="0 0 16 16" aria-hidden="true" style="flex:none">${ICONS[name] ?? ""}</svg>`;
}

// An icon inside an svg, its top left at x, y.
function iconSvg(name, x, y, size = 14, colour = "var(--ink)") {
  return `<g transform="translate(${x},${y}) scale(${size / 16})" style="color:${colour}">${ICONS[name] ?? ""}</g>`;
}

// --- sequences and tables ---------------------------------------------------------

// A sequence's letter on its hue. A long id is cut at the end; its title has it all.
function chipHtml(film, seq) {
  const hue = hueOf(film, seq);
  return (
    `<span class="chip" title="${esc(seq)}" style="background:${hue.fill};color:${hue.text};` +
    `border-color:${hue.isLight ? "#1b1b1b" : hue.fill}">${esc(shortened(seq, 60, 12))}</span>`
  );
}

function chipSvg(film, seq, x, y, width = 34, height = 20) {
  const hue = hueOf(film, seq);
  const fontSize = height < 20 ? 11 : 12;
  const label = shortened(seq, width - 4, fontSize);
  return (
    `<g><title>${esc(seq)}</title>` +
    rectSvg(x, y, width, height, { rx: 4, fill: hue.fill, stroke: hue.isLight ? "#1b1b1b" : hue.fill }) +
    textSvg(x + width / 2, y + height / 2 + fontSize * 0.36, label, {
      "font-size": fontSize, "font-weight": 700, fill: hue.text, "text-anchor": "middle",
    }) +
    "</g>"
  );
}

function shortened(text, width, fontSize) {
  let cut = String(text);
  if (cut.length < 2 || textWidth(cut, fontSize) <= width) return cut
  while (cut.length > 1 && textWidth(`${cut}…`, fontSize) > width) cut = cut.slice(0, -1);
  return `${cut}…`;
}

function ending(text, width, fontSize) {
  let cut = text;
  while (cut && textWidth(cut, fontSize) > width) cut = cut.slice(1);
  return cut;
}

// One entry of a block table. look: plain, touched, wrong, struck (leaves the list).
// owners: the hues of a shared block, shown as a striped foot.
function entrySvg(paint, { x, y, width = 26, height = 20, text, look = "plain", owners = [] }) {
  const strokes = {
    plain: { fill: "none", stroke: "var(--line2)" },
    touched: { fill: "var(--paper)", stroke: "var(--ink)", "stroke-width": 2 },
    wrong: { fill: "var(--loss-paper)", stroke: "var(--loss)", "stroke-width": 1.6, "stroke-dasharray": "3 2" },
    struck: { fill: "none", stroke: "var(--ink)", "stroke-width": 1.4, "stroke-dasharray": "3 2" },
  };
  const loud = look !== "plain";
  let out = rectSvg(x, y, width, height, { rx: 3, ...strokes[look] });
  out += textSvg(x + width / 2, y + height / 2 + 4.3, shortened(text, width - 2, 11), {
    fill: loud ? "var(--ink)" : "var(--ink2)", "font-weight": loud ? 700 : 400, "text-anchor": "middle",
  });
  if (look === "struck") {
    out += `<path d="M${x + 3},${y + height / 2} h${width - 6}" stroke="var(--ink)" stroke-width="1.4"/>`;
  }
  if (owners.length > 1) {
    const fill = paint.stripes(owners, 4);
    out += rectSvg(x + 1.5, y + height + 1.5, width - 3, 4, { rx: 1, fill, opacity: loud ? 1 : "var(--dim)" });
  }
  return out;
}

// The badge with a ref_count.
function badgeSvg(x, y, count, { radius = 9, loss = false } = {}) {
  const colour = loss ? "var(--loss)" : "var(--ink)";
  return (
    `<circle cx="${x}" cy="${y}" r="${radius}" fill="var(--paper)" stroke="${colour}" stroke-width="1.5"/>` +
    textSvg(x, y + 3.9, count, { fill: colour, "font-weight": 700, "text-anchor": "middle" })
  );
}
