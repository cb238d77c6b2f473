// Where speech is seen: the waveform, the text with its lit word, the figures, and what a barge-in left unheard.

import { announce, el } from "./dom.js";
import { duration, latency } from "./format.js";
import { session } from "./session.js";
import { credit, sourceOf } from "./voices.js";
import { WordHighlighter } from "./word-highlighter.js";
import { download, wav } from "./wav.js";
import { Waveform } from "./waveform.js";

// Follows a playback. Gives the element; `close()` ends the drawing.
export function speechView(playback) {
  const canvas = el("canvas", { class: "wave", "aria-hidden": "true" });
  const panel = el("div", { class: "reading", dir: "auto", tabindex: "0", role: "region", "aria-label": "Text being spoken" },
    el("p", { class: "hint" }, "The words light up here as they are spoken."));
  const figures = el("dl", { class: "figures" });
  const source = el("p", { class: "hint source", hidden: true });
  const outcome = el("div", { class: "outcome" });
  const save = el("button", { type: "button", disabled: true }, "Download WAV");
  const element = el("section", { class: "speech-view", "aria-label": "Speech" },
    canvas, figures, source, panel, outcome, el("div", { class: "row" }, save));

  const wave = new Waveform(canvas);
  const highlighter = new WordHighlighter(panel);
  let turn = null;
  let frame = 0;

  const draw = () => {
    if (!turn) return;
    const ms = playback.heardMs;
    wave.heard(ms);
    highlighter.at(ms);
    frame = requestAnimationFrame(draw);
  };
  const rest = () => {
    cancelAnimationFrame(frame);
    turn = null;
  };

  const figure = (name, value) => el("div", {}, el("dt", {}, name), el("dd", {}, value));
  const count = (shown) => {
    const found = [];
    if (shown.firstAudioMs !== null) found.push(figure("First audio", latency(shown.firstAudioMs)));
    if (shown.serverFirstAudioMs !== null) found.push(figure("in the server", latency(shown.serverFirstAudioMs)));
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
    turn = detail;
    wave.clear();
    highlighter.show(turn.text);
    panel.removeAttribute("lang");
    figures.replaceChildren();
    source.hidden = true;
    outcome.replaceChildren();
    save.disabled = true;
    save.onclick = null;
    frame = requestAnimationFrame(draw);
  });
  on("started", ({ detail }) => {
    panel.lang = detail.language;
    count(detail);
    announce(`Speaking. Press space to interrupt.`);
  });
  on("sent", ({ detail }) => highlighter.sent(detail.sentUnits));
  on("words", ({ words }) => highlighter.add(words));
  on("first-audio", ({ detail }) => count(detail));
  on("audio", ({ detail, samples }) => {
    wave.add(samples);
    if (detail.sentWhole) count(detail);
  });

  const offer = (ended, name) => {
    count(ended);
    if (ended.blocks.length === 0) return;
    save.disabled = false;
    save.onclick = () => download(wav(ended.blocks), name);
  };
  on("finished", ({ detail }) => {
    rest();
    wave.heard(detail.audioMs);
    highlighter.finish();
    offer(detail, `shruti-${detail.language}-${detail.voice.toLowerCase()}.wav`);
    announce("Spoken to the end.");
  });
  on("interrupted", ({ detail }) => {
    if (turn && turn !== detail) return; // the answer came when the next turn had begun
    rest();
    const { heard } = detail;
    wave.heard(heard.ms);
    wave.cut();
    highlighter.finish(heard.charEnd);
    offer(detail, `shruti-${detail.language ?? "clip"}-interrupted.wav`);
    const lang = detail.language;
    outcome.replaceChildren(
      el("dl", { class: "heard" },
        el("dt", {}, `Heard (${duration(heard.ms)})`), el("dd", { lang, dir: "auto", class: "was-heard" }, heard.text.trim() || "nothing"),
        el("dt", {}, "Not heard"), el("dd", { lang, dir: "auto", class: "was-not" }, heard.unheard.trim() || "nothing")),
      el("p", { class: "hint" }, heard.answeredMs === null ? "Reckoned in this page; the server was not there to ask."
        : `Silent at once; the server answered in ${latency(heard.answeredMs)}. A model's history should hold what was heard, not what was written.`));
    announce(`Interrupted. Heard: ${heard.text.trim() || "nothing"}. Not heard: ${heard.unheard.trim() || "nothing"}.`);
  });
  on("failed", () => {
    if (!turn) return;
    const broken = turn;
    rest();
    wave.cut();
    offer(broken, "shruti-broken-off.wav");
  });

  return { element, close: () => { rest(); wave.close(); highlighter.clear(); } };
}
