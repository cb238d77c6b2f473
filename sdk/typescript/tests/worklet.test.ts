/** Tests of the worklet without a browser: its output for given input. */

import { expect, test, vi } from "vitest";
import type { Command, Report } from "../src/player/worklet.js";

type Worklet = typeof import("../src/player/worklet.js");

interface Processor {
  readonly port: { onmessage?: (message: { data: Command }) => void };
  process(inputs: Float32Array[][], outputs: Float32Array[][]): boolean;
}

/**
 * Loads the worklet module as in a browser whose audio context has the given rate. Also returns a function that creates
 * a processor, and the list of its reports.
 */
async function loaded(rate: number): Promise<Worklet & { processor: () => Processor; reports: Report[] }> {
  const reports: Report[] = [];
  let made: (new () => Processor) | undefined;
  vi.resetModules();
  vi.stubGlobal("sampleRate", rate);
  vi.stubGlobal("currentTime", 0);
  vi.stubGlobal(
    "AudioWorkletProcessor",
    class {
      readonly port = { postMessage: (report: Report) => reports.push(report) };
    },
  );
  vi.stubGlobal("registerProcessor", (_name: string, processor: new () => Processor) => (made = processor));
  const worklet = await import("../src/player/worklet.js");
  const processor = () => new (made as new () => Processor)();
  return { ...worklet, processor, reports };
}

/** Plays clips of the given lengths, each followed by `finish`, and returns the output of a number of blocks. */
function played(processor: Processor, clips: number[], blocks: number): Float32Array {
  const tell = (data: Command) => processor.port.onmessage?.({ data });
  tell({ type: "clear", clip: 1 });
  const out = new Float32Array(128 * blocks);
  for (const [place, size] of clips.entries()) {
    tell({ type: "samples", clip: 1, samples: new Int16Array(size).fill(16_384) });
    tell({ type: "finish", clip: 1 });
    const share = blocks / clips.length;
    for (let block = place * share; block < (place + 1) * share; block += 1) {
      processor.process([], [[out.subarray(block * 128, (block + 1) * 128)]]);
    }
  }
  return out;
}

/** Resamples a sine, compares it with the same sine at the target rate, and returns the relative error in dB. */
function errorOfSine({ MIDDLE, Resampler }: Worklet, hz: number, to: number, from = 24_000): number {
  const resampler = new Resampler(from, to);
  const output = new Float32Array(to / 10);
  let taken = 0;
  resampler.fill(output, () => {
    taken += 1;
    return Math.sin((2 * Math.PI * hz * (taken - 1)) / from);
  });
  let [error, power] = [0, 0];
  for (let at = Math.ceil(output.length / 4); at < output.length; at += 1) {
    const wanted = Math.sin((2 * Math.PI * hz * (at * (from / to) - MIDDLE)) / from);
    error += ((output[at] ?? 0) - wanted) ** 2;
    power += wanted ** 2;
  }
  return 10 * Math.log10(error / power);
}

test("another rate has the same audio, with the declared delay", async () => {
  const worklet = await loaded(48_000);
  for (const to of [44_100, 48_000, 96_000]) {
    for (const hz of [100, 1_000, 6_000, 9_000]) expect(errorOfSine(worklet, hz, to), `${hz} Hz`).toBeLessThan(-50);
  }
});

test("a resampler continues after an underrun", async () => {
  const { Resampler } = await loaded(48_000);
  const source = Array.from({ length: 2_000 }, (_, at) => Math.sin(at / 7));
  let at = 0;
  const next = (until: number) => () => (at < until ? source[at++] : undefined);
  const [whole, parts] = [new Float32Array(3_000), new Float32Array(3_000)];
  new Resampler(24_000, 48_000).fill(whole, next(source.length));
  at = 0;
  const resampler = new Resampler(24_000, 48_000);
  let written = 0;
  for (let until = 100; written < parts.length; until += 100)
    written += resampler.fill(parts.subarray(written), next(until));
  expect(parts).toEqual(whole);
});

test.each([24_000, 44_100, 48_000])(
  "a clip is output completely at %i Hz, and its end is reported once",
  async (rate) => {
    const { processor, reports } = await loaded(rate);
    const samples = 1_000;
    const out = played(processor(), [samples], 40);
    // at the edges of the clip, the resampler's output reaches half of the level
    const sounds = out.filter((sample) => sample >= 0.25).length;
    expect(Math.abs(sounds - (samples * rate) / 24_000)).toBeLessThan(30);
    expect(reports.at(-1)).toMatchObject({ played: samples, dry: true });
    expect(reports.filter(({ ended }) => ended)).toHaveLength(1);
    expect(reports.map(({ played }) => played)).toEqual(reports.map(({ played }) => played).sort((a, b) => a - b));
  },
);

test.each([24_000, 48_000])("a clip with an underrun before its reported end ends, at %i Hz", async (rate) => {
  const { processor, reports } = await loaded(rate);
  const made = processor();
  const tell = (data: Command) => made.port.onmessage?.({ data });
  const block = () => made.process([], [[new Float32Array(128)]]);
  tell({ type: "samples", clip: 0, samples: new Int16Array(300).fill(16_384) });
  for (let blocks = 0; blocks < 10; blocks += 1) block();
  expect(reports.at(-1)).toMatchObject({ dry: true, ended: false });
  tell({ type: "finish", clip: 0 });
  for (let blocks = 0; blocks < 10; blocks += 1) block();
  expect(reports.at(-1)).toMatchObject({ played: 300, dry: true, ended: true });
});

test.each([24_000, 48_000])("a clip continues after an end, at %i Hz", async (rate) => {
  const { processor, reports } = await loaded(rate);
  played(processor(), [500, 700], 60);
  expect(reports.filter(({ ended }) => ended).map(({ played }) => played)).toEqual([500, 1_200]);
});
