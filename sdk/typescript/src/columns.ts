/** Width of a text in columns of a fixed-width font. */

/** One emoji: a character with a skin tone, with the emoji variation selector, or displayed as an emoji by default. */
const ONE_EMOJI = String.raw`(?:\p{Emoji_Modifier_Base}\p{Emoji_Modifier}|\p{Emoji}\uFE0F|(?!\p{Regional_Indicator})\p{Emoji_Presentation})`;
/** Sequences that are two columns wide: emoji joined by U+200D, and the first two kinds of `ONE_EMOJI`. */
const EMOJI = new RegExp(
  String.raw`${ONE_EMOJI}(?:\u200D${ONE_EMOJI})+|\p{Emoji_Modifier_Base}\p{Emoji_Modifier}|\p{Emoji}\uFE0F`,
  "gu",
);
/** Emoji that a variation selector turns into plain characters. */
const TEXT_EMOJI = /\p{Emoji_Presentation}\uFE0E/gu;
/**
 * Zero-width characters. Spacing vowel signs such as `ा` have a width and are not included. U+0D4E and U+A8FA are signs
 * above a letter. The two ranges are Hangul vowels and final consonants.
 */
const NO_WIDTH = /[\p{Default_Ignorable_Code_Point}\p{Grapheme_Extend}\u0D4E\uA8FA\u1160-\u11FF\uD7B0-\uD7FF]/gu;
/** Characters that are two columns wide. */
const WIDE =
  /(?!\p{Regional_Indicator})\p{Emoji_Presentation}|(?![\uFF61-\uFFDC])[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\u1100-\u115F\uAC00-\uD7A3\u3000-\u303E\u309B-\u33FF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6]/gu;

/**
 * Returns the number of columns that a line of text takes in a fixed-width font (Unicode Standard Annex #11). The
 * number is exact for the scripts of the supported languages and for emoji. `shruti say` computes the same number.
 */
export function columns(text: string): number {
  const plain = text.replace(EMOJI, "##").replace(TEXT_EMOJI, "#").replace(NO_WIDTH, "").replace(WIDE, "##");
  return [...plain].length;
}
