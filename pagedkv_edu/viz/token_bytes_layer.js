// One layer of one model, drawn large: query heads above, the KV heads that they read below.

const LAYER_ROWS = { query: 7, lines: 22, kv: 46 };

// The whole layer in one row, however many heads: a KV head with its query heads above it.
function tokenLayer(svg, model, width, dtypeBytes) {
  const group = model.heads / model.kv_heads;
  const step = Math.min(150, (width - 56) / model.kv_heads);
  const box = Math.max(4, Math.min(step - 4, 110));
  const left = 56;
  let out = tokenLayerNames();
  for (let i = 0; i < model.kv_heads; i++) {
    const x = left + i * step;
    out += `<g><title>${esc(tokenHeadText(model, i, dtypeBytes))}</title>`;
    for (let j = 0; j < group; j++) {
      const cx = x + (box * (j + 0.5)) / group;
      const r = Math.max(1.6, Math.min(6, box / group / 2 - 0.8));
      out += `<circle cx="${cx}" cy="${LAYER_ROWS.query + 4}" r="${r}" fill="none" stroke="var(--ink2)" stroke-width="1.3"/>`;
      out += `<path d="M${cx},${LAYER_ROWS.query + 5 + r} L${x + box / 2},${LAYER_ROWS.kv - 2}" stroke="var(--line2)" stroke-width="1"/>`;
    }
    out += rectSvg(x, LAYER_ROWS.kv, box / 2, 24, { fill: "var(--ink2)" });
    out += rectSvg(x + box / 2, LAYER_ROWS.kv, box / 2, 24, { fill: "var(--line2)" });
    out += rectSvg(x, LAYER_ROWS.kv, box, 24, { fill: "none", stroke: "var(--ink)", rx: 2 });
    if (box >= 46) {
      out += textSvg(x + box / 4, LAYER_ROWS.kv + 16, "K", { fill: "var(--paper)", "font-weight": 700, "text-anchor": "middle" });
      out += textSvg(x + (3 * box) / 4, LAYER_ROWS.kv + 16, "V", { "font-weight": 700, "text-anchor": "middle" });
    }
    out += "</g>";
  }
  resizeSvg(svg, width, LAYER_ROWS.kv + 26);
  svg.body.innerHTML = out;
}

function tokenLayerNames() {
  const name = (y, text) => textSvg(0, y, text, { fill: "var(--ink2)" });
  return name(LAYER_ROWS.query + 8, "query") + name(LAYER_ROWS.kv + 16, "KV");
}

function tokenHeadText(model, head, dtypeBytes) {
  const group = model.heads / model.kv_heads;
  const half = model.head_dim * dtypeBytes;
  const first = head * group;
  const readers = group === 1 ? `query head ${first}` : `query heads ${first} to ${first + group - 1}`;
  return `KV head ${head}: a key and a value of ${withCommas(half)} bytes each, read by ${readers}`;
}
