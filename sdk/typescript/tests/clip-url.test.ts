/** Tests of signed clip URLs. */

import { readFileSync } from "node:fs";
import { afterEach, expect, test, vi } from "vitest";

import type { ClipUrlSettings } from "../src/clip-url.js";
import { Client, ShrutiError } from "../src/node.js";

interface Vector {
  name: string;
  base_url: string;
  key: string;
  text: string;
  expires: number;
  output_format?: string;
  url: string;
}

const KEY = "sk_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0";
const vectors = JSON.parse(
  readFileSync(new URL("../../conformance/clip_urls.json", import.meta.url), "utf8"),
) as Vector[];

afterEach(() => void vi.useRealTimers());

test.each(vectors)("$name", async ({ base_url, key, text, expires, output_format, url, ...settings }) => {
  const client = new Client({ baseUrl: base_url, apiKey: () => Promise.resolve(key) });
  const given: ClipUrlSettings = { ...settings, outputFormat: output_format, expiresAtS: expires };
  expect(await client.signClipUrl(text, given)).toBe(url);
});

test("a URL is unchanged for an hour", async () => {
  const client = new Client({ baseUrl: "http://a.example", apiKey: KEY });
  const expires = async (now: number, settings: ClipUrlSettings = {}): Promise<number> => {
    vi.useFakeTimers({ now, toFake: ["Date"] });
    return Number(new URL(await client.signClipUrl("ok", settings)).searchParams.get("expires"));
  };
  expect(await expires(7_200_000)).toBe(7_200 + 86_400);
  expect(await expires(3_600_100)).toBe(7_200 + 86_400);
  expect(await expires(7_200_100)).toBe(10_800 + 86_400);
  expect(await expires(0, { expiresInS: 60 })).toBe(3_600);
});

test("only a key can sign, and no URL contains it", async () => {
  const signed = await new Client({ baseUrl: "http://a.example", apiKey: KEY }).signClipUrl("ok");
  expect(signed).not.toContain(KEY);
  expect(signed).toContain(KEY.slice(0, 11));
  const ofToken = new Client({ baseUrl: "http://a.example", token: () => `tok_${"a".repeat(40)}` });
  await expect(ofToken.signClipUrl("ok")).rejects.toThrow(ShrutiError);
});
