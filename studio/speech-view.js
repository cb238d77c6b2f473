// Speech view: the text with the current word, figures such as the time to first audio, the text that was not heard
// because of a barge-in, and the player with the waveform. A clip can be played again from any position in the waveform
// or in the text.

import { clipMs, clipOf } from "./clip.js";
import { announce, el } from "./dom.js";
import { duration, latency } from "./format.js";
import { playerBar } from "./player-bar.js";
import { session } from "./session.js";
import { credit, sourceOf } from "./voices.js";
import { WordHighlighter } from "./word-highlighter.js";
import { Waveform } from "./waveform.js";

// Arrow keys that move from word to word.
const STEPS = { ArrowRight: 1, ArrowLeft: -1 };

// Follows a playback session and `player`, a `ClipPlayer`. `spoken(clip)` is called with each new clip. `sample()`
// returns the clip for an empty player, as for `playerBar`. Returns the element and the element of the player;
// `open(clip)` shows a clip and plays it, `show()` updates the player, and `close()` stops drawing.
export function speechView(playback, player, { spoken, sample }) {
  const canvas = el("canvas", { class: "wave", "aria-hidden": "true" });
  const panel = el("div", { class: "reading", dir: "auto", tabindex: "0", role: "region", "aria-label": "Text being spoken; the arrow keys go from word to word" },
    el("p", { class: "hint" }, "Words are highlighted here as they are spoken; select one to hear it again."));
  const figures = el("dl", { class: "figures" });
  const source = el("p", { class: "hint source", hidden: true });
  const outcome = el("div", { class: "outcome" });
  const bar = playerBar(player, { canvas, sample, interrupt: () => playback.interrupt() });
  const element = el("section", { class: "speech-view", "aria-label": "Speech" }, panel, figures, source, outcome);

  const wave = new Waveform(canvas);
  const highlighter = new WordHighlighter(panel);
  let turn = null;
  let frame = 0;

  const draw = () => {
    if (!turn && !player.playing) return;
    const ms = turn ? playback.heardMs : player.positionMs;
    wave.heard(ms);
    highlighter.at(ms);
    if (!turn) bar.show();
    frame = requestAnimationFrame(draw);
  };
  const rest = () => {
    cancelAnimationFrame(frame);
    turn = null;
  };
  // Restores the highlights that a clip had after it was spoken; called when it has been played to its end.
  let marked = true;
  const mark = ({ heardEnd }) => {
    marked = true;
    wave.heard(player.lengthMs);
    highlighter.finish(heardEnd);
  };

  const figure = (name, value) => el("div", {}, el("dt", {}, name), el("dd", {}, value));
  const count = (shown) => {
    const found = [];
    bar.firstAudio(shown.firstAudioMs);
    if (shown.serverFirstAudioMs !== null) found.push(figure("First audio in the server", latency(shown.serverFirstAudioMs)));
    if (shown.connectedMs !== null) found.push(figure("Connecting", latency(shown.connectedMs)));
    if (shown.audioMs > 0) found.push(figure("Sound", duration(shown.audioMs)));
    if (shown.language) found.push(figure("Spoken as", `${shown.voice}, ${shown.language}`));
    figures.replaceChildren(...found);
    const named = credit(sourceOf(session.voice(shown.voice), shown.language));
    source.textContent = named;
    source.hidden = named === null;
  };

  const on = (type, react) => playback.addEventListener(type, react);
  on("begun", ({ detail }) => {
    rest();
    player.load(null);
    turn = detail;
    wave.clear();
    highlighter.show(turn.text);
    panel.removeAttribute("lang");
    figures.replaceChildren();
    bar.firstAudio(null);
    source.hidden = true;
    outcome.replaceChildren();
    frame = requestAnimationFrame(draw);
  });
  on("state", ({ detail }) => bar.speaking(detail !== "idle"));
  on("started", ({ detail }) => {
    panel.lang = detail.language;
    count(detail);
    announce("Speaking. Press Escape to interrupt.");
  });
  on("sent", ({ detail }) => highlighter.sent(detail.sentUnits));
  on("words", ({ words }) => highlighter.add(words));
  on("first-audio", ({ detail }) => count(detail));
  on("audio", ({ detail, samples }) => {
    wave.add(samples);
    if (detail.sentWhole) count(detail);
  });

  // Creates a clip from a turn that has ended, and moves the player to the position that was heard last.
  const keep = (ended) => {
    count(ended);
    marked = true;
    if (ended.blocks.length > 0) {
      const clip = clipOf(ended);
      wave.showWhole();
      player.load(clip);
      player.seek(ended.heard?.ms ?? clipMs(clip));
      spoken(clip);
    }
    rest();
  };
  on("finished", ({ detail }) => {
    keep(detail);
    wave.heard(detail.audioMs);
    highlighter.finish();
    announce("The text was spoken completely.");
  });
  on("interrupted", ({ detail }) => {
    if (turn !== detail) { // the response to the barge-in arrived after the next turn was shown
      if (detail.blocks.length > 0) spoken(clipOf(detail));
      return;
    }
    keep(detail);
    const { heard } = detail;
    wave.heard(heard.ms);
    wave.cut();
    highlighter.finish(heard.charEnd);
    const lang = detail.language;
    outcome.replaceChildren(
      el("dl", { class: "heard" },
        el("dt", {}, `Heard (${duration(heard.ms)})`), el("dd", { lang, dir: "auto", class: "was-heard" }, heard.text.trim() || "nothing"),
        el("dt", {}, "Not heard"), el("dd", { lang, dir: "auto", class: "was-not" }, heard.unheard.trim() || "nothing")),
      el("p", { class: "hint" }, heard.answeredMs === null ? "Computed in this page, because the server could not be reached."
        : `Stopped immediately; the server answered in ${latency(heard.answeredMs)}. Put the heard text into a model's history, not the written text.`));
    announce(`Interrupted. Heard: ${heard.text.trim() || "nothing"}. Not heard: ${heard.unheard.trim() || "nothing"}.`);
  });
  on("failed", () => {
    if (!turn) return;
    keep(turn);
    wave.cut();
  });

  // When a clip is played again, the highlight and the waveform follow the playback.
  player.addEventListener("change", () => {
    bar.show();
    const { clip, playing, positionMs, lengthMs } = player;
    element.classList.toggle("playable", clip !== null);
    if (!clip || turn) return;
    cancelAnimationFrame(frame);
    if (!playing && positionMs >= lengthMs) {
      mark(clip);
      return;
    }
    if (marked) {
      marked = false;
      wave.cut(false);
      highlighter.restart();
    }
    if (playing) {
      draw();
    } else {
      wave.heard(positionMs);
      highlighter.at(positionMs);
    }
  });
  const playFrom = (ms) => {
    if (!player.clip) return;
    player.seek(ms);
    player.play();
  };
  panel.addEventListener("click", ({ clientX, clientY }) => {
    if (!getSelection().isCollapsed) return; // the user has selected text in order to copy it
    const word = highlighter.wordAt(clientX, clientY);
    if (word) playFrom(word.startMs);
  });
  panel.addEventListener("keydown", (event) => {
    const word = player.clip && STEPS[event.key] && highlighter.wordBeside(STEPS[event.key]);
    if (!word) return;
    event.preventDefault();
    player.seek(word.startMs);
  });

  const open = (clip) => {
    rest();
    wave.clear();
    wave.add(clip.samples);
    wave.showWhole();
    panel.lang = clip.language;
    highlighter.show(clip.text);
    highlighter.add(clip.words);
    outcome.replaceChildren();
    marked = true;
    count({ ...clip, firstAudioMs: null, serverFirstAudioMs: null, connectedMs: null, audioMs: clipMs(clip) });
    player.load(clip);
    player.play();
    element.scrollIntoView({ block: "nearest" });
  };

  return { element, player: bar.element, open, show: bar.show, close: () => { rest(); wave.close(); highlighter.clear(); } };
}
