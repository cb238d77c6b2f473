// Plays pairs of recordings without naming the voices, and stores the recording that the listener prefers. The page
// loads nothing from other hosts and sends nothing.
"use strict";

const { test, question, pairs } = window.listening;
const byId = (id) => document.getElementById(id);
const store = `listen.${test}`;
const sound = byId("sound");

// `votes` by pair ID; `languages` that the listener speaks.
let state = restored() ?? { listener: "", languages: null, votes: {} };
let chosen = []; // pairs in the languages of the listener
let at = 0; // index of the shown pair
let heard = new Set(); // numbers of the recordings of the pair that were played
let playing = null; // number of the recording that is playing, 1 or 2
let shownAt = 0; // time at which the pair was shown

function restored() {
  try {
    return JSON.parse(localStorage.getItem(store));
  } catch {
    return null; // storage is disabled or has other contents
  }
}

function keep() {
  try {
    localStorage.setItem(store, JSON.stringify(state));
  } catch {
    // without storage, the votes are lost when the page is closed
  }
}

function show(section) {
  for (const id of ["start", "pair", "end"]) byId(id).hidden = id !== section;
}

function say(text) {
  byId("status").textContent = text;
}

function start() {
  byId("question").textContent = question;
  byId("listener").value = state.listener;
  byId("resume").hidden = Object.keys(state.votes).length === 0;
  const names = new Map(pairs.map(({ language, languageName }) => [language, languageName]));
  for (const [code, name] of [...names].sort((one, other) => one[1].localeCompare(other[1]))) {
    const box = document.createElement("input");
    box.type = "checkbox";
    box.value = code;
    box.checked = state.languages?.includes(code) ?? names.size === 1;
    const label = document.createElement("label");
    label.append(box, ` ${name} (${pairs.filter(({ language }) => language === code).length})`);
    byId("languages").append(label);
  }
}

function begin() {
  const boxes = [...byId("languages").querySelectorAll("input")];
  state.languages = boxes.filter((box) => box.checked).map((box) => box.value);
  if (state.languages.length === 0) {
    boxes[0].focus();
    say("Choose at least one language.");
    return;
  }
  state.listener = byId("listener").value.trim();
  keep();
  chosen = pairs.filter(({ language }) => state.languages.includes(language));
  const open = chosen.findIndex(({ id }) => !(id in state.votes));
  go(open < 0 ? chosen.length : open);
}

function go(to) {
  stop();
  at = to;
  if (at >= chosen.length) return finish();
  const { text, language, languageName } = chosen[at];
  heard = new Set();
  shownAt = performance.now();
  show("pair");
  byId("pair-title").textContent = `Pair ${at + 1} of ${chosen.length}: ${languageName}`;
  byId("text").textContent = text;
  byId("text").lang = language;
  byId("progress").max = chosen.length;
  byId("progress").value = at;
  byId("back").disabled = at === 0;
  refresh();
  byId("pair-title").focus();
}

function finish() {
  show("end");
  const done = chosen.filter(({ id }) => id in state.votes).length;
  byId("summary").textContent = `${done} of ${chosen.length} pairs are voted on.`;
  byId("end-title").focus();
}

function refresh() {
  for (const place of [1, 2]) {
    const button = byId(`play-${place}`);
    button.dataset.state = playing === place ? "playing" : heard.has(place) ? "heard" : "";
  }
  byId("votes").disabled = heard.size < 2;
  byId("why").textContent = heard.size < 2 ? "Play both to the end, then choose." : "Play them again as often as you like, or choose.";
}

function stop() {
  sound.pause();
  playing = null;
}

function play(place) {
  if (byId("pair").hidden) return;
  stop();
  playing = place;
  sound.src = chosen[at].sounds[place - 1];
  refresh();
  sound.play().catch((error) => {
    if (error.name === "AbortError") return; // interrupted by another recording
    playing = null;
    byId("why").textContent = `This sound cannot be played: ${error.message}`;
    say(byId("why").textContent);
  });
}

sound.addEventListener("ended", () => {
  heard.add(playing);
  playing = null;
  refresh();
  say(heard.size < 2 ? "Played. Now the other one." : "Both played. Choose.");
});

function vote(choice) {
  if (byId("pair").hidden || heard.size < 2) return;
  const { id, language } = chosen[at];
  state.votes[id] = { language, choice, seconds: Math.round((performance.now() - shownAt) / 1000) };
  keep();
  go(at + 1);
}

function download() {
  const votes = JSON.stringify({ test, listener: state.listener, languages: state.languages, votes: state.votes }, null, 1);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([votes], { type: "application/json" }));
  link.download = `votes-${test}${state.listener ? `-${state.listener.replace(/[^\p{L}\p{N}]+/gu, "-")}` : ""}.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  say("The votes were downloaded.");
}

byId("begin").addEventListener("click", begin);
byId("play-1").addEventListener("click", () => play(1));
byId("play-2").addEventListener("click", () => play(2));
byId("back").addEventListener("click", () => go(at - 1));
byId("again").addEventListener("click", () => go(chosen.length - 1));
for (const button of document.querySelectorAll(".download")) button.addEventListener("click", download);
for (const button of byId("votes").querySelectorAll("button")) {
  button.addEventListener("click", () => vote(button.dataset.vote));
}
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.target.matches("input:not([type=checkbox])")) return;
  const keys = { 1: () => play(1), 2: () => play(2), a: () => vote("first"), s: () => vote("same"), d: () => vote("second") };
  const act = keys[event.key.toLowerCase()];
  if (!act) return;
  event.preventDefault();
  act();
});
start();
