// The choice of a voice and of its language, which depend on each other: some voices speak a few languages only.

import { announce, el, field } from "./dom.js";
import { caution, choiceName, range, speakerOf, speaks } from "./voices.js";

// As many stand side by side on a phone; more are one list.
const SIDE_BY_SIDE = 2;

// `voices` as `GET /v1/voices` lists them, `languages` as the setup does, `chosen` the name of the first voice. Gives
// the elements and what was chosen; `taken` is called with each voice that the listener takes.
export function voiceChoice({ voices, languages, chosen, taken }) {
  const nameOf = (code) => languages.find((language) => language.code === code)?.name ?? code;
  const note = el("p", { class: "hint voice-note", id: "voice-note" });
  const picker = (voices.length > SIDE_BY_SIDE ? list : buttons)(voices, languages);
  picker.element.setAttribute("aria-describedby", note.id);
  const language = el("select");
  let wanted = ""; // the language that was chosen; a voice's only one is not a choice
  let ofSample = false; // it came with a sample sentence
  const current = () => voices.find(({ name }) => name === picker.value);

  // Fits the languages and the note to the voice. `why`: what the listener is told first.
  const fit = (why = null) => {
    const voice = current();
    const spoken = languages.filter(({ code }) => speaks(voice, code));
    if (!speaks(voice, wanted)) wanted = "";
    language.replaceChildren(
      ...(spoken.length > 1 ? [el("option", { value: "" }, "Found from the text")] : []),
      ...spoken.map(({ code, name, native_name }) =>
        el("option", { value: code }, native_name === name ? name : `${name} · ${native_name}`),
      ),
    );
    language.value = wanted || language.options[0].value;
    const some = spoken.length < languages.length ? `${voice.name} speaks ${range(voice, languages)}.` : null;
    const told = [why ?? some, caution(voice, nameOf)].filter(Boolean).join(" ");
    note.textContent = told;
    note.hidden = told === "";
    if (why) announce(why);
  };
  picker.value = (voices.find(({ name }) => name === chosen) ?? voices[0]).name;
  fit();
  const choose = (code, sample = false) => {
    wanted = code;
    ofSample = sample;
  };
  language.addEventListener("change", () => choose(language.value));
  picker.element.addEventListener("change", () => {
    fit();
    taken(current());
  });

  return {
    elements: [picker.block, field("Language", language), note],
    // The voice that speaks: an entry of `voices`.
    get voice() {
      return current();
    },
    // The code of the language; empty where it is found from the text.
    get language() {
      return language.value;
    },
    // The code of the language that the listener chose; empty where nobody did.
    get chosenLanguage() {
      return ofSample ? "" : wanted;
    },
    // Takes a language, and another voice if the chosen one does not speak it. `sample`: it is the language of a sample
    // sentence, and gone when that is edited.
    speakIn(code, { sample = false } = {}) {
      const before = current();
      const speaker = speakerOf(voices, before, code);
      picker.value = speaker.name;
      choose(code, sample);
      fit(speaker === before ? null : `${before.name} does not speak ${nameOf(code)}; ${speaker.name} does.`);
    },
    // Notes that the text is another one.
    edited() {
      if (!ofSample) return;
      choose("");
      fit();
    },
  };
}

function buttons(voices) {
  const radios = voices.map(({ name }) => el("input", { type: "radio", name: "voice", value: name }));
  const element = el(
    "fieldset",
    { class: "choice" },
    el("legend", {}, "Voice"),
    ...radios.map((radio) => el("label", {}, radio, el("span", {}, radio.value))),
  );
  return {
    element,
    block: element,
    get value() {
      return radios.find(({ checked }) => checked).value;
    },
    set value(name) {
      for (const radio of radios) radio.checked = radio.value === name;
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
  };
}
