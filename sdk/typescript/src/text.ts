/** Splitting text into messages, and positions in text. */

/** Maximum length of the text of a message, in Unicode characters. */
export const MAX_MESSAGE_CHARS = 5_000;

/** Splits a text into messages, never inside a character. An empty text is one empty piece. */
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
 * Rejoins characters that were split between two pieces, as `slice` does to emoji: returns the part of a piece that can
 * be sent, and keeps a half that waits for its other half.
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

/** Converts positions from Unicode characters, as the server counts, to UTF-16 units. Cheap for ascending positions. */
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
