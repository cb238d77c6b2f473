/** Signed URLs for clips. docs/http.md specifies their format. */

import { ShrutiError } from "./errors.js";
import type { VoiceSettings } from "./options.js";

/** Settings of a clip that is requested by URL, and the expiry of the URL. */
export interface ClipUrlSettings extends Omit<VoiceSettings, "lexicon"> {
  /** Output format: `mp3`, `wav_8000`, `mulaw_8000`, … Default: `mp3`. */
  outputFormat?: string | undefined;
  /** Lifetime of the URL in seconds, rounded up to the next whole hour. Default: one day. */
  expiresInS?: number | undefined;
  /** Expiry of the URL, in seconds since 1970-01-01 UTC. If it is set, `expiresInS` is ignored. */
  expiresAtS?: number | undefined;
}

const PURPOSE = "shruti clip url v1";
const DAY_S = 86_400;
const HOUR_S = 3_600;
/** Length, in characters, of the key prefix that the URL contains; it includes `sk_`. */
const PREFIX_CHARS = 11;

/** Percent-encodes all characters except letters, digits and `-._~`. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/**
 * Returns the text to sign, in three lines: the purpose, the path, and the query string with its parameters sorted by
 * name.
 */
export function canonicalClipUrl(voice: string, language: string, parameters: Record<string, string>): string {
  const path = `/v1/clips/${encoded(voice)}/${encoded(language)}`;
  const names = Object.keys(parameters).sort();
  const query = names.map((name) => `${encoded(name)}=${encoded(parameters[name] ?? "")}`).join("&");
  return `${PURPOSE}\n${path}\n${query}`;
}

async function hmac(key: ArrayBuffer, message: string): Promise<ArrayBuffer> {
  const { subtle } = globalThis.crypto;
  const imported = await subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return subtle.sign("HMAC", imported, new TextEncoder().encode(message));
}

/**
 * Returns the URL of a clip, signed with a secret that is derived from the API key. The URL does not contain the whole
 * key.
 */
export async function signedClipUrl(
  baseUrl: string,
  apiKey: string,
  text: string,
  settings: ClipUrlSettings,
): Promise<string> {
  if (!/^sk_[0-9A-Za-z]{40}$/.test(apiKey)) {
    throw new ShrutiError(
      "invalid API key: a URL is signed with an API key, which is `sk_` followed by 40 letters and digits",
    );
  }
  const end = Date.now() / 1_000 + (settings.expiresInS ?? DAY_S);
  // round up to a whole hour: the URL of a clip then stays the same for an hour, so that caches recognise it
  const expires = settings.expiresAtS ?? Math.ceil(end / HOUR_S) * HOUR_S;
  const given = {
    text: text.toWellFormed(),
    expires: String(expires),
    key: apiKey.slice(0, PREFIX_CHARS),
    format: settings.outputFormat,
    speed: settings.speed?.toString(),
    pitch: settings.pitch?.toString(),
    clarity: settings.clarity,
    engine: settings.engine,
  };
  const said = Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const voice = settings.voice ?? "Ananya";
  const canonical = canonicalClipUrl(voice, settings.language ?? "auto", Object.fromEntries(said));
  const keyHash = await globalThis.crypto.subtle.digest("SHA-256", new TextEncoder().encode(apiKey));
  const signature = new Uint8Array(await hmac(await hmac(keyHash, PURPOSE), canonical));
  const base64 = btoa(String.fromCharCode(...signature));
  const sig = base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  const [, path, query] = canonical.split("\n");
  return `${baseUrl}${path}?${query}&sig=${sig}`;
}
