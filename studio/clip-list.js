// List of the clips that were spoken in this browser, which can be played again or deleted.

import { announce, el } from "./dom.js";
import { clipMs } from "./clip.js";
import { MOST_CLIPS } from "./clip-store.js";
import { ago, duration } from "./format.js";
import { session } from "./session.js";

const EXCERPT = 90; // maximum number of characters

// `open(clip)` plays a clip. Returns the element and `show(store)`, which makes the list show the clips of a store.
export function clipList(open) {
  const rows = el("ol", { class: "clips" });
  const clear = el("button", { type: "button" }, "Delete all");
  const kept = el("p", { class: "hint" });
  const element = el("section", { class: "history", hidden: true, "aria-labelledby": "history" },
    el("h2", { id: "history" }, "Spoken in this browser"),
    kept,
    rows, el("div", { class: "row" }, clear));
  let store = null;

  const show = (shown = store) => {
    store = shown;
    element.hidden = store.clips.length === 0;
    kept.textContent = `The last ${MOST_CLIPS} clips, stored only on this machine until ${store.lasts ? "you sign out" : "this page is left"}. Playing them again costs nothing.`;
    rows.replaceChildren(...store.clips.map(row));
  };
  const row = (clip) => {
    const excerpt = clip.text.length > EXCERPT ? `${clip.text.slice(0, EXCERPT).trimEnd()}…` : clip.text;
    const play = el("button", { type: "button", class: "small", "aria-label": `Play: ${excerpt}` }, "Play");
    const remove = el("button", { type: "button", class: "small", "aria-label": `Delete: ${excerpt}` }, "Delete");
    play.addEventListener("click", () => open(clip));
    remove.addEventListener("click", async () => {
      const at = store.clips.indexOf(clip);
      await store.remove(clip.id);
      show();
      announce("Forgotten");
      // keep the focus near its old position
      (rows.children[Math.min(at, rows.children.length - 1)]?.querySelector("button") ?? document.querySelector(".speak")).focus();
    });
    const facts = [clip.voice, clip.language && session.language(clip.language).name, duration(clipMs(clip)), clip.whole && clip.heardEnd === null ? null : "interrupted", ago(clip.spokenAt)];
    return el("li", {}, el("div", { class: "clip-text", lang: clip.language, dir: "auto" }, excerpt),
      el("p", { class: "hint" }, facts.filter(Boolean).join(" · ")), el("div", { class: "row" }, play, remove));
  };
  clear.addEventListener("click", async () => {
    await store.clear();
    show();
    announce("All clips were deleted");
    document.querySelector(".speak").focus();
  });
  return { element, show };
}
