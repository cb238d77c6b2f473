// The playground's form: text with samples, voice, language, speed and pitch.

import { el, field } from "./dom.js";
import { count } from "./format.js";
import { scalarCount } from "./offsets.js";
import { SAMPLES } from "./samples.js";

const DRAFT = "shruti.draft";

// `setup`: the server's answer. Gives the elements and what was chosen; `changed` is called after each change.
export function controls(setup, changed) {
  const text = el("textarea", { rows: 5, spellcheck: "false", dir: "auto", autocomplete: "off",
    placeholder: "Write or paste text in any of the languages, in any script." });
  const language = el("select", {}, el("option", { value: "" }, "Found from the text"),
    ...setup.languages.map(({ code, name, native_name }) => el("option", { value: code }, native_name === name ? name : `${name} · ${native_name}`)));
  const voices = setup.voices.map((name, at) => el("label", {},
    el("input", { type: "radio", name: "voice", value: name, checked: at === 0 }), el("span", {}, name)));
  const speed = slider("Speed", 0.5, 2, 0.05, 1, (value) => `${value.toFixed(2)} ×`);
  const pitch = slider("Pitch", -6, 6, 0.5, 0, (value) => `${value > 0 ? "+" : ""}${value} semitones`);
  const counter = el("p", { class: "hint counter" });
  const textField = field("Text", text);
  textField.append(counter);

  const recount = () => {
    const length = scalarCount(text.value);
    counter.textContent = `${count(length)} of ${count(setup.max_text_chars)} characters`;
    counter.classList.toggle("over", length > setup.max_text_chars);
  };
  const edited = () => {
    recount();
    remember(text.value);
    changed();
  };
  text.addEventListener("input", () => {
    text.removeAttribute("lang"); // no longer the sample's
    textField.complain(null);
    edited();
  });
  const form = el("div", { class: "settings", on: { input: () => changed() } },
    el("fieldset", { class: "choice" }, el("legend", {}, "Voice"), ...voices),
    field("Language", language), speed.block, pitch.block);

  const place = (code, sentence) => {
    text.value = sentence;
    text.lang = code;
    language.value = "";
    textField.complain(null);
    edited();
  };
  const samples = el("div", { class: "samples", role: "group", "aria-label": "Sample sentences" },
    ...setup.languages.filter(({ code }) => SAMPLES[code]).map((known) => sampleButton(known, place)));

  text.value = remembered() ?? SAMPLES.hi[0];
  if (!remembered()) text.lang = "hi";
  recount();

  return {
    textField, samples, form, text,
    // The text as it is sent: a lone half of a surrogate pair or a NUL has no place on the wire.
    get written() {
      return text.value.replaceAll("\0", "").replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, "\uFFFD");
    },
    // Voice, language, speed and pitch as the contract has them; what is at its default is left out.
    get settings() {
      const settings = { voice: voices.map((label) => label.firstChild).find((radio) => radio.checked).value };
      if (language.value) settings.language = language.value;
      if (speed.value !== 1) settings.speed = speed.value;
      if (pitch.value !== 0) settings.pitch = pitch.value;
      return settings;
    },
  };
}

// A button for each language: its sentences one after another.
function sampleButton({ code, name, native_name }, place) {
  let at = -1;
  return el("button", { type: "button", class: "chip", lang: code, "aria-label": `${name}: a sample sentence`, on: { click: () => {
    at = (at + 1) % SAMPLES[code].length;
    place(code, SAMPLES[code][at]);
  } } }, native_name);
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
  value.setAttribute("aria-hidden", "true"); // told by the slider itself
  return { block, get value() { return input.valueAsNumber; } };
}

function remember(text) {
  try {
    sessionStorage.setItem(DRAFT, text);
  } catch {
    // storage is full or forbidden: the draft is lost with the page
  }
}

function remembered() {
  try {
    return sessionStorage.getItem(DRAFT);
  } catch {
    return null;
  }
}
