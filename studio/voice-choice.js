// Choice of a voice and its language. They depend on each other, because some voices speak only a few languages.

import { announce, el, field, icon, languageName } from "./dom.js";
import { isRecorded } from "./recordings.js";
import { caution, choiceName, engineNames, limitsOf, range, sexName, speakerOf, speaks } from "./voices.js";

// Maximum number of voices that are shown as cards. If there are more, a list is shown.
const MOST_CARDS = 6;

// `voices` comes from `GET /v1/voices`, `languages` from the setup; `chosen` is the name of the initial voice. Returns
// the elements and the current values. `taken` is called with each voice that the listener chooses. `preview(voice,
// code)` is called to play the recording of a voice in a language, or to stop it.
export function voiceChoice({ voices, languages, chosen, taken, preview }) {
  const nameOf = (code) => languages.find((language) => language.code === code)?.name ?? code;
  const note = el("p", { class: "hint voice-note", id: "voice-note" });
  const hear = (voice) => preview(voice, recordedIn(voice, language.value));
  const picker = voices.length > MOST_CARDS ? list(voices, languages) : cards(voices, languages, hear);
  picker.element.setAttribute("aria-describedby", note.id);
  const language = el("select");
  let wanted = ""; // the chosen language; the only language of a voice does not count as chosen
  let ofSample = false; // whether a sample sentence has set the language
  const current = () => voices.find(({ name }) => name === picker.value);

  // Updates the languages and the note for the current voice. `why` is the first sentence of the note.
  const fit = (why = null) => {
    const voice = current();
    const spoken = languages.filter(({ code }) => speaks(voice, code));
    if (!speaks(voice, wanted)) wanted = "";
    language.replaceChildren(
      ...(spoken.length > 1 ? [el("option", { value: "" }, "Detect from the text")] : []),
      ...spoken.map((language) => {
        const name = languageName(language);
        return el("option", { value: language.code }, language.native_name === name ? name : `${name} · ${language.native_name}`);
      }),
    );
    language.value = wanted || language.options[0].value;
    const some = spoken.length < languages.length ? `${voice.name} speaks ${range(voice, languages)}.` : null;
    const told = [why ?? some, caution(voice, nameOf)].filter(Boolean).join(" ");
    note.textContent = told;
    note.hidden = told === "";
    picker.show(language.value);
    if (why) announce(why);
  };
  picker.value = (voices.find(({ name }) => name === chosen) ?? voices[0]).name;
  fit();
  const choose = (code, sample = false) => {
    wanted = code;
    ofSample = sample;
  };
  language.addEventListener("change", () => {
    choose(language.value);
    picker.show(language.value);
  });
  picker.element.addEventListener("change", () => {
    fit();
    taken(current());
  });

  return {
    elements: [picker.block, field("Language", language), note],
    // The chosen voice: an entry of `voices`.
    get voice() {
      return current();
    },
    // The code of the language; empty if the language is detected.
    get language() {
      return language.value;
    },
    // The code of the language that the listener chose; empty if the listener chose none.
    get chosenLanguage() {
      return ofSample ? "" : wanted;
    },
    // Chooses a language, and another voice if the current voice does not speak it. If `sample` is true, the language
    // belongs to a sample sentence, and is reset when that sentence is edited.
    speakIn(code, { sample = false } = {}) {
      const before = current();
      const speaker = speakerOf(voices, before, code);
      picker.value = speaker.name;
      choose(code, sample);
      fit(speaker === before ? null : `${before.name} does not speak ${nameOf(code)}; ${speaker.name} does.`);
    },
    // Marks the card of the voice whose recording is playing. A null name means that no recording is playing.
    heard(name) {
      picker.heard(name);
    },
    // Reports that the text was edited.
    edited() {
      if (!ofSample) return;
      choose("");
      fit();
    },
  };
}

// Returns the language of the recording to play if a language is chosen; null if the voice has no recording.
export const recordedIn = (voice, code) => [code, ...voice.languages].find((each) => each && isRecorded(voice, each)) ?? null;

// Creates a card for each voice: its name, sex, engine and limits, and a button that plays its recording.
function cards(voices, languages, hear) {
  const made = voices.map((voice) => {
    const radio = el("input", { type: "radio", name: "voice", value: voice.name });
    const facts = el("span", { class: "hint" });
    const symbol = icon("play");
    const play = el("button", { type: "button", class: "round", "aria-label": `Hear ${voice.name}`, "aria-pressed": "false", on: { click: () => hear(voice) } }, symbol);
    const card = el("div", { class: "voice-card" },
      el("label", {}, radio, el("span", { class: "voice-name" }, el("strong", {}, voice.name), facts)), play);
    return { voice, radio, facts, symbol, play, card };
  });
  const element = el("fieldset", { class: "choice" }, el("legend", {}, "Voice"), ...made.map(({ card }) => card));
  return {
    element,
    block: element,
    get value() {
      return made.find(({ radio }) => radio.checked).voice.name;
    },
    set value(name) {
      for (const { voice, radio } of made) radio.checked = voice.name === name;
    },
    // Updates the cards for a chosen language. An empty string means that no language is chosen.
    show(code) {
      for (const { voice, facts, play } of made) {
        facts.textContent = [sexName(voice), engineNames(voice, code), ...limitsOf(voice, languages)].filter(Boolean).join(" · ");
        play.hidden = recordedIn(voice, code) === null;
      }
    },
    heard(name) {
      for (const { voice, symbol, play } of made) {
        play.setAttribute("aria-pressed", `${voice.name === name}`);
        symbol.className = `icon icon-${voice.name === name ? "pause" : "play"}`;
      }
    },
  };
}

function list(voices, languages) {
  const element = el(
    "select",
    {},
    ...voices.map((voice) => el("option", { value: voice.name }, choiceName(voice, languages))),
  );
  return {
    element,
    block: field("Voice", element),
    get value() {
      return element.value;
    },
    set value(name) {
      element.value = name;
    },
    // a list has no cards
    show() {},
    heard() {},
  };
}
