// Player bar at the bottom of the window: one button (play, pause or interrupt), the waveform with its slider, the time
// to first audio, and downloads of the clip.

import { chooseFormat, downloadWav } from "./clip-download.js";
import { el, icon } from "./dom.js";
import { duration, latency } from "./format.js";

const LOOKS = { Interrupt: "stop", Pause: "pause" };

// `player` is a `ClipPlayer`, and `canvas` the waveform. `interrupt()` interrupts the speech. `sample()` returns the
// recorded clip that an empty player offers, {name, play()}, or null. Returns the element. Its `show()` updates the
// position of the player, `speaking(is)` sets whether a turn is being spoken, and `firstAudio(ms)` sets the time to
// first audio (null: none).
export function playerBar(player, { canvas, interrupt, sample }) {
  let isSpeaking = false;
  const symbol = el("span");
  const label = el("span", { class: "label" });
  const play = el("button", { type: "button", class: "play", on: { click: () => press() } }, symbol, label);
  // the slider covers the waveform, so that the user can press, drag and step in one place
  const place = el("input", { type: "range", min: 0, max: 0, step: 10, value: 0, "aria-label": "Position in the clip",
    on: { input: () => player.seek(place.valueAsNumber), click: () => player.play() } });
  const time = el("span", { class: "hint time" });
  const figure = el("dl", { class: "figures first-audio", hidden: true });
  const save = el("button", { type: "button", class: "small", on: { click: () => downloadWav(player.clip) } }, icon("download"), el("span", { class: "label" }, "Download WAV"));
  const other = el("button", { type: "button", class: "small", on: { click: () => chooseFormat(player.clip) } }, "Other formats…");
  const files = el("div", { class: "row files" }, save, other);
  const element = el("section", { class: "player", "aria-label": "Player" },
    el("div", { class: "clip-controls", role: "group", "aria-label": "The clip" },
      play, el("div", { class: "scrubber" }, canvas, place), time),
    figure, files);

  const press = () => {
    if (isSpeaking) interrupt();
    else if (!player.clip) sample()?.play();
    else if (player.playing) player.pause();
    else player.play();
  };
  const named = (playing, positionMs, lengthMs) => {
    if (isSpeaking) return "Interrupt";
    if (playing) return "Pause";
    return positionMs > 0 && positionMs < lengthMs ? "Play on" : "Play";
  };
  const show = () => {
    const { clip, playing, positionMs, lengthMs } = player;
    const name = named(playing, positionMs, lengthMs);
    const recorded = clip || isSpeaking ? null : sample();
    label.textContent = name;
    symbol.className = `icon icon-${LOOKS[name] ?? "play"}`;
    play.disabled = !clip && !isSpeaking && !recorded;
    element.classList.toggle("speaking", isSpeaking);
    element.classList.toggle("bare", !clip && !isSpeaking);
    for (const control of [place, save]) control.disabled = !clip;
    other.disabled = !clip?.whole || !clip.settings; // the server would synthesise the whole text
    files.hidden = !clip;
    place.max = Math.floor(lengthMs);
    place.value = positionMs;
    const told = clip ? `${duration(positionMs)} of ${duration(lengthMs)}` : recorded?.name ?? "";
    time.textContent = told;
    place.setAttribute("aria-valuetext", told);
  };
  const speaking = (is) => {
    isSpeaking = is;
    show();
  };
  const firstAudio = (ms) => {
    figure.hidden = ms === null;
    if (ms !== null) figure.replaceChildren(el("div", {}, el("dt", {}, "First audio"), el("dd", {}, latency(ms))));
  };
  show();
  return { element, show, speaking, firstAudio };
}
