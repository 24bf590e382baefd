// One turn of one program: the tile of scores, a column for each token and a row for each
// query head, with what the masks leave out; above it the table look-ups.

const TILE_BOX = { x: 560, width: 408, y: 62 };
const MASKED = { fill: "none", stroke: "var(--free)", "stroke-width": 0.9, "stroke-dasharray": "2.5 2.5" };

// The turn of a program that has most to mask: its last one.
function programTileSvg(svg, view, program) {
  const { picture } = view;
  const launch = picture.launches[view.rung];
  const { x, width, y } = TILE_BOX;
  const hue = HUES[Object.keys(picture.seq_lens).indexOf(program.seq)];
  const title = `Sequence ${program.seq}, ${programHeads(program)}${launch.name === "Split" ? `, part ${program.split}` : ""}`;
  let out = textSvg(x, 14, "The last turn of one program", { "font-size": 13, "font-weight": 700 });
  out += textSvg(x, 30, title, { fill: "var(--ink2)" });
  if (!program.turns.length) {
    return out + textSvg(x, y + 26, "This part has no token: output 0, log-sum-exp −∞.", { "font-size": 12 });
  }
  const real = program.turns.at(-1);
  const start = program.begin + launch.tile * (program.turns.length - 1);
  const pitch = Math.min(width / launch.tile, 12);
  const rowHeight = launch.num_rows > 1 ? 9 : 16;
  out += programLookupsSvg(picture, program, { launch, real, start, pitch });
  const top = y + 46;
  for (let row = 0; row < launch.num_rows; row += 1) {
    const rowY = top + row * rowHeight + 0.5;
    if (row >= program.num_heads) {
      out += rectSvg(x + 0.5, rowY, launch.tile * pitch - 1, rowHeight - 1, { rx: 1, fill: svg.paint.dots(), stroke: "var(--line)", "stroke-width": 0.6 });
      continue;
    }
    for (let token = 0; token < real; token += 1) {
      out += rectSvg(x + token * pitch + 0.5, rowY, pitch - 1, rowHeight - 1, { rx: 1, fill: hue.fill });
    }
    if (real < launch.tile) {
      out += rectSvg(x + real * pitch + 1, rowY, (launch.tile - real) * pitch - 2, rowHeight - 1.4, { rx: 1, ...MASKED });
    }
  }
  const bottom = top + launch.num_rows * rowHeight;
  out += textSvg(x, bottom + 15, `tokens ${start} to ${start + launch.tile - 1}`, { fill: "var(--ink2)", "font-size": 10.5 });
  const rows = launch.num_rows > 1 ? `${launch.num_rows} rows × ` : "";
  out += textSvg(x + launch.tile * pitch, bottom + 15, `${rows}${launch.tile} scores`, { fill: "var(--ink2)", "font-size": 10.5, "text-anchor": "end" });
  return out + programLegendSvg(svg, x, bottom + 28, hue, launch, real);
}

function programHeads({ head, num_heads: count, kv_head: kvHead }) {
  const heads = count > 1 ? `query heads ${head} to ${head + count - 1}` : `query head ${head}`;
  return `${heads}, KV head ${kvHead}`;
}

// Which block each run of tokens looks up.
function programLookupsSvg(picture, program, { launch, real, start, pitch }) {
  const { x, y } = TILE_BOX;
  const size = picture.block_size;
  let out = textSvg(x, y + 6, "table look-ups, one for each token", { fill: "var(--ink2)", "font-size": 10.5 });
  for (let first = 0; first < launch.tile; first += size) {
    const here = Math.max(0, Math.min(size, real - first));
    const left = x + first * pitch;
    const wide = Math.min(size, launch.tile - first) * pitch;
    const block = picture.tables[program.seq][(start + first) / size];
    const look = here ? { stroke: "var(--ink2)" } : { stroke: "var(--free)", "stroke-dasharray": "2 2" };
    out += rectSvg(left + 1, y + 14, wide - 2, 22, { rx: 3, fill: "none", ...look });
    out += textSvg(left + wide / 2, y + 29, here ? `block ${block}` : "masked", {
      "text-anchor": "middle", "font-size": here ? 11 : 10, ...(here ? { "font-weight": 700 } : { fill: "var(--ink2)" }),
    });
  }
  return out;
}

function programLegendSvg(svg, x, y, hue, launch, real) {
  const entries = [[{ fill: hue.fill }, "token"]];
  if (real < launch.tile) entries.push([MASKED, "past the end: masked"]);
  if (launch.num_rows > 1) entries.push([{ fill: svg.paint.dots(), stroke: "var(--line)" }, "no such head: padding"]);
  let out = "";
  for (const [look, words] of entries) {
    out += rectSvg(x + 0.5, y, 12, 10, { rx: 1, ...look });
    out += textSvg(x + 18, y + 9, words, { fill: "var(--ink2)" });
    x += 34 + textWidth(words, 10.5);
  }
  return out;
}
