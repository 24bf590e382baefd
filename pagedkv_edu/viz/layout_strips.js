// One block in six orders, at one scale of bytes: those with keys and values in one array
// at the left, those with an array for each at the right.

function renderLayoutStrips({ model, el }) {
  const headline = node("div", { class: "headline" });
  const place = node("div", { class: "place" });
  const stage = node("div", { class: "stage" });
  const describe = node("div", { class: "describe", "aria-live": "polite" });
  const root = node("div", { class: "pagedkv layouts", role: "group", "aria-label": "The sectors of one block in six layouts." },
    node("div", { class: "head" }, headline, place), stage, describe);
  const svg = newSvg(968, 400, "The picture; the text below says the same.");
  stage.append(svg);
  el.append(root);
  const draw = () => {
    const picture = model.get("picture");
    headline.textContent = picture.headline;
    place.textContent = picture.place;
    describe.textContent = picture.text;
    const columns = [picture.strips.slice(0, 3), picture.strips.slice(3)];
    const [left, leftHeight] = layoutColumnSvg(columns[0], 46, "one array for keys and values");
    const [right, rightHeight] = layoutColumnSvg(columns[1], 544, "an array for keys, and one for values");
    resizeSvg(svg, 968, Math.max(leftHeight, rightHeight));
    svg.body.innerHTML = left + right;
  };
  model.on?.("change:picture", draw);
  draw();
  return () => model.off?.("change:picture", draw);
}

function layoutColumnSvg(strips, x, title) {
  let out = textSvg(x, 12, title, { "font-size": 13, "font-weight": 700 });
  let y = 42;
  for (const strip of strips) {
    out += sectorStripSvg(strip, x, y, 424, HUES[0]);
    y += sectorStripHeight(strip) + 15;
    const both = strip.two_arrays ? "; both arrays counted, one drawn" : "";
    out += textSvg(x, y, strip.step + both, { fill: "var(--ink2)" });
    y += 32;
  }
  return [out, y - 20];
}
