// What a clip is played again with: a button, a slider of its place, and its files.

import { chooseFormat, downloadWav } from "./clip-download.js";
import { el } from "./dom.js";
import { duration } from "./format.js";

// `player`: a `ClipPlayer`. Gives the element, that of the files, and `show()`, which shows how far the player is.
export function clipControls(player) {
  const play = el("button", { type: "button", class: "small play", on: { click: () => (player.playing ? player.pause() : player.play()) } }, "Play");
  const place = el("input", { type: "range", min: 0, max: 0, step: 10, value: 0, "aria-label": "Place in the clip",
    on: { input: () => player.seek(place.valueAsNumber) } });
  const time = el("span", { class: "hint time" });
  const save = el("button", { type: "button", on: { click: () => downloadWav(player.clip) } }, "Download WAV");
  const other = el("button", { type: "button", on: { click: () => chooseFormat(player.clip) } }, "Other formats…");
  const element = el("div", { class: "clip-controls", role: "group", "aria-label": "The clip" }, play, place, time);
  const files = el("div", { class: "row" }, save, other);

  const show = () => {
    const { clip, playing, positionMs, lengthMs } = player;
    for (const control of [play, place, save]) control.disabled = !clip;
    other.disabled = !clip?.whole; // the server would speak all of it
    play.textContent = playing ? "Pause" : positionMs > 0 && positionMs < lengthMs ? "Play on" : "Play";
    place.max = Math.floor(lengthMs);
    place.value = positionMs;
    const told = clip ? `${duration(positionMs)} of ${duration(lengthMs)}` : "";
    time.textContent = told;
    place.setAttribute("aria-valuetext", told);
  };
  show();
  return { element, files, show };
}
