// Form of the playground: text with samples, voice and language, speed, pitch, engine and clarity.

import { el, field, languageLabel } from "./dom.js";
import { draft, keepDraft } from "./draft.js";
import { count } from "./format.js";
import { characterCount } from "./length.js";
import { keepPreferences, preferences } from "./preferences.js";
import { languageOfSample, SAMPLES } from "./samples.js";
import { voiceChoice } from "./voice-choice.js";
import { canShift, speaks } from "./voices.js";

// Choices of the engine, for voices that have more than one.
const ENGINES = [["", "Server default"], ["learned", "Learned: natural"], ["rules", "Rules: lowest latency"]];

// Choices of the listening condition for which the audio is processed.
const CLARITY = [["off", "Unprocessed voice"], ["phone", "For a telephone"], ["room", "For a noisy room"]];

// `setup` and `voices` are responses of the server. `email` is the address of the signed-in account, or null. `chosen`
// is the name of the initial voice, or null. Returns the elements and the current values. `changed` is called after
// each change, and `preview` is called as described for `voiceChoice`.
export function controls({ setup, voices, email, chosen, changed, preview }) {
  const text = el("textarea", { rows: 4, spellcheck: "false", dir: "auto", autocomplete: "off",
    placeholder: "Write or paste text in any of the languages, in any script." });
  const before = preferences();
  const choice = voiceChoice({ voices, languages: setup.languages, chosen: chosen ?? before.voice, taken: (voice) => follow(voice), preview });
  const shifts = () => canShift(choice.voice, choice.language);
  const speed = slider("Speed", 0.5, 2, 0.05, before.speed ?? 1, (value) => `${value.toFixed(2)} ×`);
  const pitch = slider("Pitch", -6, 6, 0.5, before.pitch ?? 0, (value) => `${value > 0 ? "+" : ""}${value} semitones`);
  const clarity = el("select", {}, ...CLARITY.map(([value, label]) => el("option", { value }, label)));
  if (CLARITY.some(([value]) => value === before.clarity)) clarity.value = before.clarity;
  const engine = el("select", {}, ...ENGINES.map(([value, label]) => el("option", { value }, label)));
  if (ENGINES.some(([value]) => value === before.engine)) engine.value = before.engine;
  const engineField = field("Engine", engine);
  const hasEngines = () => choice.voice.engines.length > 0;
  const counter = el("p", { class: "hint counter" });
  const textField = field("Text", text);
  textField.append(counter);

  const recount = () => {
    const length = characterCount(text.value);
    counter.textContent = `${count(length)} of ${count(setup.max_text_chars)} characters`;
    counter.classList.toggle("over", length > setup.max_text_chars);
  };
  const edited = () => {
    recount();
    keepDraft(text.value, email);
    updated();
  };
  text.addEventListener("input", () => {
    text.removeAttribute("lang"); // the text is no longer the sample
    textField.complain(null);
    choice.edited();
    edited();
  });
  // Shows only the controls that the voice supports, and stores the current choices.
  const updated = () => {
    fit();
    keepPreferences({ voice: choice.voice.name, language: choice.chosenLanguage, speed: speed.value, pitch: pitch.value, engine: engine.value, clarity: clarity.value });
    changed();
  };
  const fit = () => {
    pitch.block.hidden = !shifts();
    engineField.hidden = !hasEngines();
  };
  const form = el("div", { class: "settings", on: { change: updated, input: updated } },
    ...choice.elements, speed.block, pitch.block, engineField, field("Clarity", clarity));

  const write = (code, sentence) => {
    text.value = sentence;
    text.lang = code;
    textField.complain(null);
    edited();
  };
  // Replaces a sample that the voice cannot speak with one that it can speak. Text that the visitor wrote is kept.
  const follow = (voice) => {
    const code = languageOfSample(text.value);
    const other = setup.languages.find((language) => SAMPLES[language.code] && speaks(voice, language.code));
    if (code && !speaks(voice, code) && other) {
      choice.speakIn(other.code, { sample: true });
      write(other.code, SAMPLES[other.code][0]);
    }
  };
  const spoken = setup.languages.filter(({ code }) => SAMPLES[code] && voices.some((voice) => speaks(voice, code)));
  const samples = el("div", { class: "samples", role: "group", "aria-label": "Sample sentences" },
    ...spoken.map((language) => sampleButton(language, (code, sentence) => {
      choice.speakIn(code, { sample: true });
      write(code, sentence);
    })));

  text.value = draft(email) ?? SAMPLES.hi[0];
  text.lang = languageOfSample(text.value) ?? "";
  if (before.language && speaks(choice.voice, before.language)) choice.speakIn(before.language);
  else if (text.lang && speaks(choice.voice, text.lang)) choice.speakIn(text.lang, { sample: true });
  follow(choice.voice);
  recount();
  fit();

  return {
    textField, samples, form, text,
    // The chosen voice: an entry of `voices`.
    get voice() {
      return choice.voice;
    },
    heard: choice.heard,
    // Chooses a language, and another voice if the chosen one does not speak it.
    speakIn(code) {
      choice.speakIn(code);
      updated();
    },
    // The text to send. The API does not allow lone surrogates or NUL.
    get written() {
      return text.value.replaceAll("\0", "").replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, "\uFFFD");
    },
    // Voice, language, speed, pitch, engine and clarity, as in requests. Default values are omitted.
    get settings() {
      const settings = { voice: choice.voice.name };
      if (choice.language) settings.language = choice.language;
      if (speed.value !== 1) settings.speed = speed.value;
      if (pitch.value !== 0 && shifts()) settings.pitch = pitch.value;
      if (engine.value !== "" && hasEngines()) settings.engine = engine.value;
      if (clarity.value !== "off") settings.clarity = clarity.value;
      return settings;
    },
  };
}

// Creates the button for a language. Each press inserts the next sample sentence of the language.
function sampleButton(language, place) {
  const { code } = language;
  let at = -1;
  return el("button", { type: "button", class: "chip", lang: code, on: { click: () => {
    at = (at + 1) % SAMPLES[code].length;
    place(code, SAMPLES[code][at]);
  } } }, ...languageLabel(language, "a sample sentence"));
}

function slider(label, min, max, step, start, say) {
  const input = el("input", { type: "range", min, max, step, value: start, "aria-valuetext": say(start) });
  const value = el("output", {}, say(start));
  const show = () => {
    value.textContent = say(input.valueAsNumber);
    input.setAttribute("aria-valuetext", say(input.valueAsNumber));
  };
  input.addEventListener("input", show);
  const block = field(label, input);
  block.classList.add("slider");
  block.firstChild.append(" ", value);
  value.setAttribute("aria-hidden", "true"); // screen readers get the value from the slider
  return { block, get value() { return input.valueAsNumber; } };
}
