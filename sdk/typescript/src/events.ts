/** Events of a conversation. Times are positions in a turn's audio, in milliseconds. */

import type { APIError, ShrutiError } from "./errors.js";
import type { ConversationSettings } from "./options.js";

/** The audio of a turn starts. */
export interface Started {
  readonly type: "started";
  readonly turnId: string;
  readonly voice: string;
  readonly language: string;
  /** Format of the audio of the turn. */
  readonly outputFormat: string;
}

/** Time and position of a word. In the text, the word is `turn.text.slice(word.charStart, word.charEnd)`. */
export interface Word {
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
  /** Start in the text of the turn, in UTF-16 units, as in JavaScript strings. */
  readonly charStart: number;
  readonly charEnd: number;
  /** Spoken form of the word, if it differs from the text. */
  readonly spoken: string | undefined;
}

/** Timestamps of words in the audio that follows. */
export interface Words {
  readonly type: "words";
  readonly turnId: string;
  readonly words: readonly Word[];
}

/** Audio. By default, it consists of whole 16-bit little-endian samples at 24,000 Hz. */
export interface Audio {
  readonly type: "audio";
  readonly turnId: string;
  /** The array has its own buffer, so that `new Int16Array(data.buffer)` gives the 16-bit samples. */
  readonly data: Uint8Array<ArrayBuffer>;
}

/** All audio for the text before a `flush` was received. */
export interface Flushed {
  readonly type: "flushed";
  readonly turnId: string | undefined;
  readonly audioMs: number;
}

/** All audio of a turn was received. It may still be playing. */
export interface Done {
  readonly type: "done";
  readonly turnId: string;
  readonly audioMs: number;
  /** Number of charged characters. */
  readonly chars: number;
  /** Server-side latency in milliseconds, from the text that lets synthesis start until the first audible sample. */
  readonly ttfaMs: number | null;
  /** `complete` or `nothing_to_say`. */
  readonly reason: string;
}

/** The part of a turn that the listener may have heard. */
export interface Heard {
  readonly ms: number;
  /** Text of the turn up to the last word that was heard completely. */
  readonly text: string;
  /** Length of `text` in UTF-16 units. */
  readonly charEnd: number;
  /** `played_ms`: computed from the position in the cancel. `playhead`: estimated by the server. */
  readonly basis: string;
  /** Unit at which `text` ends: `word`, or `clause` for voices without word timestamps. */
  readonly cutAt: string;
}

/** A turn was cancelled, or had already ended. `heard.text + unheardText` is the text of the turn as it was sent. */
export interface Cancelled {
  readonly type: "cancelled";
  /** `undefined` if there was nothing to cancel. */
  readonly turnId: string | undefined;
  /** `cancelled`, `already_done` or `unknown`. */
  readonly state: string;
  readonly sentMs: number;
  readonly heard: Heard;
  readonly unheardText: string;
}

/** A turn failed, or its text was refused. */
export interface Failed {
  readonly type: "failed";
  readonly turnId: string;
  readonly error: APIError;
  readonly sentMs: number;
}

/** A turn ended because its connection was lost. Its text is not sent again. */
export interface Lost {
  readonly type: "lost";
  readonly turnId: string;
  /** Length of the received audio; `undefined` for formats without a fixed number of bytes per millisecond. */
  readonly receivedMs: number | undefined;
  readonly error: ShrutiError;
}

/** The connection has been opened again. */
export interface Reconnected {
  readonly type: "reconnected";
}

/** The current settings. */
export interface ConfigChanged {
  readonly type: "config";
  readonly config: ConversationSettings;
}

/** A warning: `late_text` or `turn_abandoned`. */
export interface Warned {
  readonly type: "warning";
  readonly code: string;
  readonly message: string;
  readonly turnId: string | undefined;
}

/** The server rejected a message. If the message contained text or settings of a turn, the turn fails instead. */
export interface Rejected {
  readonly type: "rejected";
  /** Turn of the message; `undefined` if the message belonged to no turn. */
  readonly turnId: string | undefined;
  readonly error: APIError;
}

/** Outcome of a turn. */
export type Outcome = Done | Cancelled | Failed | Lost;
/** Events of a turn. If a turn fails or is lost, the iteration over its events throws the error. */
export type TurnEvent = Started | Words | Audio | Flushed | Rejected | Done | Cancelled;
/** Events of a conversation. */
export type Event = TurnEvent | Failed | Lost | Reconnected | ConfigChanged | Warned;

/** Returns the ID of an event's turn; `undefined` if the event belongs to no turn. */
export function turnOf(event: Event): string | undefined {
  return "turnId" in event ? event.turnId : undefined;
}

/** Returns whether an event is about the audio of a turn. A cancel discards these events. */
export function isSound(event: Event): event is Started | Words | Audio {
  return event.type === "started" || event.type === "words" || event.type === "audio";
}
