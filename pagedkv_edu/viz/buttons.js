// A row of buttons, each with what it will do: {key, label, run, and if wanted icon, note,
// kbd, primary, pressed, off}.

// They are kept and changed, not made anew: the one that has the focus must keep it.
function buttonRow(row, wanted) {
  for (const button of wanted) {
    let element = row.querySelector(`[data-key="${button.key}"]`);
    if (!element) {
      element = node("button", { class: "btn", type: "button", "data-key": button.key });
      element.addEventListener("click", () => element.run());
      row.append(element);
    }
    element.run = button.run;
    element.disabled = button.off === true;
    element.classList.toggle("primary", button.primary === true || button.pressed === true);
    if (button.pressed !== undefined) element.setAttribute("aria-pressed", button.pressed);
    const html =
      (button.icon ? iconHtml(button.icon) : "") + `<span>${esc(button.label)}</span>` +
      (button.note ? `<small>${esc(button.note)}</small>` : "") +
      (button.kbd ? `<span class="kbd">${button.kbd}</span>` : "");
    if (element.shown !== html) {
      element.innerHTML = html;
      element.shown = html;
    }
  }
}
