// Definition of an audible sample, shared by all tools that measure the first one. A test of `shruti-audio` checks that
// audible.json matches the server's definition.

import { readFileSync } from "node:fs";

// Minimum magnitude of an audible 16-bit sample: -60 dB of full scale.
const AUDIBLE = JSON.parse(readFileSync(new URL("audible.json", import.meta.url), "utf8")).least_sample;

// Returns whether bytes (signed 16-bit little-endian samples) contain an audible sample.
export function isAudible(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at + 1 < bytes.byteLength; at += 2) if (Math.abs(view.getInt16(at, true)) >= AUDIBLE) return true;
  return false;
}
