/** Address of the server, credentials, and speech settings. */

import { ShrutiError } from "./errors.js";

/** Speech settings. An omitted setting takes its value from the conversation, or else the server's default. */
export interface VoiceSettings {
  /** Name of a voice that `voices()` returns, such as `Ananya`. */
  voice?: string | undefined;
  /** Language code such as `hi`; `null` to detect the language of the text. */
  language?: string | null | undefined;
  /** Speech rate, 0.5 to 2; 1 is normal. */
  speed?: number | undefined;
  /** Pitch shift, -6 to 6 semitones. */
  pitch?: number | undefined;
  /** Processes the audio for a listener on a telephone or in a noisy room. */
  clarity?: "off" | "phone" | "room" | null | undefined;
  /** Pronunciation dictionary: maps each word to its reading, which is a spelling, or IPA between slashes. */
  lexicon?: Readonly<Record<string, string>> | undefined;
  /** Synthesis engine of the built-in voices. A conversation keeps the value that is set when its first turn starts. */
  engine?: "auto" | "learned" | "rules" | undefined;
}

/** Settings of a clip. */
export interface ClipSettings extends VoiceSettings {
  /** Output format: `pcm_24000`, `wav_24000`, `mp3_24000_64`, `mulaw_8000`, … */
  outputFormat?: string | undefined;
}

/** Settings of a turn. */
export interface TurnSettings extends VoiceSettings {
  /** `word` if the server must send `words` events; `none` if it must not. */
  timestamps?: "word" | "none" | undefined;
  /** Maximum time by which the server sends audio ahead of the listener: 0 to 60000 ms. 0 means no limit. */
  maxLeadMs?: number | undefined;
}

/** Settings of a conversation. */
export interface ConversationSettings extends TurnSettings {
  outputFormat?: string | undefined;
}

/** An API key, or a function that is called for each request and returns the current key or a single-use token. */
export type Credential = string | (() => string | Promise<string>);

/** JSON names of settings, where they differ from the names here. */
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

/** Returns the given settings with their JSON names. */
export function wireSettings(given: ConversationSettings): Record<string, unknown> {
  const said: Record<string, unknown> = {};
  for (const name of KNOWN) {
    const value = given[name as keyof ConversationSettings];
    if (value !== undefined) said[(WIRE_NAMES as Record<string, string>)[name] ?? name] = value;
  }
  return said;
}

/** Returns the settings in a message from the server. */
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
  // the part before an @ and the query may contain a key, which must not appear in messages
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
