// Shows the language that was detected in a text, with a button for every other possible language.

import { announce, el, languageLabel, languageName } from "./dom.js";

// Regular expressions for the scripts of the languages, one per script.
const SCRIPTS = ["Devanagari", "Bengali", "Tamil", "Telugu", "Gujarati", "Kannada", "Malayalam", "Gurmukhi", "Oriya", "Arabic"]
  .map((name) => new RegExp(`\\p{Script=${name}}`, "u"));

// Returns "Latin" if most letters of a text are Latin and `language` is written in another script; otherwise null.
export function foreignScript(text, language) {
  const letters = [...text].filter((letter) => /\p{Letter}/u.test(letter));
  const latin = letters.filter((letter) => /\p{Script=Latin}/u.test(letter)).length;
  const isForeign = latin * 2 > letters.length && !/\p{Script=Latin}/u.test(language?.native_name ?? "Latin");
  return isForeign ? "Latin" : null;
}

// Returns the other languages in which the text may be written: languages with the scripts of the text, or all
// languages if the text has Latin letters only, because people write every language in Latin letters.
export function alternatives(text, found, languages) {
  const written = SCRIPTS.filter((script) => script.test(text));
  const possible = ({ native_name }) => written.length === 0 || written.some((script) => script.test(native_name));
  return languages.filter((language) => language.code !== found && possible(language));
}

// `languages` comes from the setup; `correct(code)` is called when the user corrects the language. Returns the element,
// `show(text, code)` and `hide()`.
export function foundLanguage(languages, correct) {
  const element = el("div", { class: "found-language", hidden: true });
  const hide = () => (element.hidden = true);
  const show = (text, code) => {
    const others = alternatives(text, code, languages);
    const language = languages.find((language) => language.code === code);
    const script = foreignScript(text, language);
    const name = `${language ? languageName(language) : code}${script ? `, ${script} script` : ""}`;
    const take = (language) => {
      hide();
      correct(language.code);
      announce(`The language is now ${language.name}`);
    };
    const button = (language) =>
      el("button", { type: "button", class: "small", lang: language.code, on: { click: () => take(language) } }, ...languageLabel(language, "the text's language"));
    // for text in Latin letters, the language is detected for each word (Hinglish)
    const isLatin = code === "en" && !SCRIPTS.some((script) => script.test(text));
    const told = isLatin ? ["Each word is spoken in its own language, numbers in ", el("strong", {}, name), ". Or all in:"]
      : ["Found: ", el("strong", {}, name), others.length > 0 ? ". If it is not:" : "."];
    element.replaceChildren(el("span", {}, ...told), ...others.map(button));
    element.hidden = false;
  };
  return { element, show, hide };
}
