// The block tables of the beams explorer, each in the row of its sequence.

function beamsTables(view, frame, facts, layout, x) {
  let out = "";
  for (const row of layout.rows) {
    if (row.seq !== undefined) out += beamsTable(view, frame, facts, row, x);
  }
  if (frame.kind === "finish" && view.at > 0) out += beamsGoneTable(view, frame, facts, layout, x);
  return out;
}

function beamsTable(view, frame, facts, { seq, y }, x) {
  const table = facts.state.tables.get(seq) ?? { blocks: [], len: 0 };
  const chosen = view.isNow && seq === beamsChosen(view);
  const acts = frame.seq === seq || frame.parent === seq;
  let out = `<g data-seq="${esc(seq)}" class="seq" role="button" tabindex="0" aria-pressed="${chosen}" aria-label="${esc(`${seq}: ${amount(table.len, "token")} in blocks ${listed(table.blocks)}`)}">`;
  out += rectSvg(x - 38, y - 17, BEAM_TABLE + 36, 34, { rx: 6, fill: chosen ? "var(--paper2)" : "transparent", stroke: chosen ? "var(--line2)" : "none", class: "hit" });
  out += chipSvg(view.film, seq, x - 30, y - 11, 34, 22);
  if (view.picture.moments[view.at].damaged.includes(seq)) {
    out += rectSvg(x - 33.5, y - 14.5, 41, 29, { rx: 6, fill: "none", stroke: "var(--loss)", "stroke-width": 2, "stroke-dasharray": "4 3" });
  }
  const most = Math.floor((BEAM_TABLE - 90) / 28);
  const cut = table.blocks.length > most ? table.blocks.length - most : 0;
  if (cut) out += textSvg(x + 20, y + 4, `${cut} …`, { fill: "var(--ink2)", "text-anchor": "end" });
  table.blocks.slice(cut).forEach((block, k) => {
    const owners = (facts.owners.get(block) ?? []).map((owner) => hueOf(view.film, owner));
    const touched = acts && (frame.taken.includes(block) || frame.kind === "fork");
    out += entrySvg(view.paint, { x: x + 24 + k * 28, y: y - 12, text: block, look: touched ? "touched" : "plain", owners });
  });
  out += textSvg(x + BEAM_TABLE - 8, y + 4, `${table.len} tok`, { fill: "var(--ink2)", "text-anchor": "end" });
  return `${out}</g>`;
}

// The sequence that has just ended: its entries, those that became free struck out.
function beamsGoneTable(view, frame, facts, layout, x) {
  const before = factsAt(view.film, view.at - 1);
  const table = before.state.tables.get(frame.seq);
  const leaf = view.picture.moments[view.at - 1].leaf_by_seq[frame.seq];
  const y = layout.yById.get(leaf);
  if (!table || y === undefined || layout.rows.some((row) => row.seq !== undefined && Math.abs(row.y - y) < 20)) return "";
  let out = rectSvg(x - 30, y - 10, 34, 20, { rx: 4, fill: "none", stroke: "var(--ink2)", "stroke-dasharray": "3 2" });
  out += textSvg(x - 13, y + 4.3, shortened(frame.seq, 30, 12), { "font-size": 12, fill: "var(--ink2)", "text-anchor": "middle" });
  const most = Math.floor((BEAM_TABLE - 90) / 28);
  table.blocks.slice(-most).forEach((block, k) => {
    const owners = (facts.owners.get(block) ?? []).map((owner) => hueOf(view.film, owner));
    out += entrySvg(view.paint, { x: x + 24 + k * 28, y: y - 10, text: block, look: frame.freed.includes(block) ? "struck" : "plain", owners });
  });
  out += textSvg(x + BEAM_TABLE - 8, y + 4, `${frame.freed.length} freed`, { "font-weight": 700, "text-anchor": "end" });
  return out;
}
