/** Tests of splitting a long text into turns, with the same cases as the Rust client. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

import { splitIntoTurns } from "../src/node.js";

interface Vector {
  name: string;
  /** Pieces of the text, each with its number of repetitions. */
  text: [piece: string, times: number][];
  /** Start and length of each turn, in characters. */
  turns: [start: number, length: number][];
}

const vectors = JSON.parse(readFileSync(new URL("../../conformance/cuts.json", import.meta.url), "utf8")) as Vector[];
const characters = (text: string) => [...text].length;

test.each(vectors)("$name", ({ text: pieces, turns: expected }) => {
  const text = pieces.map(([piece, times]) => piece.repeat(times)).join("");
  const turns = [...splitIntoTurns(text)];
  for (const turn of turns) expect(text.slice(turn.start, turn.start + turn.text.length)).toBe(turn.text);
  expect(turns.map((turn) => [characters(text.slice(0, turn.start)), characters(turn.text)])).toEqual(expected);
});

test("a text of a million characters is split in linear time", () => {
  const text = `<speak>${"<!-- a </speak> -->".repeat(25_000)}</speak>${"क ".repeat(250_000)}`;
  expect([...splitIntoTurns(text)].length).toBeGreaterThan(190);
});
