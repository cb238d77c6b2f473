/** Text as it is cut into messages, and places in it. */

/** The longest text of one message, in Unicode characters. */
export const MAX_MESSAGE_CHARS = 5_000;

/** Cuts a text into messages; never inside a character. An empty text is one empty piece. */
export function messagesOf(text: string): string[] {
  // no shorter text has that many characters
  if (text.length <= MAX_MESSAGE_CHARS) return [text];
  const chars = [...text];
  const pieces: string[] = [];
  for (let at = 0; at < chars.length; at += MAX_MESSAGE_CHARS) {
    pieces.push(chars.slice(at, at + MAX_MESSAGE_CHARS).join(""));
  }
  return pieces;
}

/**
 * Joins characters that were cut between two pieces, as `slice` does to emoji: gives what can be sent of a piece, and
 * keeps the half that waits for its other half.
 */
export class Halves {
  #half = "";

  next(piece: string, final: boolean): string {
    const text = this.#half + piece;
    const last = text.charCodeAt(text.length - 1);
    this.#half = !final && last >= 0xd800 && last <= 0xdbff ? text.slice(-1) : "";
    return text.slice(0, text.length - this.#half.length).toWellFormed();
  }
}

/** Places that the server counts in Unicode characters, as JavaScript counts them. Cheap where they ascend. */
export class Places {
  #chars = 0;
  #units = 0;

  units(text: string, chars: number): number {
    if (chars < this.#chars) this.#chars = this.#units = 0;
    while (this.#chars < chars && this.#units < text.length) {
      this.#units += (text.codePointAt(this.#units) ?? 0) > 0xffff ? 2 : 1;
      this.#chars += 1;
    }
    return this.#units;
  }
}
