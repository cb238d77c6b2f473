/** Supported languages, and the languages that a text needs. */

/** Languages with their scripts. */
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
];

export const LANGUAGES = ["hi", "bn", "ta", "te", "gu", "kn", "ml", "mr", "pa", "or", "en"] as const;

/** Returns the language of the first letter that is not Latin, or English. */
export function languageOf(text: string): string {
  const places = SCRIPTS.map(([code, letters]) => ({ code, at: text.search(letters) })).filter(({ at }) => at >= 0);
  return places.sort((a, b) => a.at - b.at)[0]?.code ?? "en";
}

/**
 * Returns the languages whose data a text needs, in a fixed order: English, because texts of every language contain English
 * words, the language itself, and the languages whose letters are in the text.
 */
export function neededFor(text: string, language: string): string[] {
  // Marathi and Hindi share a script
  const own = language === "mr" ? "hi" : language;
  const others = SCRIPTS.filter(([code, letters]) => code !== own && letters.test(text)).map(([code]) => code);
  return [...new Set(["en", language, ...others])];
}
