/** What a conversation tells. Times are in milliseconds of a turn's sound. */

import type { APIError, ShrutiError } from "./errors.js";
import type { ConversationSettings } from "./options.js";

/** A turn begins to sound. */
export interface Started {
  readonly type: "started";
  readonly turnId: string;
  readonly voice: string;
  readonly language: string;
  /** The format of the turn's `Audio`. */
  readonly outputFormat: string;
}

/** When a word is spoken, and where it stands: `turn.text.slice(word.charStart, word.charEnd)`. */
export interface Word {
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
  /** In UTF-16 units, as JavaScript counts. */
  readonly charStart: number;
  readonly charEnd: number;
  /** What was said for it, if that is not what was written. */
  readonly spoken: string | undefined;
}

/** When the words of the sound that follows are spoken. */
export interface Words {
  readonly type: "words";
  readonly turnId: string;
  readonly words: readonly Word[];
}

/** Sound: whole samples of 16 bits, little-endian, 24,000 a second, where no other format was asked for. */
export interface Audio {
  readonly type: "audio";
  readonly turnId: string;
  /** Has a buffer of its own: `new Int16Array(data.buffer)`. */
  readonly data: Uint8Array<ArrayBuffer>;
}

/** The sound of everything before a `flush` has come. */
export interface Flushed {
  readonly type: "flushed";
  readonly turnId: string | undefined;
  readonly audioMs: number;
}

/** A turn has come whole; it may still be playing. */
export interface Done {
  readonly type: "done";
  readonly turnId: string;
  readonly audioMs: number;
  /** Characters that are charged. */
  readonly chars: number;
  /** Inside the server, from what made the first sound possible to the first audible sample. */
  readonly ttfaMs: number | null;
  /** `complete` or `nothing_to_say`. */
  readonly reason: string;
}

/** What a listener can have heard of a turn. */
export interface Heard {
  readonly ms: number;
  /** The turn's text up to the last word that was heard whole. */
  readonly text: string;
  /** The length of `text` in UTF-16 units. */
  readonly charEnd: number;
  /** `played_ms`: from the place the cancel gave; `playhead`: as the server reckons. */
  readonly basis: string;
  /** `word`, or `clause` where a voice does not know when its words are spoken. */
  readonly cutAt: string;
}

/** A turn was cut off, or had ended before. `heard.text + unheardText` is the turn's text as it was sent. */
export interface Cancelled {
  readonly type: "cancelled";
  /** `undefined` where there was nothing to cancel. */
  readonly turnId: string | undefined;
  /** `cancelled`, `already_done` or `unknown`. */
  readonly state: string;
  readonly sentMs: number;
  readonly heard: Heard;
  readonly unheardText: string;
}

/** A turn broke off, or its text was refused. */
export interface Failed {
  readonly type: "failed";
  readonly turnId: string;
  readonly error: APIError;
  readonly sentMs: number;
}

/** A turn ended because the connection did. None of it is sent again. */
export interface Lost {
  readonly type: "lost";
  readonly turnId: string;
  /** How much of its sound had come; `undefined` in a format of which bytes tell no time. */
  readonly receivedMs: number | undefined;
  readonly error: ShrutiError;
}

/** The connection is there again. */
export interface Reconnected {
  readonly type: "reconnected";
}

/** The settings now in force. */
export interface ConfigChanged {
  readonly type: "config";
  readonly config: ConversationSettings;
}

/** Something to know: `late_text` or `turn_abandoned`. */
export interface Warned {
  readonly type: "warning";
  readonly code: string;
  readonly message: string;
  readonly turnId: string | undefined;
}

/** A message was not carried out. Where it was text of a turn, the turn fails instead. */
export interface Rejected {
  readonly type: "rejected";
  /** The turn that it was for; `undefined` where it named none. */
  readonly turnId: string | undefined;
  readonly error: APIError;
}

/** How a turn ends. */
export type Outcome = Done | Cancelled | Failed | Lost;
/** What a turn tells. One that fails or is lost throws its error instead. */
export type TurnEvent = Started | Words | Audio | Flushed | Rejected | Done | Cancelled;
/** What a conversation tells. */
export type Event = TurnEvent | Failed | Lost | Reconnected | ConfigChanged | Warned;

/** The turn that an event is about. */
export function turnOf(event: Event): string | undefined {
  return "turnId" in event ? event.turnId : undefined;
}

/** Whether an event is of a turn's sound, which a cancel silences. */
export function isSound(event: Event): event is Started | Words | Audio {
  return event.type === "started" || event.type === "words" || event.type === "audio";
}
