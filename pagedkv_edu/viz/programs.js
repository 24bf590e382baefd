// The programs of a launch: one box each, its turns inside, for four ways to cut the same
// decode step. Beside them one turn of the chosen program, below what all of them need.

const PROGRAMS = { left: 88, width: 432, top: 44, row: 122 };

function renderPrograms({ model, el }) {
  const view = { model, picture: model.get("picture"), rung: -1, chosen: 0 };
  view.root = node("div", { class: "pagedkv programs", role: "group", tabindex: 0,
    "aria-label": "Programs of four launches. Left and right arrow choose the launch, up and down arrow the program." });
  const badge = node("span", { class: "badge", "aria-hidden": "true" });
  const headline = node("div", { class: "headline" });
  const place = node("div", { class: "place" });
  const stage = node("div", { class: "stage" });
  const describe = node("div", { class: "describe", "aria-live": "polite" });
  const bar = node("div", { class: "bar" });
  view.parts = { badge, headline, place, stage, describe, bar };
  view.root.append(node("div", { class: "head" }, badge, headline, place), stage, describe, bar);
  view.svg = newSvg(968, 444, "The picture; the text below says the same.");
  view.svg.paint = paintBox(view.svg);
  stage.append(view.svg);
  el.append(view.root);
  view.root.addEventListener("keydown", (event) => programsKey(view, event));
  stage.addEventListener("click", (event) => {
    const box = event.target.closest("[data-program]");
    if (box) programsChoose(view, Number(box.dataset.program));
  });
  const heard = () => programsGo(view, model.get("rung"), false);
  model.on?.("change:rung", heard);
  heard();
  return () => model.off?.("change:rung", heard);
}

function programsGo(view, to, save = true) {
  const rung = Math.max(0, Math.min(view.picture.launches.length - 1, to));
  if (rung === view.rung) return;
  view.rung = rung;
  const { programs } = view.picture.launches[rung];
  // the one whose last turn has tokens to mask, or the first
  view.chosen = Math.max(0, programs.findIndex(({ turns }) => turns.length && turns.at(-1) < 16));
  programsDraw(view);
  if (save) {
    view.model.set("rung", rung);
    view.model.save_changes();
  }
}

function programsChoose(view, program) {
  const { programs } = view.picture.launches[view.rung];
  view.chosen = (program + programs.length) % programs.length;
  programsDraw(view);
}

function programsKey(view, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const actions = {
    ArrowLeft: () => programsGo(view, view.rung - 1), ArrowRight: () => programsGo(view, view.rung + 1),
    ArrowUp: () => programsChoose(view, view.chosen - 1), ArrowDown: () => programsChoose(view, view.chosen + 1),
    Home: () => programsGo(view, 0), End: () => programsGo(view, Infinity),
  };
  const action = actions[event.key];
  if (action) {
    event.preventDefault();
    action();
  }
  // JupyterLab's command mode would take a key for a command
  if (event.key !== "Tab" && event.key !== "Escape") event.stopPropagation();
}

function programsDraw(view) {
  const { parts, picture, rung, svg } = view;
  const launch = picture.launches[rung];
  svg.body.innerHTML = programsSvg(svg, view);
  view.root.dataset.rung = rung;
  parts.badge.textContent = rung + 1;
  parts.headline.textContent = launch.headline;
  parts.place.textContent = `${picture.num_heads} query heads  ·  ${picture.num_kv_heads} KV heads  ·  tile ${launch.tile}`;
  parts.describe.textContent = launch.text;
  buttonRow(parts.bar, picture.launches.map((each, k) => ({
    key: `rung${k}`, label: `${k + 1} ${each.name}`, pressed: k === rung, run: () => programsGo(view, k),
  })));
}

function programsSvg(svg, view) {
  const { picture, rung } = view;
  const launch = picture.launches[rung];
  let out = textSvg(0, 14, "Programs of this launch", { "font-size": 13, "font-weight": 700 });
  out += textSvg(0, 30, "a bar is a turn; its filled part is tokens", { fill: "var(--ink2)" });
  Object.entries(picture.seq_lens).forEach(([seq, length], row) => {
    const y = PROGRAMS.top + row * PROGRAMS.row;
    out += textSvg(0, y + 22, `Sequence ${seq}`, { "font-size": 12, "font-weight": 700 });
    out += textSvg(0, y + 38, amount(length, "token"), { fill: "var(--ink2)" });
  });
  launch.programs.forEach((program, k) => {
    out += programBoxSvg(view, launch, program, k);
  });
  out += programTileSvg(svg, view, launch.programs[view.chosen]);
  out += '<path d="M0,304 H968" stroke="var(--line)"/>';
  return out + programsTableSvg(view);
}

function programBoxSvg(view, launch, program, k) {
  const { picture, chosen } = view;
  const seqs = Object.keys(picture.seq_lens);
  const row = seqs.indexOf(program.seq);
  const hue = HUES[row];
  const parts = Math.max(...launch.programs.map(({ split }) => split)) + 1;
  const perHead = PROGRAMS.width / picture.num_heads;
  const room = perHead * program.num_heads;
  const wide = room / parts - 5;
  const x = PROGRAMS.left + program.head * perHead + program.split * (room / parts);
  const y = PROGRAMS.top + row * PROGRAMS.row;
  const empty = !program.turns.length;
  const now = k === chosen;
  const frame = now
    ? { stroke: "var(--ink)", "stroke-width": 2.2 }
    : { stroke: empty ? "var(--free)" : "var(--line2)", "stroke-dasharray": empty ? "2.5 2.5" : null };
  let out = rectSvg(x, y + 0.5, wide, PROGRAMS.row - 14, { rx: 5, fill: now ? "var(--paper2)" : "var(--paper)", ...frame });
  const heads = program.num_heads > 1 ? `heads ${program.head} to ${program.head + program.num_heads - 1}` : `head ${program.head}`;
  const name = parts > 1 ? `part ${program.split}` : heads;
  if (parts > 1) { // at the bottom, where the few turns of a part leave room
    const [noun, ...which] = heads.split(" ");
    [noun, which.join(" ")].forEach((line, n) => {
      out += textSvg(x + wide / 2, y + PROGRAMS.row - 34 + 12 * n, line, { "font-size": 10, "text-anchor": "middle", fill: "var(--ink2)" });
    });
  }
  out += textSvg(x + wide / 2, y + 13, name, { "font-size": 10, "text-anchor": "middle", fill: now ? "var(--ink)" : "var(--ink2)", "font-weight": now ? 700 : null });
  const pitch = (5.4 * launch.tile) / 16; // so that a token is as high in every launch
  program.turns.forEach((real, turn) => {
    const top = y + 19 + turn * pitch;
    out += rectSvg(x + 5, top, wide - 10, pitch - 1.8, { rx: 1, fill: "none", stroke: hue.isLight ? "var(--ink3)" : hue.fill, "stroke-width": 0.7 });
    out += rectSvg(x + 5, top, ((wide - 10) * real) / launch.tile, pitch - 1.8, { rx: 1, fill: hue.fill, opacity: now ? 1 : 0.6 });
  });
  return `<g class="program" data-program="${k}">${out}</g>`;
}

const PROGRAMS_COLUMNS = [
  ["rung", 0, "start"], ["programs", 330, "end"], ["turns of the longest", 470, "end"],
  ["turns of all", 600, "end"], ["rows of K read", 740, "end"],
];

function programsTableSvg({ picture, rung }) {
  let out = "";
  for (const [name, x, anchor] of PROGRAMS_COLUMNS) {
    out += textSvg(x, 326, name, { "font-weight": 700, "text-anchor": anchor, fill: "var(--ink2)" });
  }
  picture.launches.forEach((launch, k) => {
    const y = 350 + k * 25;
    const now = k === rung;
    if (now) out += rectSvg(-8, y - 16.5, 762, 24, { rx: 4, fill: "var(--paper2)", stroke: "var(--ink)", "stroke-width": 1.6 });
    const row = [`${k + 1}  ${launch.name}`, launch.programs.length, launch.longest, launch.total_turns, withCommas(launch.rows_read)];
    PROGRAMS_COLUMNS.forEach(([, x, anchor], i) => {
      out += textSvg(x, y, row[i], { "font-size": 12, "text-anchor": anchor, "font-weight": now ? 700 : null });
    });
  });
  return out;
}
