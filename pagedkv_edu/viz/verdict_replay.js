// The replay of a history, and the other ways on: a test to copy, a heading to reread.

function footer(seen, history, root) {
  const { report, lessonUrl } = seen;
  const parts = [];
  if (canReplay(history)) parts.push(replayButton(report, history, root));
  if (report.as_test) parts.push(...copyButton(report));
  if (report.reread) parts.push(rereadLink(report.reread, lessonUrl));
  return parts.length ? node("footer", { class: "v-foot" }, ...parts) : null;
}

function replayButton(report, history, root) {
  const button = node("button", {
    class: "btn primary v-replay",
    type: "button",
    "aria-expanded": "false",
    onclick: () => {
      if (button.getAttribute("aria-expanded") === "true") closeReplay(root);
      else openReplay(report, history, root, history.wrong ?? 0);
    },
  });
  button.innerHTML = iconHtml("play");
  const num = report.calls.length;
  button.append(num === 1 ? "Replay this call in the player" : `Replay these ${num} calls in the player`);
  return button;
}

// Copies, says so, and where the browser does not allow it shows the text, selected.
function copyButton({ as_test: text, calls }) {
  const told = node("span", { class: "v-told", role: "status" });
  const shown = node("pre", { class: "mono v-test", tabindex: "0", hidden: true }, text);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      told.textContent = "Copied. Paste it into a cell or a test file.";
    } catch {
      shown.hidden = false;
      window.getSelection().selectAllChildren(shown);
      shown.focus();
      told.textContent = "The browser did not copy. The text is selected: copy it by hand.";
    }
  };
  const button = node("button", { class: "btn v-copy", type: "button", onclick: copy }, calls.length > 1 ? "Copy them as a test" : "Copy it as a test");
  return [button, told, shown];
}

// In JupyterLab the hidden text output beside this view holds the same link, resolved
// for the notebook's folder; a click here is passed on to it.
function rereadLink(reread, url) {
  const words = `Reread: ${reread}`;
  if (!url) return node("span", { class: "v-reread" }, words);
  const follow = (event) => {
    const area = event.currentTarget.closest(".jp-OutputArea");
    const resolved = area?.querySelector(".pagedkv-verdict-text a");
    if (!resolved) return;
    event.preventDefault();
    followInLab(resolved);
  };
  return node("a", { class: "v-reread", href: url, onclick: follow }, words);
}

// JupyterLab 4 opens a notebook at its top and finds a heading only in one that is open
// already; so a notebook that had to be opened is asked for the heading once more.
function followInLab(link) {
  const numOpen = () => document.querySelectorAll(".jp-NotebookPanel").length;
  const before = numOpen();
  link.click();
  let looks = 0;
  const look = setInterval(() => {
    looks += 1;
    if (numOpen() > before) setTimeout(() => link.click(), 1000);
    if (numOpen() > before || looks === 20) clearInterval(look);
  }, 250);
}

// Two players, yours and the reference, that go through the calls together. Strips of
// extents are their own replay: the player shows blocks.
function canReplay(history) {
  return Boolean(history?.sides.length) && !history.sides.some((side) => side.extents);
}

// Open the players, or let them go on, paused at call i.
function openReplay(report, history, root, i) {
  const open = root.querySelector(".v-replays");
  if (open) open.seekAll(i);
  else replayPart(report, history, i, root);
  root.querySelector(".v-replay").setAttribute("aria-expanded", "true");
  const part = root.querySelector(".v-replays");
  part.querySelector(".player").focus({ preventScroll: true });
  part.scrollIntoView({ block: "nearest", behavior: "auto" });
}

function closeReplay(root) {
  const part = root.querySelector(".v-replays");
  if (!part) return;
  part.destroyAll();
  part.remove();
  root.querySelector(".v-replay")?.setAttribute("aria-expanded", "false");
}

function replayPart(report, history, start, root) {
  const part = node("section", { class: "v-replays", "aria-label": `Replay, ${history.sides.map((side) => side.label).join(" and ")}` });
  const over = "This call did not come back. Below is what was before it.";
  const places = history.sides.map((side) =>
    node("div", { class: `v-player ${side.name}` }, node("h4", {}, side.label), node("p", { class: "v-over" }, over)),
  );
  const longest = history.sides.reduce((most, side, k) => (side.length > history.sides[most].length ? k : most), 0);
  const bar = replayBar(report, history, root, () => players[longest]);
  part.append(bar.root, node("div", { class: "v-players" }, ...places));
  root.append(part); // a player measures its place when it is made
  const tell = (i, playing) => {
    bar.tell(i, playing);
    markOpenRow(root, i);
    history.sides.forEach((side, k) => places[k].classList.toggle("over", i >= side.length));
  };
  const follow = followers(() => players, tell);
  let players = null;
  players = history.sides.map((side, k) => {
    const place = places[k].appendChild(node("div"));
    const player = createPlayer(place, {
      film: report.films[side.name],
      startAt: Math.min(start, side.length - 1),
      onIndex: (i, playing) => follow(k, i, playing),
    });
    place.setAttribute("aria-label", `${side.label}. ${place.getAttribute("aria-label")}`);
    return player;
  });
  part.seekAll = (i) => {
    players[longest].pause();
    players[longest].seek(i);
  };
  part.destroyAll = () => {
    players.forEach((player) => player.destroy());
    markOpenRow(root, -1);
  };
  tell(start, false);
  return part;
}

// Whichever player moves, the others go to the same call and the same beat of a copy.
function followers(players, tell) {
  let isFollowing = false;
  return (leader, i, playing) => {
    if (isFollowing || !players()) return;
    isFollowing = true;
    const { beat } = players()[leader];
    players().forEach((player, k) => {
      if (k === leader) return;
      player.pause();
      const ownBeat = i < player.film.frames.length && numBeats(player.film, i) && beat ? beat : null;
      player.seek(i, ownBeat, playing);
    });
    tell(i, playing);
    isFollowing = false;
  };
}

// The buttons of both players. The rows of the history are their track.
function replayBar(report, history, root, first) {
  const numCalls = report.calls.length;
  const play = node("button", { class: "btn primary v-play", type: "button", onclick: () => (first().mode === "paused" ? first().play() : first().pause(), tellMode(first().mode !== "paused")) });
  const button = (name, label, onclick) => {
    const made = node("button", { class: "btn", type: "button", onclick });
    made.innerHTML = iconHtml(name);
    made.append(label);
    return made;
  };
  const where = node("span", { class: "v-where" });
  const close = () => {
    closeReplay(root);
    root.querySelector(".v-replay").focus();
  };
  const tellMode = (playing) => {
    play.innerHTML = iconHtml(playing ? "pause" : "play");
    play.append(playing ? "Pause" : "Play");
  };
  const tell = (i, playing) => {
    tellMode(playing && i < numCalls - 1);
    where.replaceChildren(`call ${i + 1} of ${numCalls} `, node("code", { class: "mono" }, report.calls[i]));
    if (i === history.wrong) where.append(wrongTag(report.wrong_words));
  };
  const bar = node(
    "div",
    { class: "v-bar" },
    play,
    button("back", "Back", () => first().step(-1)),
    button("step", "Step", () => first().step(1)),
    where,
    node("button", { class: "btn v-close", type: "button", onclick: close }, "Close the replay"),
  );
  return { root: bar, tell };
}

function wrongTag(words) {
  const tag = node("b", { class: "v-tag" });
  tag.innerHTML = `${iconHtml("wrong", 12)} ${words}`;
  return tag;
}

function markOpenRow(root, i) {
  root.querySelectorAll(".v-row").forEach((row, k) => {
    row.classList.toggle("open", k === i);
    if (k === i) row.setAttribute("aria-current", "step");
    else row.removeAttribute("aria-current");
  });
}
