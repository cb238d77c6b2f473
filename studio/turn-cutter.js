// Where a long text is cut into turns: as `shruti say` cuts it (crates/shruti-client/src/turn_cutter.rs).

// Characters of a turn after which it ends with a line, a sentence, at white space, anywhere.
const [LINE, SENTENCE, SPACE, ANYWHERE] = [1_000, 1_500, 2_500, 4_000];
// A full stop ends a sentence only behind so many characters: `Prof.` has fewer.
const WORD_BEFORE_STOP = 5;
const ENDS = new Set("?!…।॥۔");
const CLOSES = new Set("\"'”’»)]*_");
const BLANK = /\s/u;

// Gives the turns one by one: {text, at}, where the turn begins in the text in characters as the server counts them.
// White space before a turn is left out. SSML is cut behind `</speak>` alone.
export function* turns(text) {
  let unit = 0;
  let at = 0;
  while (unit < text.length) {
    const blank = /^\s+/u.exec(text.slice(unit, unit + ANYWHERE))?.[0] ?? "";
    unit += blank.length;
    at += blank.length; // white space is of one unit a character
    if (blank || unit === text.length) continue;
    const [end, characters] = /^<speak[\s>/]/u.test(text.slice(unit, unit + 7)) ? endOfDocument(text, unit) : endOfTurn(text, unit);
    yield { text: text.slice(unit, end), at };
    unit = end;
    at += characters;
  }
}

// Where a turn that begins at `unit` ends, and how many characters it has.
function endOfTurn(text, unit) {
  let [end, characters, word, sentenceEnds] = [unit, 0, 0, false];
  while (end < text.length) {
    const c = String.fromCodePoint(text.codePointAt(end));
    end += c.length;
    characters += 1;
    const blank = BLANK.test(c);
    if (characters >= ANYWHERE || (blank && (characters >= SPACE || (characters >= SENTENCE && sentenceEnds))) || (c === "\n" && characters >= LINE)) break;
    if (ENDS.has(c)) sentenceEnds = true;
    else if (c === ".") sentenceEnds = word >= WORD_BEFORE_STOP;
    else if (!CLOSES.has(c)) sentenceEnds = false;
    word = blank ? 0 : word + 1;
  }
  return [end, characters];
}

function endOfDocument(text, unit) {
  const marks = /<!--[^]*?-->|<!\[CDATA\[[^]*?\]\]>|<\/speak(\s[^>]*)?>/gu;
  marks.lastIndex = unit;
  let end = text.length;
  for (let mark = marks.exec(text); mark; mark = marks.exec(text)) {
    if (!mark[0].startsWith("</")) continue;
    end = marks.lastIndex;
    break;
  }
  let characters = 0;
  for (const _scalar of text.slice(unit, end)) characters += 1;
  return [end, characters];
}
