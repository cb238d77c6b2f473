// Table that shows how a text is read: each token with its kind, its spoken form, its phones, and the rule or entry
// that applies.

import { el } from "./dom.js";

const joined = (words, said, by) => words.map(said).join(by);

function rules({ rule, words }) {
  const files = [rule, ...words.map(({ phones_by: file }) => file)].filter(Boolean);
  return [...new Set(files)].join(", ");
}

function row(token, addReading) {
  const { written, class: kind, words } = token;
  const languages = [...new Set(words.map(({ language }) => language))];
  const lang = languages.length === 1 ? languages[0] : null;
  const add =
    addReading &&
    words.length > 0 &&
    el(
      "button",
      { type: "button", class: "quiet", "aria-label": `Change how ${written} is read`, on: { click: () => addReading(token) } },
      "Change",
    );
  return el(
    "tr",
    {},
    el("th", { scope: "row", dir: "auto" }, el("bdi", {}, written)),
    el("td", { lang, dir: "auto" }, words.length > 0 ? joined(words, ({ text }) => text, " ") : "(not spoken)"),
    el("td", { class: "phones", lang: "und-fonipa" }, joined(words, ({ phones }) => phones, " | ")),
    el("td", {}, languages.join(" ")),
    el("td", {}, kind),
    el("td", { class: "rules" }, rules(token)),
    addReading ? el("td", {}, add || "") : null,
  );
}

// `addReading(token)` is called by a button in the row of a token. Without `addReading`, there are no buttons.
export function normalizationTable({ tokens }, addReading = null) {
  const heads = ["Written", "Said", "Phones", "Language", "Taken for", "Told by", ...(addReading ? ["Reading"] : [])];
  return el(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": "How the text is read" },
    el(
      "table",
      { class: "normalization" },
      el("thead", {}, el("tr", {}, ...heads.map((head) => el("th", { scope: "col" }, head)))),
      el("tbody", {}, ...tokens.map((token) => row(token, addReading))),
    ),
  );
}
