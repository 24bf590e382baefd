// A token of each model at one scale: a row for each layer, a column for each KV head, and
// the area says the bytes. A click chooses a model; one of its layers is drawn large.

const TOKEN_ROW = 2.8; // px of one layer
const TOKEN_BYTES_PX = 94; // bytes of one layer to a px of width, with 2-byte numbers

function renderTokenBytes({ model, el }) {
  const view = { model, models: model.get("models"), width: 966 };
  view.root = node("div", { class: "pagedkv token-bytes", role: "group",
    "aria-label": "What one token keeps in the cache, for several models at one scale" });
  view.parts = tokenParts(view);
  view.root.append(...view.parts.all);
  el.append(view.root);
  const watcher = new ResizeObserver(() => {
    const width = Math.max(300, Math.min(966, view.root.clientWidth - 34));
    if (Math.abs(width - view.width) < 1) return;
    view.width = width;
    tokenDraw(view);
  });
  watcher.observe(view.root);
  const changed = () => tokenDraw(view);
  model.on?.("change:chosen", changed);
  model.on?.("change:dtype_bytes", changed);
  tokenDraw(view);
  return () => {
    watcher.disconnect();
    model.off?.("change:chosen", changed);
    model.off?.("change:dtype_bytes", changed);
  };
}

function tokenParts(view) {
  const headline = node("div", { class: "headline" });
  const key = node("div", { class: "ink2" }, "a row for each layer, a column for each KV head, area = bytes");
  const stacks = view.models.map((one) => {
    const svg = newSvg(10, 10);
    const words = node("span");
    const button = node("button", { class: "stack", type: "button", "data-model": one.name }, svg, words);
    button.addEventListener("click", () => tokenChoose(view, one.name));
    return { one, svg, words, button };
  });
  const layerTitle = node("div", { class: "title" });
  const layer = newSvg(966, 80);
  const text = node("div", { class: "text", "aria-live": "polite" });
  const buttons = node("div", { class: "row buttons" });
  const all = [
    node("div", { class: "row head" }, headline, key),
    node("div", { class: "stacks" }, ...stacks.map((stack) => stack.button)),
    node("div", { class: "layer" }, layerTitle, layer),
    text,
    buttons,
  ];
  return { all, headline, stacks, layerTitle, layer, text, buttons };
}

function tokenChoose(view, name) {
  view.model.set("chosen", name);
  view.model.save_changes();
  tokenDraw(view);
}

function tokenDtype(view, size) {
  view.model.set("dtype_bytes", size);
  view.model.save_changes();
  tokenDraw(view);
}

function tokenDraw(view) {
  const { parts } = view;
  const size = view.model.get("dtype_bytes");
  const chosen = view.models.find((one) => one.name === view.model.get("chosen")) ?? view.models[0];
  view.root.dataset.chosen = chosen.name;
  parts.headline.textContent = `One token of ${chosen.name} takes ${tokenSize(tokenTotal(chosen, size))}`;
  for (const stack of parts.stacks) tokenStack(stack, size, stack.one === chosen, view.width);
  parts.layerTitle.textContent = `One layer of ${chosen.name}: ${amount(chosen.heads, "query head")} read ${amount(chosen.kv_heads, "KV head")}`;
  tokenLayer(parts.layer, chosen, view.width, size);
  parts.text.textContent = chosen.texts[size];
  const names = view.model.get("dtype_names");
  buttonRow(parts.buttons, Object.keys(names).map(Number).sort((a, b) => b - a).map((one) => ({
    key: `dtype${one}`, label: `${amount(one, "byte")} a number`, note: names[one],
    pressed: one === size, run: () => tokenDtype(view, one),
  })));
}

function tokenStack({ one, svg, words, button }, size, isChosen, width) {
  const shrink = width < 700 ? 0.75 : 1;
  const column = (shrink * 2 * one.head_dim * size) / TOKEN_BYTES_PX;
  const gap = column > 3 ? 0.8 : 0.4;
  const tone = isChosen ? 1 : 0.7;
  let out = "";
  // a column at a time: its rows are one pattern of keys and values, cut by lines of paper
  for (let i = 0; i < one.kv_heads; i++) {
    const x = i * column;
    const height = one.layers * TOKEN_ROW;
    out += rectSvg(x, 0, (column - gap) / 2, height, { fill: "var(--ink2)", opacity: tone });
    out += rectSvg(x + (column - gap) / 2, 0, (column - gap) / 2, height, { fill: "var(--line2)", opacity: tone });
  }
  const all = one.kv_heads * column;
  let cuts = "";
  for (let layer = 1; layer < one.layers; layer++) cuts += `M0,${layer * TOKEN_ROW} H${all}`;
  out += `<path d="${cuts}" stroke="${isChosen ? "var(--paper2)" : "var(--paper)"}" stroke-width="0.7"/>`;
  resizeSvg(svg, all, one.layers * TOKEN_ROW);
  svg.body.innerHTML = out;
  button.setAttribute("aria-pressed", isChosen);
  words.innerHTML = `<b>${esc(one.name)}</b><br>${tokenSize(tokenTotal(one, size))}<br><span class="ink2">${one.layers} × ${one.kv_heads}</span>`;
}

function tokenTotal(one, size) {
  return 2 * one.layers * one.kv_heads * one.head_dim * size;
}

// 131,072 bytes are 128 KiB
function tokenSize(bytes) {
  const kib = bytes / 1024;
  if (kib < 1) return amount(bytes, "byte");
  return `${Number.isInteger(kib) ? withCommas(kib) : kib.toFixed(1)} KiB`;
}
