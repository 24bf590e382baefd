// Hints in layers: each opens after the one before it, the last after one more attempt.

const LAYERS = ["A question to ask yourself", "The idea", "Almost code"];

function hintsPart({ report, attempt }) {
  if (report.status === "passed" || !report.hints.length) return null;
  const [first, ...others] = report.hints;
  const part = node("section", { class: "v-hints", "aria-label": "Hints" });
  part.append(hintGroup(first, attempt, node("h4", {}, "Hints")));
  if (others.length) {
    const more = node("details", { class: "v-others" }, node("summary", {}, `Not what you see? ${amount(others.length, "other symptom")}`));
    more.append(...others.map((hint) => hintGroup(hint, attempt)));
    part.append(more);
  }
  return part;
}

// A hint's layers, one under the other: each opens after the one before it, and the
// last one only after one more attempt.
function hintGroup(hint, attempt, head = null) {
  const symptom = coded("span", `“${hint.title}”`, { class: "v-symptom" });
  const group = node("div", { class: "v-hint" }, node("div", { class: "v-hint-head" }, head, symptom));
  const places = hint.layers.map(() => group.appendChild(node("div")));
  const open = (k) => {
    if (k >= places.length) return;
    const early = k === places.length - 1 && k > 0 && attempt < 2;
    const show = () => places[k].replaceChildren(hintLayer(hint, k, () => open(k + 1)));
    if (early) places[k].replaceChildren(lockedLayer(hint, k, "opens after one more attempt"));
    else show();
  };
  places.forEach((place, k) => place.append(lockedLayer(hint, k, k === places.length - 1 && attempt < 2 ? "opens after one more attempt" : `open ${k} first`)));
  open(0);
  return group;
}

function layerName(hint, k) {
  return hint.layers.length === LAYERS.length ? LAYERS[k] : `Layer ${k + 1}`;
}

function hintLayer(hint, k, onOpen) {
  const layer = node("details", { class: "v-layer" });
  const summary = node("summary");
  summary.innerHTML = iconHtml("next", 11);
  summary.append(node("b", {}, k + 1), layerName(hint, k));
  layer.append(summary, coded("p", hint.layers[k]));
  layer.addEventListener("toggle", () => layer.open && onOpen(), { once: true });
  return layer;
}

const LOCK = '<svg width="12" height="12" viewBox="0 0 16 16" aria-hidden="true"><path d="M3.5 7.5h9v6.5h-9zM5.3 7.5V5a2.7 2.7 0 0 1 5.4 0v2.5" fill="none" stroke="currentColor" stroke-width="1.6"/></svg>';

function lockedLayer(hint, k, why) {
  const layer = node("div", { class: "v-layer locked" });
  layer.innerHTML = LOCK;
  layer.append(node("b", {}, k + 1), layerName(hint, k), node("small", {}, why));
  return layer;
}
