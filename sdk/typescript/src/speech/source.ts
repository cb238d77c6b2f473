/** Interface of the speech sources of a page: a server, or a voice in the page. */

import type { Word } from "../events.js";

/** Piece of audio, with the words that begin in it. */
export interface SpeechPiece {
  /** 16-bit samples at 24,000 Hz, in a separate buffer. */
  readonly samples: Int16Array<ArrayBuffer>;
  /** Words; times count from the start of the audio of the text, positions from the start of the text. */
  readonly words: readonly Word[];
}

export interface SpeechSettings {
  /** Language code such as `hi`; detected if omitted. */
  readonly language?: string | undefined;
  readonly voice?: string | undefined;
  /** 0.5 to 2. */
  readonly speed?: number | undefined;
}

/** Converts a text to audio during playback. */
export interface SpeechSource {
  /** Returns the audio of a text in pieces. The signal ends it within one piece. */
  speak(text: string, settings: SpeechSettings, signal: AbortSignal): AsyncIterable<SpeechPiece>;
}
