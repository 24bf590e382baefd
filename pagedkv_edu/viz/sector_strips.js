// One block's bytes as a strip of 32-byte sectors, a tick every 128 bytes: what a gather
// fetches, and how much of it was asked for. A model's numbers, not the hardware's.

const SECTOR_ROW = 64; // sectors in a row: 2,048 bytes
const SECTOR_HEIGHT = 13;
const SECTOR_STEP = 18; // from one row to the next

// strip: what encode_strip() returns. Its top left is at x, y; its first row at y + 7.
function sectorStripSvg(strip, x, y, width, hue) {
  const share = strip.fetched_bytes ? strip.needed_bytes / strip.fetched_bytes : 1;
  const useful = `${String(Number((100 * share).toFixed(1)))} % useful`;
  const lossy = share < 0.995;
  const bold = { "font-size": 12, "font-weight": 700 };
  let out = textSvg(x, y, strip.name, bold);
  out += textSvg(x + textWidth(strip.name, 12) + 8, y, strip.axes, { fill: "var(--ink2)", class: "mono" });
  out += textSvg(x + width, y, useful, { ...bold, "text-anchor": "end", ...(lossy ? { fill: "var(--loss)" } : {}) });
  out += sectorRowsSvg(strip, x, y + 7, width, hue);
  const sectors = strip.fetched_bytes / strip.sector_bytes;
  const told = `${amount(sectors, "sector")} in ${amount(strip.num_lines, "line")}: ${withCommas(strip.fetched_bytes)} bytes fetched for ${withCommas(strip.needed_bytes)} needed`;
  return out + textSvg(x, y + 7 + sectorRows(strip) * SECTOR_STEP + 13, told);
}

const sectorRows = (strip) => Math.ceil(strip.block_bytes / strip.sector_bytes / SECTOR_ROW);
const sectorStripHeight = (strip) => 7 + sectorRows(strip) * SECTOR_STEP + 13;

function sectorRowsSvg(strip, x, y, width, hue) {
  const pitch = width / SECTOR_ROW;
  const needed = new Map(strip.needed);
  const count = strip.block_bytes / strip.sector_bytes;
  const perLine = strip.line_bytes / strip.sector_bytes;
  let [empty, touched, ticks] = ["", "", ""];
  for (let s = 0; s < count; s += 1) {
    const left = x + (s % SECTOR_ROW) * pitch + 0.5;
    const top = y + Math.floor(s / SECTOR_ROW) * SECTOR_STEP;
    const bytes = needed.get(s) ?? 0;
    if (bytes) {
      const part = (SECTOR_HEIGHT * bytes) / strip.sector_bytes;
      touched += rectSvg(left, top, pitch - 1, SECTOR_HEIGHT, { rx: 1, fill: "var(--paper)", stroke: hue.fill, "stroke-width": 0.9 });
      touched += rectSvg(left, top + SECTOR_HEIGHT - part, pitch - 1, part, { rx: 0.5, fill: hue.fill, class: "level" });
    } else {
      empty += rectSvg(left + 0.2, top + 0.2, pitch - 1.4, SECTOR_HEIGHT - 0.4, { rx: 1, fill: "none", stroke: "var(--line)", "stroke-width": 0.8 });
    }
    if (s % perLine === 0) ticks += `M${left - 0.5},${top - 1.5} v${SECTOR_HEIGHT + 3}`;
  }
  for (let row = 0; row < sectorRows(strip); row += 1) {
    const top = y + row * SECTOR_STEP;
    ticks += `M${x + width},${top - 1.5} v${SECTOR_HEIGHT + 3}`;
    const byte = row * SECTOR_ROW * strip.sector_bytes;
    touched += textSvg(x - 6, top + 10, row ? withCommas(byte) : "byte 0", { "font-size": 10, "text-anchor": "end", fill: "var(--ink2)" });
  }
  return `${empty}${touched}<path d="${ticks}" stroke="var(--ink2)" stroke-width="0.9"/>`;
}
