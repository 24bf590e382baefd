// One request of a schedule as a row: what it did in which steps, and when it was done.

function scheduleTrack(view, scale, track, y) {
  const hue = scheduleHue(view, track.name);
  const height = Math.min(20, scale.bar);
  const chip = { rx: 4, fill: hue.fill, stroke: hue.isLight ? "#1b1b1b" : hue.fill };
  const size = height < 14 ? 10 : 12;
  let out = rectSvg(8, y + (scale.bar - height) / 2, 24, height, chip);
  out += textSvg(20, y + scale.bar / 2 + size * 0.36, shortened(track.name, 22, size), {
    "font-size": size, "font-weight": 700, "text-anchor": "middle", fill: hue.text,
  });
  track.spans.forEach((span, k) => {
    out += scheduleSpan(view, scale, track, k, y, hue);
  });
  return `<g><title>${esc(track.name)}</title>${out}</g>` + scheduleEnd(view, scale, track, y);
}

function spanOf([kind, start, stop, tokens, blocks, note]) {
  return { kind, start, stop, tokens, blocks, note };
}

function scheduleSpan(view, scale, track, k, y, hue) {
  const span = spanOf(track.spans[k]);
  const x = scale.x(span.start) + 0.5;
  const width = Math.max(1.5, scale.x(span.stop) - scale.x(span.start) - 1);
  const box = { x, y, width, height: scale.bar, hue };
  const draw = {
    prefill: scheduleSolid, recompute: scheduleSolid, decode: scheduleTint,
    dropped: scheduleGap, kept: scheduleGap, waiting: scheduleWait,
    swap_in: scheduleArrow, idle: scheduleIdle,
  }[span.kind];
  const labels = span.kind === "decode" ? scheduleNotes(track, k) : [];
  return `<g class="span ${span.kind}"><title>${esc(spanTitle(track, span))}</title>${draw(span, box, scale)}</g>` +
    scheduleLabel(labels, box, track.spans.length - 1 === k ? doneWidth(track) : 0);
}

function spanTitle(track, span) {
  const steps = span.stop - span.start === 1 ? `step ${span.start}` : `steps ${span.start} to ${span.stop - 1}`;
  const did = {
    prefill: `computes ${amount(span.tokens, "token")} of its prompt`,
    recompute: `computes ${amount(span.tokens, "token")} again`,
    decode: `decodes ${amount(span.tokens, "token")}`,
    dropped: `preempted: ${amount(span.tokens, "token")} in ${amount(span.blocks, "block")} dropped`,
    kept: `preempted: ${amount(span.tokens, "token")} in ${amount(span.blocks, "block")} kept on the host`,
    waiting: `waits${span.note ? `, ${span.note}` : ""}`,
    swap_in: `${amount(span.blocks, "block")} come back from the host`,
    idle: "holds its blocks and gets no token",
  }[span.kind];
  return `${track.name}, ${steps}: ${did}`;
}

function scheduleSolid(span, { x, y, width, height, hue }) {
  const again = span.kind === "recompute";
  const inset = again ? 1 : 0;
  return rectSvg(x + inset, y + inset, Math.max(1, width - 2 * inset), height - 2 * inset, {
    rx: 2, fill: hue.fill, stroke: again || hue.isLight ? "var(--ink)" : hue.fill, "stroke-width": again ? 2.4 : 1,
  });
}

function scheduleTint(span, { x, y, width, height, hue }) {
  const box = (more) => rectSvg(x, y, width, height, { rx: 2, ...more });
  return (
    box({ fill: "var(--paper)" }) + box({ fill: hue.fill, opacity: 0.28 }) +
    box({ fill: "none", stroke: hue.isLight ? "var(--ink)" : hue.fill })
  );
}

function scheduleIdle(span, { x, y, width, height, hue }) {
  return rectSvg(x, y, width, height, {
    rx: 2, fill: "var(--paper)", stroke: hue.isLight ? "var(--ink)" : hue.fill, "stroke-dasharray": "1.5 2.5", "stroke-width": 1.4,
  });
}

function scheduleGap(span, { x, y, width, height }) {
  const dropped = span.kind === "dropped";
  const colour = dropped ? "var(--loss)" : "var(--ink2)";
  const [tokens, blocks] = [amount(span.tokens, "token"), amount(span.blocks, "block")];
  const labels = dropped
    ? [`${blocks}, ${tokens} dropped`, `${tokens} dropped`, `${span.tokens} dropped`, span.tokens]
    : [`${blocks} kept on the host`, `${blocks} kept`, span.blocks];
  const label = labels.find((text) => textWidth(text, 11) < width - 8);
  let out = rectSvg(x + 1, y + 1, Math.max(1, width - 2), height - 2, {
    rx: 2, fill: dropped ? "var(--loss-paper)" : "var(--paper2)", stroke: colour, "stroke-width": 1.6, "stroke-dasharray": "5 3",
  });
  if (label !== undefined && height >= 14) {
    out += textSvg(x + width / 2, y + height / 2 + 4, label, {
      "font-size": 11, "font-weight": 700, "text-anchor": "middle", fill: dropped ? "var(--loss)" : "var(--ink)",
    });
  }
  return out;
}

function scheduleWait(span, { x, y, width, height }) {
  const middle = y + height / 2;
  const label = [`waits, ${span.note}`, `waits ${span.note}`, "waits"].find(
    (text, k) => (k < 2 ? span.note && text.startsWith("waits, ") !== span.note.startsWith("behind") : true) && textWidth(text, 11) < width - 24,
  );
  const line = (from, to) =>
    to - from < 3 ? "" : `<path d="M${from},${middle} H${to}" stroke="var(--ink2)" stroke-width="1.2" stroke-dasharray="2.5 3" fill="none"/>`;
  if (!label || height < 14) return line(x, x + width);
  const half = textWidth(label, 11) / 2 + 4;
  return (
    line(x, x + width / 2 - half) + line(x + width / 2 + half, x + width) +
    textSvg(x + width / 2, middle + 4, label, { "font-size": 11, "text-anchor": "middle", fill: "var(--ink2)" })
  );
}

function scheduleArrow(span, { x, y, width, height }) {
  const wide = Math.max(width, 12);
  const [middle, top] = [x + wide / 2, y + height / 2 - 5];
  return (
    rectSvg(x + 1, y + 1, wide - 2, height - 2, { rx: 2, fill: "var(--paper)", stroke: "var(--ink)", "stroke-width": 2.2 }) +
    `<path d="M${middle},${top + 10} V${top} M${middle - 3},${top + 3.2} L${middle},${top} l3,3.2" stroke="var(--ink)" stroke-width="1.6" fill="none"/>`
  );
}

// What may stand in a decoding bar: what had to happen before it, the longest first.
function scheduleNotes(track, k) {
  if (k === 0) return [];
  const before = spanOf(track.spans[k - 1]);
  const steps = amount(before.stop - before.start, "step");
  if (before.kind === "recompute") {
    const tokens = amount(before.tokens, "token");
    return [`recompute ${tokens}, ${steps}`, `recompute ${tokens}`];
  }
  if (before.kind === "swap_in") return [`swap in ${amount(before.blocks, "block")}`];
  if (before.kind !== "prefill" || k < 2) return [];
  const waited = spanOf(track.spans[k - 2]);
  if (waited.kind !== "waiting") return [];
  const first = `first token at step ${track.first}`;
  const late = waited.note.startsWith("the token budget");
  return late ? [`${first}: no token budget was left before`, `${first}: no budget left before`, first] : [first];
}

function scheduleLabel(labels, { x, y, width, height }, doneTaken) {
  const label = labels.find((text) => textWidth(text, 11) + 14 + doneTaken <= width);
  if (height < 14 || label === undefined) return "";
  return textSvg(x + 8, y + height / 2 + 4, label, { "font-size": 11, "font-weight": 600 });
}

const doneText = (track) => (track.done === null ? "" : `done ${track.done}`);
const doneWidth = (track) => textWidth(doneText(track), 11) + 12;

// When it was done, beside its bar or at the end of it; or why it never is.
function scheduleEnd(view, scale, track, y) {
  const words = { "never fits": "larger than the pool: refused", "outgrew the pool": "outgrew the pool", running: "" };
  const last = track.spans.at(-1);
  const stop = last ? last[2] : track.arrival;
  const text = doneText(track) || words[track.outcome];
  const loss = track.done === null ? { fill: "var(--loss)", "font-weight": 700 } : {};
  const x = scale.x(stop);
  const middle = y + scale.bar / 2 + 4;
  const fits = x + 6 + textWidth(text, 11) <= view.width;
  if (fits) return textSvg(x + 6, middle, text, { "font-size": 11, fill: "var(--ink2)", ...loss });
  const halo = { "paint-order": "stroke", stroke: "var(--paper)", "stroke-width": 3 };
  const narrow = last && scale.x(last[2]) - scale.x(last[1]) < textWidth(text, 11) + 8;
  const inside = { "font-weight": 700, ...(narrow || loss.fill ? halo : {}), ...loss };
  return textSvg(x - 6, middle, text, { "font-size": 11, "text-anchor": "end", ...inside });
}
