/** The sources of speech that a page plays: a server, or a voice in the page. */

import type { Word } from "../events.js";

/** A piece of sound, with the words that begin in it. */
export interface SpeechPiece {
  /** Samples of 16 bits, 24,000 a second, in a buffer of their own. */
  readonly samples: Int16Array<ArrayBuffer>;
  /** Times count from the beginning of the text's sound, places from the beginning of the text. */
  readonly words: readonly Word[];
}

export interface SpeechSettings {
  /** A code such as `hi`; left out, the source finds it. */
  readonly language?: string | undefined;
  readonly voice?: string | undefined;
  /** 0.5 to 2. */
  readonly speed?: number | undefined;
}

/** Turns a text into sound while it is played. */
export interface SpeechSource {
  /** Returns the sound of a text in pieces. The signal ends it within one piece. */
  speak(text: string, settings: SpeechSettings, signal: AbortSignal): AsyncIterable<SpeechPiece>;
}
