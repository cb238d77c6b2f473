// What language a text was found to be in, and others that it may be in, each one press away.

import { announce, el, languageLabel } from "./dom.js";

// Scripts of India that the languages are written in, by the names that regular expressions have for them.
const SCRIPTS = ["Devanagari", "Bengali", "Tamil", "Telugu", "Gujarati", "Kannada", "Malayalam", "Gurmukhi", "Oriya"]
  .map((name) => new RegExp(`\\p{Script=${name}}`, "u"));

// The name of a script that a text in `language` is written in, where it is not the language's own: Hindi in Latin letters.
export function foreignScript(text, language) {
  const letters = [...text].filter((letter) => /\p{Letter}/u.test(letter));
  const latin = letters.filter((letter) => /\p{Script=Latin}/u.test(letter)).length;
  const isForeign = latin * 2 > letters.length && !/\p{Script=Latin}/u.test(language?.native_name ?? "Latin");
  return isForeign ? "Latin" : null;
}

// The languages that a text found to be in `found` may be in just as well: those of the scripts it is written in, and all
// for a text in Latin letters alone, in which people write each of them.
export function alternatives(text, found, languages) {
  const written = SCRIPTS.filter((script) => script.test(text));
  const possible = ({ native_name }) => written.length === 0 || written.some((script) => script.test(native_name));
  return languages.filter((language) => language.code !== found && possible(language));
}

// `languages` as the setup lists them; `correct(code)` takes a correction. Gives the element, `show(text, code)` and `hide()`.
export function foundLanguage(languages, correct) {
  const element = el("div", { class: "found-language", hidden: true });
  const hide = () => (element.hidden = true);
  const show = (text, code) => {
    const others = alternatives(text, code, languages);
    const language = languages.find((language) => language.code === code);
    const script = foreignScript(text, language);
    const name = `${language?.name ?? code}${script ? `, ${script} script` : ""}`;
    const take = (language) => {
      hide();
      correct(language.code);
      announce(`The language is ${language.name} from now on`);
    };
    const button = (language) =>
      el("button", { type: "button", class: "small", lang: language.code, on: { click: () => take(language) } }, ...languageLabel(language, "the text's language"));
    // in Latin letters, words of each language are found one by one (Hinglish)
    const isLatin = code === "en" && !SCRIPTS.some((script) => script.test(text));
    const told = isLatin ? ["Each word is said in its own language, numbers in ", el("strong", {}, name), ". Or all in:"]
      : ["Found: ", el("strong", {}, name), others.length > 0 ? ". If it is not:" : "."];
    element.replaceChildren(el("span", {}, ...told), ...others.map(button));
    element.hidden = false;
  };
  return { element, show, hide };
}
