// Playground page: write, hear and interrupt.

import { clipList } from "../clip-list.js";
import { ClipPlayer } from "../clip-player.js";
import { ClipStore } from "../clip-store.js";
import { copyButton } from "../clipboard.js";
import { controls } from "../controls.js";
import { el } from "../dom.js";
import { foundLanguage } from "../found-language.js";
import { longTextPanel } from "../long-text-panel.js";
import { normalizationPanel } from "../normalization-panel.js";
import { noticeBoard } from "../notice.js";
import { recordedClip } from "../recordings.js";
import { characterCount } from "../length.js";
import { accountNotice, accountObstacle, browserObstacle } from "../obstacle.js";
import { session } from "../session.js";
import { snippets } from "../snippets.js";
import { PlaybackSession } from "../playback-session.js";
import { speechView } from "../speech-view.js";
import { tabs } from "../tabs.js";
import { recordedIn } from "../voice-choice.js";

export const title = "Playground";

// Elements in which the space bar has another meaning.
const TAKES_SPACE = "textarea, input:not([type=range]), select, button, summary, [contenteditable]";

export async function render(root) {
  const playback = new PlaybackSession();
  const player = new ClipPlayer();
  const store = await ClipStore.open(session.account?.email);
  const board = noticeBoard();
  const hint = el("div", { class: "next" });
  const code = codeOfRequest();
  const chosen = new URLSearchParams(location.search).get("voice");
  const form = controls({ setup: session.setup, voices: session.voices, email: session.account?.email ?? null, chosen, changed: () => changed(), preview: (voice, code) => preview(voice, code) });
  const changed = () => {
    code.show(form);
    view.show();
  };
  const found = foundLanguage(session.setup.languages, (language) => {
    form.speakIn(language);
    main.focus();
  });
  const clips = clipList((clip) => {
    playback.interrupt();
    view.open(clip);
  });
  // plays the recording of a voice in the player, like any other clip
  let asked = 0;
  const playRecording = async (voice, code) => {
    playback.interrupt();
    const mine = (asked += 1);
    try {
      const clip = await recordedClip(voice, code);
      if (mine !== asked || playback.speaking) return; // another recording was started in the meantime
      panes.choose(0);
      view.open(clip);
    } catch (failure) {
      board.fail(failure);
    }
  };
  const recordingHeard = () => (player.playing && !player.clip.settings ? player.clip.voice : null);
  const preview = (voice, code) => (recordingHeard() === voice.name ? player.pause() : playRecording(voice, code));
  player.addEventListener("change", () => form.heard(recordingHeard()));
  const recording = () => recordingOf(form, playRecording);
  const view = speechView(playback, player, { spoken: (clip) => store.add(clip).then(() => clips.show()), sample: recording });
  const long = longTextPanel(form);
  const read = normalizationPanel(() => ({ text: form.written, language: form.settings.language ?? null }));
  const panes = tabs("Result for the text", [
    { name: "Speech", content: view.element },
    { name: "Long text", content: long.element },
    { name: "Pronunciation", content: read.element, shown: read.show },
    { name: "Code", content: el("section", { class: "same", "aria-label": "Use from a program" }, code.element) },
  ]);
  const asModel = el("input", { type: "checkbox", id: "as-model" });
  const main = el("button", { type: "button", class: "primary speak", "aria-keyshortcuts": "Control+Enter" }, "Speak");
  const keys = el("p", { class: "hint keys" }, el("kbd", {}, "Ctrl"), " + ", el("kbd", {}, "Enter"), " speaks, ", el("kbd", {}, "Esc"), " interrupts, ",
    el("kbd", {}, "Space"), " too, outside the text.");

  let state = "idle";
  const press = () => (state === "idle" ? speak() : playback.interrupt());
  const speak = async () => {
    board.clear();
    const text = form.written;
    const length = characterCount(text.trim());
    const limit = session.setup.max_text_chars;
    const wrong = length === 0 ? "Write something to speak, or choose a sample." : length > limit ? `That is ${length} characters; at most ${limit} are spoken in one request. Synthesize it to a file, under Long text.` : null;
    form.textField.complain(wrong);
    if (wrong) {
      form.text.focus();
      return;
    }
    // the user may have redeemed a promo code on another page, or the session may have ended
    if (accountObstacle()) await session.refresh().catch(() => {});
    const obstacle = browserObstacle() ?? accountNotice();
    if (obstacle) {
      board.show(obstacle);
      return;
    }
    found.hide();
    playback.speak(text, form.settings, asModel.checked);
  };

  playback.addEventListener("state", ({ detail }) => {
    state = detail;
    main.textContent = { idle: "Speak", connecting: "Connecting… (stop)", speaking: "Interrupt" }[state];
    main.classList.toggle("stop", state !== "idle");
    if (state === "connecting") panes.choose(0); // show the tab with the text
    if (state === "speaking" && matchMedia("(max-width: 56rem)").matches) view.element.scrollIntoView({ block: "nearest" });
  });
  playback.addEventListener("started", ({ detail: { text, language, settings } }) => {
    if (!settings.language) found.show(text, language);
  });
  playback.addEventListener("failed", ({ detail }) => board.fail(detail));
  player.addEventListener("failed", ({ detail }) => board.fail(detail));
  const spoken = () => {
    hint.replaceChildren(...next(true));
    session.refresh().catch(() => {}); // update the usage; the pages that show it also show failures
  };
  playback.addEventListener("finished", spoken);
  playback.addEventListener("interrupted", spoken);
  main.addEventListener("click", press);

  // The space bar interrupts when it is pressed. A button would react only when the key is released.
  let swallow = false;
  const down = (event) => {
    if (event.altKey || event.repeat || document.querySelector("dialog[open]")) return;
    const control = event.ctrlKey || event.metaKey;
    if (event.key === "Enter" && control && state === "idle") {
      event.preventDefault();
      press();
    }
    const space = event.key === " " && (event.target === main ? state !== "idle" : !event.target.closest?.(TAKES_SPACE));
    if (control || !(space || event.key === "Escape") || (state === "idle" && !player.playing)) return;
    event.preventDefault();
    swallow = space;
    if (state === "idle") player.pause();
    else playback.interrupt();
  };
  const up = (event) => {
    if (event.key === " " && swallow) event.preventDefault();
    if (event.key === " ") swallow = false;
  };
  document.addEventListener("keydown", down, true);
  document.addEventListener("keyup", up, true);

  hint.append(...next(false));
  clips.show(store);
  code.show(form);
  root.classList.add("playground");
  root.append(
    el("h1", {}, "Playground"),
    hint,
    el("div", { class: "bench" },
      el("section", { class: "desk", "aria-label": "Text" },
        form.samples, form.textField, board,
        el("div", { class: "row act" }, main, el("label", { class: "check", for: "as-model" }, asModel, el("span", {}, "Type like a model"))),
        keys, found.element, view.player),
      el("div", { class: "stage" }, panes),
      el("section", { class: "side", "aria-label": "Settings" }, form.form)),
    clips.element);

  return () => {
    document.removeEventListener("keydown", down, true);
    document.removeEventListener("keyup", up, true);
    long.close();
    view.close();
    playback.close();
    player.close();
  };
}

// Returns the clip to offer in an empty player: the recording of the chosen voice, in the chosen language if there is
// one.
function recordingOf(form, play) {
  const { voice } = form;
  const code = recordedIn(voice, form.settings.language);
  return code && { name: `Sample: ${voice.name}, ${session.language(code).name}`, play: () => play(voice, code) };
}

// Returns links to the next steps that the user can take.
function next(heard) {
  const obstacle = accountObstacle();
  if (obstacle) return [obstacle];
  if (!heard) return [el("p", {}, "Choose a language or write your own, then press ", el("strong", {}, "Speak"), ".")];
  if (!session.account) return [el("p", {}, "Next: ", el("a", { href: "/studio/sign-up" }, "create an account"), " to get a key of your own.")];
  return [el("p", {}, "Next: ", el("a", { href: "/studio/keys" }, "create an API key"), " and call it from your own program; ", el("a", { href: "/studio/quickstart" }, "the quick start"), " shows how.")];
}

// Shows the current request as code. Returns the element and `show(form)`, which updates the code.
function codeOfRequest() {
  const shown = snippets("", {}).map(({ name }) => ({ name, pre: el("pre", { tabindex: "0" }) }));
  const element = tabs("Language of the example", shown.map(({ name, pre }) => ({ name, content: el("div", { class: "code" }, copyButton(() => pre.textContent), pre) })));
  return {
    element,
    show(form) {
      const { origin } = location;
      const made = snippets(origin, { text: form.written, ...form.settings });
      const limit = session.setup.max_text_chars;
      const isLong = characterCount(form.written.trim()) > limit;
      // the API would refuse the text in a single request
      const inTurns = `# more than ${limit} characters are spoken in turns, into one file\nshruti say --server ${origin} --file text.txt -o speech.mp3\n`;
      shown.forEach(({ pre }, at) => (pre.textContent = isLong ? inTurns : made[at].code));
    },
  };
}
