/** Address of the server, credentials, and speech settings. */

import { ShrutiError } from "./errors.js";

/** Speech settings. Omitted ones are those of the conversation, or else of the server. */
export interface VoiceSettings {
  /** Name of a voice in `voices()`: `Ananya`, `Arjun`. */
  voice?: string | undefined;
  /** Language code such as `hi`; `null` to detect it in the text. */
  language?: string | null | undefined;
  /** 0.5 to 2. */
  speed?: number | undefined;
  /** -6 to 6 semitones. */
  pitch?: number | undefined;
  /** Shapes the audio for a listener on a telephone or in a noisy room. */
  clarity?: "off" | "phone" | "room" | null | undefined;
  /** Pronunciation dictionary: words and their readings, as a spelling or as IPA between slashes. */
  lexicon?: Readonly<Record<string, string>> | undefined;
  /** Synthesis of the built-in voices. A conversation uses the value at the start of its first turn. */
  engine?: "auto" | "learned" | "rules" | undefined;
}

/** Settings of a clip. */
export interface ClipSettings extends VoiceSettings {
  /** `pcm_24000`, `wav_24000`, `mp3_24000_64`, `mulaw_8000`, … */
  outputFormat?: string | undefined;
}

/** Settings of a turn. */
export interface TurnSettings extends VoiceSettings {
  /** Whether to send `words`. */
  timestamps?: "word" | "none" | undefined;
  /** Maximum lead of the sent audio over the listener: 0 to 60000 ms; 0 sends as fast as possible. */
  maxLeadMs?: number | undefined;
}

/** Settings of a conversation. */
export interface ConversationSettings extends TurnSettings {
  outputFormat?: string | undefined;
}

/** A key, or a function that returns the current key or a token for each request. */
export type Credential = string | (() => string | Promise<string>);

/** Settings whose names in JSON differ. */
const WIRE_NAMES = { maxLeadMs: "max_lead_ms", outputFormat: "output_format" } as const;
const KNOWN = [
  "voice",
  "language",
  "speed",
  "pitch",
  "clarity",
  "lexicon",
  "engine",
  "timestamps",
  "maxLeadMs",
  "outputFormat",
];

/** Returns the given settings with the names of the wire format. */
export function wireSettings(given: ConversationSettings): Record<string, unknown> {
  const said: Record<string, unknown> = {};
  for (const name of KNOWN) {
    const value = given[name as keyof ConversationSettings];
    if (value !== undefined) said[(WIRE_NAMES as Record<string, string>)[name] ?? name] = value;
  }
  return said;
}

/** Returns the settings in a message of the server. */
export function settingsOf(message: Record<string, unknown>): ConversationSettings {
  const told: Record<string, unknown> = {};
  for (const name of KNOWN) {
    const wireName = (WIRE_NAMES as Record<string, string>)[name] ?? name;
    if (wireName in message) told[name] = message[wireName];
  }
  return told;
}

/** Returns the address of the server without a trailing slash. */
export function serverUrl(given: string): string {
  // the part before an @ or in a query may be a key, which must not appear in messages
  const shown = given.slice(given.lastIndexOf("@") + 1).replace(/[?#].*/s, "");
  const wrong = (what: string) => new ShrutiError(`'${shown}' is not a valid server address: ${what}`);
  let url: URL;
  try {
    url = new URL(given.trim());
  } catch {
    throw wrong("it must begin with http:// or https:// and have a host");
  }
  const scheme = { "http:": "http:", "ws:": "http:", "https:": "https:", "wss:": "https:" }[url.protocol];
  if (scheme === undefined) throw wrong("it must begin with http:// or https://");
  if (url.username || url.password) throw wrong("it must not contain a key or password");
  if (url.search || url.hash) throw wrong("it must not contain a query");
  return `${scheme}//${url.host}${url.pathname.replace(/\/+$/, "")}`;
}

/** Returns the number of bytes per millisecond of a raw format; `undefined` for formats with headers or compression. */
export function bytesPerMs(outputFormat: string): number | undefined {
  const [, coding, rate] = /^(pcm|pcm_f32|mulaw|alaw)_(\d+)$/.exec(outputFormat) ?? [];
  const width = { pcm: 2, pcm_f32: 4, mulaw: 1, alaw: 1 }[coding ?? ""];
  return width === undefined ? undefined : (width * Number(rate)) / 1000;
}
