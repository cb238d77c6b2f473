/**
 * Splits a long text into turns, at the same positions as `LongText` of the Rust client. The cases in
 * `sdk/conformance/cuts.json` test both implementations.
 */

/**
 * Lengths of a turn, in characters, from which it ends after a line, after a sentence, at white space, and anywhere.
 */
const LINE = 1_000;
const SENTENCE = 1_500;
const SPACE = 2_500;
const ANYWHERE = 4_000;
/** Minimum length, in characters, of a word after which a full stop ends a sentence. `Prof` and `e.g` are shorter. */
const WORD_BEFORE_STOP = 5;
const SENTENCE_ENDS = new Set("?!…।॥۔؟");
const CLOSERS = new Set("\"'”’»)]*_");
// `\s` is not used: it includes U+FEFF and lacks U+0085
const WHITE_SPACE = /\p{White_Space}/u;
const LEADING_SPACE = /\p{White_Space}*/uy;
const SSML = /<speak[\p{White_Space}>/]/uy;
const SSML_END = /^\/speak(?:\p{White_Space}|$)/u;
/**
 * SSML sections in which tags are ignored: the text that begins a section, without its `<`, and the text that ends it.
 */
const SECTIONS = [
  ["!--", "-->"],
  ["![CDATA[", "]]>"],
] as const;

/** A part of a long text that is spoken as one turn: `text.slice(start, start + turn.text.length)`. */
export interface TurnText {
  readonly text: string;
  /** Position in the long text, in UTF-16 units. */
  readonly start: number;
}

/**
 * Splits a text of any length into turns. A turn ends after a line once it has 1,000 characters, after a sentence from
 * 1,500, at white space from 2,500, and anywhere at 4,000. White space between turns is omitted. SSML is split only
 * after `</speak>`.
 */
export function* splitIntoTurns(text: string): Generator<TurnText, void, undefined> {
  let start = 0;
  for (;;) {
    LEADING_SPACE.lastIndex = start;
    LEADING_SPACE.test(text);
    start = LEADING_SPACE.lastIndex;
    if (start === text.length) return;
    SSML.lastIndex = start;
    const end = SSML.test(text) ? endOfDocument(text, start) : endOfTurn(text, start);
    yield { text: text.slice(start, end), start };
    start = end;
  }
}

/** Returns the end of a turn of plain text that begins at `start`. */
function endOfTurn(text: string, start: number): number {
  let [end, characters, wordLength, sentenceEnds] = [start, 0, 0, false];
  while (end < text.length) {
    const character = String.fromCodePoint(text.codePointAt(end) ?? 0);
    end += character.length;
    characters += 1;
    const isSpace = WHITE_SPACE.test(character);
    if (characters >= ANYWHERE) break;
    if (isSpace && (characters >= SPACE || (characters >= SENTENCE && sentenceEnds))) break;
    if (character === "\n" && characters >= LINE) break;
    if (SENTENCE_ENDS.has(character)) sentenceEnds = true;
    else if (character === ".") sentenceEnds = wordLength >= WORD_BEFORE_STOP;
    else if (!CLOSERS.has(character)) sentenceEnds = false;
    wordLength = isSpace ? 0 : wordLength + 1;
  }
  return end;
}

/** Returns the end of an SSML document that begins at `start`: after `</speak>`, or the end of the text. */
function endOfDocument(text: string, start: number): number {
  let at = start;
  for (;;) {
    const tag = text.indexOf("<", at) + 1;
    if (tag === 0) return text.length;
    const section = SECTIONS.find(([begin]) => text.startsWith(begin, tag));
    const [begin, mark] = section ?? ["", ">"];
    const end = text.indexOf(mark, tag + begin.length);
    if (end < 0) return text.length;
    at = end + mark.length;
    if (!section && SSML_END.test(text.slice(tag, end))) return at;
  }
}
