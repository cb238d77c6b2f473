/** Supported languages, and selection of the languages whose data a text needs. */

/** Languages, each with the script by which it is detected. */
const SCRIPTS: readonly (readonly [string, RegExp])[] = [
  ["hi", /\p{Script=Devanagari}/u],
  ["bn", /\p{Script=Bengali}/u],
  ["ta", /\p{Script=Tamil}/u],
  ["te", /\p{Script=Telugu}/u],
  ["gu", /\p{Script=Gujarati}/u],
  ["kn", /\p{Script=Kannada}/u],
  ["ml", /\p{Script=Malayalam}/u],
  ["pa", /\p{Script=Gurmukhi}/u],
  ["or", /\p{Script=Oriya}/u],
  ["ur", /\p{Script=Arabic}/u],
];

/** All languages; the last four are in beta. */
export const LANGUAGES = [
  "hi",
  "bn",
  "ta",
  "te",
  "gu",
  "kn",
  "ml",
  "mr",
  "pa",
  "or",
  "en",
  "ne",
  "as",
  "kok",
  "ur",
] as const;

/** Languages in beta, with the languages whose data they also use. */
const BASES: Readonly<Record<string, string>> = { ne: "hi", as: "bn", kok: "mr", ur: "hi" };

/** Alternative codes of the languages. */
const ALIASES: Readonly<Record<string, string>> = { od: "or", gom: "kok" };

/** Returns the language code for a language tag such as `od-IN`. */
export function codeOf(tag: string): string {
  const base = tag.toLowerCase().split("-")[0] ?? "";
  return ALIASES[base] ?? base;
}

/** Returns the language for the script of the first letter that is not Latin, or English if there is none. */
export function languageOf(text: string): string {
  const places = SCRIPTS.map(([code, letters]) => ({ code, at: text.search(letters) })).filter(({ at }) => at >= 0);
  return places.sort((a, b) => a.at - b.at)[0]?.code ?? "en";
}

/**
 * Returns the languages whose data a text needs, in a fixed order: English, because texts of every language contain
 * English words, the language itself, the base of a language in beta, and the languages whose letters are in the text.
 */
export function neededFor(text: string, language: string): string[] {
  // for its own script, a language does not need the data of the language that `SCRIPTS` lists for that script
  const own: Readonly<Record<string, string>> = { mr: "hi", ne: "hi", kok: "hi", as: "bn" };
  const used = SCRIPTS.filter(([code, letters]) => code !== (own[language] ?? language) && letters.test(text));
  const needed = [language, ...used.map(([code]) => code)];
  return [...new Set(["en", ...needed.flatMap((code) => [code, BASES[code] ?? code])])];
}
