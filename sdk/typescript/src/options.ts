/** Where the server is, who asks, and the settings of speech. */

import { ShrutiError } from "./errors.js";

/** How speech is to sound. What is left out is as the conversation says, or else the server. */
export interface VoiceSettings {
  /** A name that `voices()` lists: `Ananya`, `Arjun`. */
  voice?: string | undefined;
  /** A code such as `hi`; `null`: found in the text. */
  language?: string | null | undefined;
  /** 0.5 to 2. */
  speed?: number | undefined;
  /** -6 to 6 semitones. */
  pitch?: number | undefined;
  /** Shaped for a listener on a telephone or in a noisy room. */
  clarity?: "off" | "phone" | "room" | null | undefined;
  /** Words and how they are read: a spelling, or IPA between slashes. */
  lexicon?: Readonly<Record<string, string>> | undefined;
  /** Which synthesis speaks for the built-in voices; in a conversation, what holds when its first turn begins. */
  engine?: "auto" | "learned" | "rules" | undefined;
}

/** Settings of a clip. */
export interface ClipSettings extends VoiceSettings {
  /** `pcm_24000`, `wav_24000`, `mp3_24000_64`, `mulaw_8000`, … */
  outputFormat?: string | undefined;
}

/** Settings of a turn. */
export interface TurnSettings extends VoiceSettings {
  /** Whether `words` are told. */
  timestamps?: "word" | "none" | undefined;
  /** How far sound is sent ahead of the listener: 0 to 60000 ms; 0 means as fast as it is taken. */
  maxLeadMs?: number | undefined;
}

/** Settings of a conversation. */
export interface ConversationSettings extends TurnSettings {
  outputFormat?: string | undefined;
}

/** A key, or a function that gives the key of the day, or a token, for each request. */
export type Credential = string | (() => string | Promise<string>);

/** A setting's names in JSON and here, for those that differ. */
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

/** Those settings that say something, as the server names them. */
export function wireSettings(given: ConversationSettings): Record<string, unknown> {
  const said: Record<string, unknown> = {};
  for (const name of KNOWN) {
    const value = given[name as keyof ConversationSettings];
    if (value !== undefined) said[(WIRE_NAMES as Record<string, string>)[name] ?? name] = value;
  }
  return said;
}

/** Settings as the server told them. */
export function settingsOf(message: Record<string, unknown>): ConversationSettings {
  const told: Record<string, unknown> = {};
  for (const name of KNOWN) {
    const wireName = (WIRE_NAMES as Record<string, string>)[name] ?? name;
    if (wireName in message) told[name] = message[wireName];
  }
  return told;
}

/** The server's address without a slash at its end. */
export function serverUrl(given: string): string {
  // what stands before an @ or in a query may be a key, and keys do not belong into messages
  const shown = given.slice(given.lastIndexOf("@") + 1).replace(/[?#].*/s, "");
  const wrong = (what: string) => new ShrutiError(`'${shown}' is no address of a server: ${what}`);
  let url: URL;
  try {
    url = new URL(given.trim());
  } catch {
    throw wrong("it must begin with http:// or https:// and name a host");
  }
  const scheme = { "http:": "http:", "ws:": "http:", "https:": "https:", "wss:": "https:" }[url.protocol];
  if (scheme === undefined) throw wrong("it must begin with http:// or https://");
  if (url.username || url.password) throw wrong("a key or password does not belong into it");
  if (url.search || url.hash) throw wrong("a query does not belong into it");
  return `${scheme}//${url.host}${url.pathname.replace(/\/+$/, "")}`;
}

/** How many bytes a millisecond of a bare format has; `undefined` for what has headers or is compressed. */
export function bytesPerMs(outputFormat: string): number | undefined {
  const [, coding, rate] = /^(pcm|pcm_f32|mulaw|alaw)_(\d+)$/.exec(outputFormat) ?? [];
  const width = { pcm: 2, pcm_f32: 4, mulaw: 1, alaw: 1 }[coding ?? ""];
  return width === undefined ? undefined : (width * Number(rate)) / 1000;
}
