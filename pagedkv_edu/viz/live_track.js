// The track: blocks held over the steps so far. It is the scrubber too.

const LIVE_TRACK = { height: 50, base: 34 }; // the words stand below the marks

function liveTrackDraw(view) {
  const { live, at, parts, width } = view;
  const frames = live.film.frames;
  const last = Math.max(1, frames.length - 1);
  const x = (step) => (step * width) / last;
  const held = (frame) => live.film.numBlocks - frame.num_free;
  const y = (count) => LIVE_TRACK.base - (count / live.film.numBlocks) * (LIVE_TRACK.base - 4);
  let line = "";
  let marks = "";
  frames.forEach((frame, step) => {
    line += `${step ? "L" : "M"}${x(step).toFixed(1)},${y(held(frame)).toFixed(1)}`;
    const loss = Object.keys(frame.dropped_by).length > 0;
    const end = Object.keys(frame.freed_by).length > 0;
    if (loss || end) marks += liveMarkSvg(Math.min(width - 8, Math.max(4, x(step))), loss);
  });
  let out = rectSvg(0, 4, width, LIVE_TRACK.base - 4, { fill: "var(--paper2)" });
  out += `<path d="M0,${LIVE_TRACK.base} H${width}" stroke="var(--line2)"/>`;
  out += `<path d="${line}" fill="none" stroke="var(--ink2)" stroke-width="1.6"/>${marks}`;
  if (at >= 0) out += `<path d="M${x(at)},0 V${LIVE_TRACK.base + 3}" stroke="var(--ink)" stroke-width="2"/>`;
  out += textSvg(4, LIVE_TRACK.height, "blocks held, step 0", { "font-size": 10, fill: "var(--ink2)" });
  out += textSvg(width - 4, LIVE_TRACK.height, `step ${Math.max(0, frames.length - 1)}`, { "font-size": 10, fill: "var(--ink2)", "text-anchor": "end" });
  resizeSvg(parts.track, width, LIVE_TRACK.height + 2);
  parts.track.body.innerHTML = out;
  const texts = { "aria-valuemax": Math.max(0, frames.length - 1), "aria-valuenow": Math.max(0, at), "aria-valuetext": `step ${Math.max(0, at)}` };
  for (const [name, value] of Object.entries(texts)) parts.track.setAttribute(name, value);
}

// A flag where an answer ended, a cross where blocks were taken away.
function liveMarkSvg(x, loss) {
  if (loss) return `<g><title>blocks taken away</title><path d="M${x - 4},${LIVE_TRACK.base - 4} l8,8 m0,-8 l-8,8" stroke="var(--loss)" stroke-width="2"/></g>`;
  return `<g><title>an answer ended</title><path d="M${x},${LIVE_TRACK.base + 2} v-12 h7 l-2,3 l2,3 h-7" fill="var(--ink)" stroke="var(--ink)" stroke-width="1"/></g>`;
}

function liveDrag(view, event) {
  const { track } = view.parts;
  const box = track.getBoundingClientRect();
  const seek = (move) => {
    const last = view.live.film.frames.length - 1;
    liveSeek(view, Math.round(((move.clientX - box.left) / box.width) * last));
  };
  const drop = () => track.removeEventListener("pointermove", seek);
  track.setPointerCapture(event.pointerId);
  track.addEventListener("pointermove", seek);
  track.addEventListener("pointerup", drop, { once: true });
  track.addEventListener("pointercancel", drop, { once: true });
  seek(event);
}
