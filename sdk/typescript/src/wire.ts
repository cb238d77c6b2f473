/** Conversion of server messages to events. */

import { ProtocolError } from "./errors.js";
import type { Cancelled, Word } from "./events.js";

/** A message from the server. It has been checked to be an object; each field is checked when it is read. */
export type Message = Readonly<Record<string, unknown>>;

export function parse(text: string): Message {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    // the error is thrown below
  }
  if (typeof message !== "object" || message === null) throw new ProtocolError("a message is not a JSON object");
  return message as Message;
}

function wrong(message: Message, name: string, wanted: string): ProtocolError {
  return new ProtocolError(`a message of type ${String(message["type"])} is invalid: ${name} must be ${wanted}`);
}

export function text(message: Message, name: string): string {
  const value = message[name];
  if (typeof value !== "string") throw wrong(message, name, "a string");
  return value;
}

export function optionalText(message: Message, name: string): string | undefined {
  return message[name] === undefined || message[name] === null ? undefined : text(message, name);
}

export function number(message: Message, name: string): number {
  const value = message[name];
  if (typeof value !== "number") throw wrong(message, name, "a number");
  return value;
}

export function object(message: Message, name: string): Message {
  const value = message[name];
  if (typeof value !== "object" || value === null) throw wrong(message, name, "an object");
  return value as Message;
}

/** Returns the words of a message. `units` converts their positions from Unicode characters to UTF-16 units. */
export function words(message: Message, units: (chars: number) => number): Word[] {
  const list = message["words"];
  if (!Array.isArray(list)) throw wrong(message, "words", "a list");
  return (list as Message[]).map((word) => ({
    text: text(word, "text"),
    startMs: number(word, "start_ms"),
    endMs: number(word, "end_ms"),
    charStart: units(number(word, "char_start")),
    charEnd: units(number(word, "char_end")),
    spoken: optionalText(word, "spoken"),
  }));
}

export function cancelled(message: Message): Cancelled {
  const heard = object(message, "heard");
  const heardText = text(heard, "text");
  return {
    type: "cancelled",
    turnId: optionalText(message, "turn_id"),
    state: text(message, "state"),
    sentMs: number(message, "sent_ms"),
    heard: {
      ms: number(heard, "ms"),
      text: heardText,
      charEnd: heardText.length,
      basis: text(heard, "basis"),
      cutAt: optionalText(heard, "cut_at") ?? "word",
    },
    unheardText: text(message, "unheard_text"),
  };
}
