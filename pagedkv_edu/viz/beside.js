// Two runs of one story, each as rows of boxes of cells, at the same step. HTML, not SVG:
// the words are text, and lines break where the page is narrow.

function renderBeside({ model, el }) {
  const view = { model, names: model.get("names"), steps: model.get("steps"), at: model.get("index") };
  view.root = node("div", { class: "pagedkv beside", role: "group", tabindex: 0,
    "aria-label": `${view.names.join(" and ")}, beside each other. Arrow keys step.` });
  view.title = node("div", { class: "headline" });
  view.where = node("div", { class: "ink2 where" });
  view.sides = view.names.map((name) => {
    const rows = node("div", { class: "rows" });
    const told = node("p", { class: "told", "aria-live": "polite" });
    const root = node("section", { class: "side", "aria-label": name }, node("h4", {}, name), rows, told);
    return { root, rows, told };
  });
  view.track = node("ol", { class: "story" });
  view.buttons = node("div", { class: "row buttons" });
  view.root.append(
    node("div", { class: "row head" }, view.title, view.where),
    node("div", { class: "sides" }, ...view.sides.map((side) => side.root)),
    view.track,
    view.buttons,
  );
  el.append(view.root);
  besideTrack(view);
  view.root.addEventListener("keydown", (event) => besideKey(view, event));
  const taken = () => besideShow(view, model.get("index"));
  model.on?.("change:index", taken);
  besideShow(view, view.at);
  return () => model.off?.("change:index", taken);
}

function besideGo(view, at) {
  besideShow(view, at);
  view.model.set("index", view.at);
  view.model.save_changes();
}

function besideShow(view, at) {
  const last = view.steps.length - 1;
  view.at = Math.max(0, Math.min(last, at));
  const step = view.steps[view.at];
  view.root.dataset.step = view.at;
  view.title.textContent = step.title;
  view.where.textContent = `step ${view.at + 1} of ${last + 1}`;
  [step.left, step.right].forEach((moment, k) => {
    const side = view.sides[k];
    side.rows.innerHTML = moment.rows.map(besideRow).join("");
    side.told.textContent = moment.told;
    side.root.classList.toggle("is-wrong", moment.is_wrong);
  });
  [...view.track.children].forEach((item, k) => {
    item.classList.toggle("done", k < view.at);
    if (k === view.at) item.firstChild.setAttribute("aria-current", "step");
    else item.firstChild.removeAttribute("aria-current");
  });
  buttonRow(view.buttons, [
    { key: "back", icon: "back", label: "Back", off: view.at === 0, run: () => besideGo(view, view.at - 1) },
    { key: "step", icon: "step", label: "Step", primary: true, off: view.at === last, run: () => besideGo(view, view.at + 1) },
    { key: "again", label: "From the start", off: view.at === 0, run: () => besideGo(view, 0) },
  ]);
}

function besideTrack(view) {
  view.steps.forEach((step, k) => {
    const button = node("button", { type: "button", class: "dot", title: step.title, onclick: () => besideGo(view, k) }, String(k + 1));
    button.setAttribute("aria-label", `step ${k + 1}: ${step.title}`);
    view.track.append(node("li", { class: step.left.is_wrong || step.right.is_wrong ? "wrong" : "" }, button));
  });
}

function besideKey(view, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const to = { ArrowLeft: view.at - 1, ArrowRight: view.at + 1, Home: 0, End: Infinity }[event.key];
  if (to !== undefined) {
    event.preventDefault();
    besideGo(view, to);
  }
  // JupyterLab's command mode would take it for a command: the a key adds a cell
  if (event.key !== "Tab" && event.key !== "Escape") event.stopPropagation();
}

function besideRow({ label, boxes, hue }) {
  const name = hue === null ? `<span class="label">${esc(label)}</span>`
    : `<span class="label"><span class="chip" style="${besideInk(HUES[hue])}">${esc(label.split(" ")[0])}</span> ${esc(label.split(" ").slice(1).join(" "))}</span>`;
  return `<div class="line">${name}<span class="boxes">${boxes.map(besideBox).join("")}</span></div>`;
}

function besideBox({ cells, name, hue, look }) {
  const owner = hue === null ? null : HUES[hue];
  const edge = owner ? `--hue:${owner.fill};--edge:${owner.isLight ? "var(--ink)" : owner.fill}` : "";
  const kind = `box ${look} ${owner ? "owned" : "nobody"}`;
  const title = name ? `<span class="name">${esc(name)}</span>` : "";
  return `<span class="${kind}" style="${edge}">${title}<span class="cells">${cells.map(besideCell).join("")}</span></span>`;
}

function besideCell({ text, look, tag }) {
  const below = tag ? `<small>${esc(tag)}</small>` : "";
  return `<span class="slot ${look}"><b>${esc(text)}</b>${below}</span>`;
}

function besideInk(hue) {
  return `background:${hue.fill};color:${hue.text};border-color:${hue.isLight ? "#1b1b1b" : hue.fill}`;
}
