/** Runs the conformance vectors, which are shared by all clients. */

import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { Driver, greetWith, type Json, type Vector } from "./driver.js";

const VECTORS = new URL("../../conformance/", import.meta.url);
const HAS = new Set(["token", "retry", "calls_beside", "sources", "timed_clips"]);
const read = (name: string): unknown => JSON.parse(readFileSync(new URL(`${name}.json`, VECTORS), "utf8"));

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  greetWith(read("ready") as Json);
});
afterEach(() => void vi.useRealTimers());

describe.each(["turns", "cancels", "losses", "moves", "connects", "clips"])("%s", (file) => {
  test.each(read(file) as Vector[])("$name", async (vector) => {
    expect(vector.needs?.filter((need) => !HAS.has(need)) ?? []).toEqual([]);
    await new Driver().play(vector);
  });
});
