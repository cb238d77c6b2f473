/** Interface of the speech sources of a page: a server, or a voice in the page. */

import type { Word } from "../events.js";

/** Piece of audio, with the words that begin during it. */
export interface SpeechPiece {
  /** 16-bit samples at 24,000 Hz, in a separate buffer. */
  readonly samples: Int16Array<ArrayBuffer>;
  /** The words. Times are relative to the start of the audio of the text, positions to the start of the text. */
  readonly words: readonly Word[];
}

export interface SpeechSettings {
  /** Language code such as `hi`. If omitted, the language is detected. */
  readonly language?: string | undefined;
  readonly voice?: string | undefined;
  /** Speech rate, 0.5 to 2; 1 is normal. */
  readonly speed?: number | undefined;
}

/** Source that converts text to audio during playback. */
export interface SpeechSource {
  /** Returns the audio of a text in pieces. Aborting the signal ends the audio within one piece. */
  speak(text: string, settings: SpeechSettings, signal: AbortSignal): AsyncIterable<SpeechPiece>;
}
