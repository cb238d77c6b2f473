/** Tests of subtitles, with the same cases as the Rust client. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

import { columns } from "../src/columns.js";
import { Cues, subRip, webVtt } from "../src/node.js";

type VectorWord = [text: string, startMs: number, endMs: number, charStart: number, charEnd: number];

interface Vector {
  name: string;
  words: VectorWord[];
  cues: { start_ms: number; end_ms: number; lines: string[]; columns: number[] }[];
  vtt?: string;
  srt?: string;
}

const vectors = JSON.parse(readFileSync(new URL("../../conformance/cues.json", import.meta.url), "utf8")) as Vector[];

test.each(vectors)("$name", ({ words, cues: expected, vtt, srt }) => {
  const cues = new Cues();
  const found = words.flatMap(([text, startMs, endMs, charStart, charEnd]) => {
    return cues.push({ text, startMs, endMs, charStart, charEnd });
  });
  found.push(...cues.finish());
  const told = found.map(({ startMs, endMs, lines }) => {
    return { start_ms: startMs, end_ms: endMs, lines, columns: lines.map(columns) };
  });
  expect(told).toEqual(expected);
  if (vtt !== undefined) expect(webVtt(found)).toBe(vtt);
  if (srt !== undefined) expect(subRip(found)).toBe(srt);
});

test("fractions of a millisecond are truncated", () => {
  const cues = [{ startMs: 1_050, endMs: 2_500.4, lines: ["one", "two"] }];
  expect(webVtt(cues)).toBe("WEBVTT\n\n00:00:01.050 --> 00:00:02.500\none\ntwo\n");
});
