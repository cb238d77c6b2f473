// Text in pieces at the pace of a language model: cut anywhere but inside a surrogate pair, as tokens are.

const PIECE_MS = 45; // about 22 tokens a second

// Gives pieces of 1 to 6 characters, each with where it ends in UTF-16 units and how long to wait before it.
// `random` gives numbers from 0 to 1.
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
