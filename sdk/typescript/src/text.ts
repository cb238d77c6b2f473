/** Splits text into messages and converts positions in text. */

/** Maximum length of the text in a message, in Unicode characters. */
export const MAX_MESSAGE_CHARS = 5_000;

/** Splits a text into messages, never inside a character. An empty text results in one empty message. */
export function messagesOf(text: string): string[] {
  // a text has at most as many characters as UTF-16 units
  if (text.length <= MAX_MESSAGE_CHARS) return [text];
  const chars = [...text];
  const pieces: string[] = [];
  for (let at = 0; at < chars.length; at += MAX_MESSAGE_CHARS) {
    pieces.push(chars.slice(at, at + MAX_MESSAGE_CHARS).join(""));
  }
  return pieces;
}

/**
 * Rejoins characters that are split between two pieces, as when `slice` splits an emoji. `next` returns the text that
 * can be sent, and keeps half a character until its other half arrives.
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

/**
 * Converts positions from Unicode characters, as counted by the server, to UTF-16 units. Fast for ascending positions.
 */
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
