// Splits text into pieces at the pace of a language model. Like tokens, pieces may end anywhere except inside a
// surrogate pair.

const PIECE_MS = 45; // about 22 tokens per second

// Yields pieces of 1 to 6 characters, each with its end in UTF-16 units and the time to wait before it, in
// milliseconds. `random` returns numbers from 0 (inclusive) to 1 (exclusive).
export function* pieces(text, random = Math.random) {
  const scalars = [...text];
  let at = 0;
  let unit = 0;
  while (at < scalars.length) {
    const piece = scalars.slice(at, at + 1 + Math.floor(random() * 6)).join("");
    at += [...piece].length;
    unit += piece.length;
    yield { text: piece, end: unit, waitMs: PIECE_MS * (0.4 + 1.2 * random()), final: at >= scalars.length };
  }
}
