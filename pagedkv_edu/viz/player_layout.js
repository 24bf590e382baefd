// Where everything goes, from the width of the player and from what its film needs.
// Heights are those of the largest frame, so that nothing moves while it plays.
//
// The player p is one object that the player_*.js files share: p.film and p.options;
// where it is (index, beat, mode); what is chosen (seq, block, hover, cursor); the
// elements in p.parts; p.size and p.told from this file; p.view, what the event shows.

const RIGHT_WIDTH = 184;
const RULER_WIDTH = 42;
const LANE_WIDTH = 12;
const TABLES_UP_TO = 300; // px; longer lists scroll
const TABLES_PADDING = 6;
const FILMSTRIP_HEIGHT = 470;
const READING_HEIGHT = 424; // the block touched, and how to read a cell

function measure(p) {
  const { film, told } = p;
  const width = Math.max(300, Math.floor(p.root.clientWidth) - 30);
  const three = width >= 880;
  const stacked = width < 640 || !film.hasTables;
  const large = film.numBlocks > SVG_UP_TO;
  const lanes = film.hasTables && !stacked && !large;
  const rulerWidth = film.blockSize ? RULER_WIDTH : 0;
  const besides = three ? RIGHT_WIDTH + 32 : 0;
  const poolRoom = film.hasTables ? Math.min(380, width - rulerWidth) : width - besides;
  const leftWidth = stacked ? width : width - poolRoom - rulerWidth - LANE_WIDTH - besides;
  const cells = large ? LENS : poolGrid(film.numBlocks, poolRoom, ...(film.hasTables ? [392, 92] : [340, 72]));
  const overview = large ? overviewGrid(film.numBlocks, Math.min(384, poolRoom + 4)) : null;
  const top = large ? 30 : lanes ? 52 : film.blockSize ? 32 : 12;
  const at = { x: rulerWidth, y: top + (large ? overview.rows * overview.size + 30 : 0) };
  const stripY = at.y + cells.rows * (cells.size + cells.gap) - cells.gap + 14;
  const poolHeight = stripY + 24;
  const rightHeight = told.kinds.has("copy") ? FILMSTRIP_HEIGHT : READING_HEIGHT;
  return {
    width, three, stacked, large, lanes, rulerWidth, leftWidth, cells, overview, top, at, stripY, poolHeight,
    poolWidth: rulerWidth + Math.max(poolRoom, cells.cols * (cells.size + cells.gap) - cells.gap),
    pictureHeight: Math.max(poolHeight + 20, three && film.hasTables ? rightHeight : 0),
    tablesHeight: told.tablesHeight(leftWidth) + TABLES_PADDING,
    places: null, // see readPlaces
  };
}

function layOut(p) {
  const { parts, film } = p;
  p.told = scanFilm(film);
  p.size = measure(p);
  const { size } = p;
  p.root.classList.toggle("stacked", size.stacked);
  p.root.classList.toggle("three", size.three);
  parts.left.hidden = !film.hasTables;
  parts.left.style.width = `${size.leftWidth}px`;
  parts.middle.style.width = `${size.poolWidth}px`;
  parts.poolTitle.style.paddingLeft = `${size.rulerWidth}px`;
  parts.right.style.width = `${size.three ? RIGHT_WIDTH : size.width}px`;
  resizeSvg(parts.poolSvg, size.poolWidth, size.poolHeight);
  parts.canvas.hidden = !size.large;
  parts.canvas.style.left = `${size.at.x}px`;
  parts.canvas.style.top = `${size.top}px`;
  p.view = viewOf(film, p.index, p.beat);
  drawPredict(p);
  drawWaste(p);
  layTablesBox(p);
  p.track.draw(size.width);
  drawBar(p);
  drawActions(p);
  draw(p, null);
  readPlaces(p);
  drawOverlay(p, film.hasTables ? layTables(film, p.view, size.leftWidth) : null);
}

// The tables get the height that the rest of the column leaves, and scroll beyond it.
function layTablesBox({ film, parts, size }) {
  size.tablesInside = 0;
  if (!film.hasTables) return;
  const others = parts.waste.offsetHeight + parts.predict.offsetHeight + parts.tablesTitle.offsetHeight;
  const spare = size.stacked ? 0 : size.pictureHeight - others - 24;
  const wanted = Math.min(size.tablesHeight, TABLES_UP_TO);
  size.tablesInside = Math.max(wanted, spare, 100);
  parts.tablesBox.style.height = `${size.tablesInside}px`;
}

// Places inside the picture, read once: reading them in every frame would be slow.
function readPlaces({ parts, size }) {
  const { picture, poolBox, tablesBox, left, middle } = parts;
  size.places = {
    width: picture.clientWidth,
    height: picture.clientHeight,
    pool: { x: poolBox.offsetLeft, y: poolBox.offsetTop },
    tables: { x: left.offsetLeft, y: tablesBox.offsetTop + TABLES_PADDING },
    lane: middle.offsetTop + 25,
  };
  resizeSvg(parts.overlay, size.places.width, size.places.height);
}

// What a layout needs to know of a film before it is played.
function scanFilm(film) {
  const blocksBySeq = new Map();
  const rows = []; // for each event, how many blocks each listed table has
  let [longest, mostLive] = [1, 0];
  for (const { state, changes } of film.frames) {
    const before = new Map(blocksBySeq);
    if (state) blocksBySeq.clear();
    for (const [seq, table] of Object.entries((state ?? changes).tables)) {
      if (table === null) blocksBySeq.delete(seq);
      else {
        blocksBySeq.set(seq, table.blocks.length);
        longest = Math.max(longest, table.len);
      }
    }
    mostLive = Math.max(mostLive, blocksBySeq.size);
    rows.push([...new Map([...before, ...blocksBySeq]).values()]);
  }
  return {
    longest, mostLive,
    tablesHeight: (width) => rows.reduce((most, tables) => Math.max(most, rowsHeight(film, tables, width)), 0),
    hasSteps: film.frames.some((frame) => frame.step > 0),
    kinds: new Set(film.frames.map((frame) => frame.kind)),
  };
}

function rowsHeight(film, numBlocksOfTables, width) {
  const { perLine, maxLines } = entryLines(film, width, numBlocksOfTables.length);
  const height = (numBlocks) => ROW_HEIGHT + ENTRY.line * (Math.min(maxLines, Math.max(1, Math.ceil(numBlocks / perLine))) - 1);
  return numBlocksOfTables.reduce((sum, numBlocks) => sum + height(numBlocks), 4);
}
