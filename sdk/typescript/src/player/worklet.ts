/**
 * The part of the player that runs on the browser's audio thread. It plays a queue of samples and reports its position.
 * A clip is the audio between two `clear` commands; every command and report contains the number of its clip. This
 * module imports nothing, so that it can be loaded from any location that a bundler chooses.
 */

export type Command =
  | { readonly type: "samples"; readonly clip: number; readonly samples: Int16Array<ArrayBuffer> }
  | { readonly type: "finish"; readonly clip: number }
  | { readonly type: "clear"; readonly clip: number };

export interface Report {
  readonly clip: number;
  /** Start of the current block, on the context's clock, in seconds. */
  readonly time: number;
  /** Number of samples of the clip that were played before the block. */
  readonly played: number;
  /** Whether playback waits for samples. */
  readonly dry: boolean;
  /** Whether all samples were played and no more will follow. */
  readonly ended: boolean;
}

// globals of the audio thread
declare const sampleRate: number;
declare const currentTime: number;
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void;
declare abstract class AudioWorkletProcessor {
  readonly port: MessagePort;
  abstract process(inputs: Float32Array[][], outputs: Float32Array[][]): boolean;
}

const SOURCE_RATE = 24_000;
const FULL_SCALE = 32_768;
const BLOCKS_A_REPORT = 4;
/** Number of queued samples at which playback continues after an underrun, so that there is one gap instead of many. */
const REFILL_SAMPLES = SOURCE_RATE * 0.04;
/**
 * Length of a fade-out, in output samples: 1 ms at 48 kHz, 2 ms at 24 kHz. It prevents clicks when the audio is
 * interrupted.
 */
const FADE_SAMPLES = 48;
const TAPS = 32;
const PHASES = 512;
/** Delay of the resampler, in source samples. */
export const MIDDLE = TAPS / 2;

/** Resampler with a windowed sinc. It has enough phases for an error below the resolution of 16-bit samples. */
export class Resampler {
  readonly #step: number;
  readonly #weights: Float32Array;
  #window = new Float32Array(TAPS);
  #phase = 1; // makes the first output value take a sample first

  constructor(from: number, to: number) {
    this.#step = from / to;
    this.#weights = weights(Math.min(1, to / from));
  }

  reset(): void {
    this.#window = new Float32Array(TAPS);
    this.#phase = 1;
  }

  /**
   * Fills the output as long as `next` returns samples, and returns the number of values written. The output is delayed
   * by `MIDDLE` source samples.
   */
  fill(output: Float32Array, next: () => number | undefined): number {
    for (let at = 0; at < output.length; at += 1) {
      for (; this.#phase >= 1; this.#phase -= 1) {
        const sample = next();
        if (sample === undefined) return at;
        this.#window.copyWithin(0, 1);
        this.#window[TAPS - 1] = sample;
      }
      const row = Math.round(this.#phase * PHASES) * TAPS;
      let sum = 0;
      for (let tap = 0; tap < TAPS; tap += 1) sum += (this.#window[tap] ?? 0) * (this.#weights[row + tap] ?? 0);
      output[at] = sum;
      this.#phase += this.#step;
    }
    return output.length;
  }
}

/** Returns the weights of all phases; `cutoff` is relative to the source's Nyquist frequency. */
function weights(cutoff: number): Float32Array {
  const table = new Float32Array((PHASES + 1) * TAPS);
  for (let phase = 0; phase <= PHASES; phase += 1) {
    const row = table.subarray(phase * TAPS, (phase + 1) * TAPS);
    let sum = 0;
    for (let tap = 0; tap < TAPS; tap += 1) {
      const distance = tap - (MIDDLE - 1) - phase / PHASES;
      const x = Math.PI * distance * cutoff;
      const hann = 0.5 + 0.5 * Math.cos((Math.PI * distance) / MIDDLE);
      const weight = (distance === 0 ? 1 : Math.sin(x) / x) * Math.max(0, hann);
      row[tap] = weight;
      sum += weight;
    }
    for (let tap = 0; tap < TAPS; tap += 1) row[tap] = (row[tap] ?? 0) / sum; // every phase has the same gain
  }
  return table;
}

class PlayerProcessor extends AudioWorkletProcessor {
  readonly #resampler = sampleRate === SOURCE_RATE ? undefined : new Resampler(SOURCE_RATE, sampleRate);
  readonly #next = () => this.#take();
  #clip = 0;
  #queue: Int16Array[] = [];
  #offset = 0; // position in the first block of the queue
  #queued = 0;
  #taken = 0;
  /** Number of source samples that were taken but not played: those in the later half of the resampler's window. */
  #lag = 0;
  #finished = false;
  #ended = false;
  #dry = true;
  #refill = 1;
  #blocks = 0;
  #last = 0;
  #fade = 0;

  constructor() {
    super();
    this.port.onmessage = ({ data }: MessageEvent<Command>) => this.#receive(data);
  }

  #receive(command: Command): void {
    if (command.type === "clear") {
      [this.#clip, this.#queue, this.#offset, this.#queued] = [command.clip, [], 0, 0];
      [this.#taken, this.#lag, this.#finished, this.#ended] = [0, 0, false, false];
      [this.#dry, this.#refill, this.#fade] = [true, 1, FADE_SAMPLES];
      this.#resampler?.reset();
    } else if (command.clip === this.#clip) {
      this.#finished = command.type === "finish";
      if (this.#finished) {
        this.#refill = 1;
      } else if (command.type === "samples") {
        this.#ended = false;
        this.#queue.push(command.samples);
        this.#queued += command.samples.length;
      }
    }
  }

  /** Returns the next sample, from -1 to 1, or `undefined` if none is available. */
  #take(): number | undefined {
    const block = this.#queue[0];
    if (!block) {
      // after the end of the clip, silence moves the last samples out of the resampler's window
      if (!this.#finished || this.#lag === 0) return undefined;
      this.#lag -= 1;
      return 0;
    }
    const sample = (block[this.#offset] ?? 0) / FULL_SCALE;
    this.#offset += 1;
    this.#queued -= 1;
    this.#taken += 1;
    if (this.#resampler && this.#lag < MIDDLE) this.#lag += 1;
    if (this.#offset === block.length) {
      this.#queue.shift();
      this.#offset = 0;
    }
    return sample;
  }

  process(_inputs: Float32Array[][], outputs: Float32Array[][]): boolean {
    const output = outputs[0]?.[0];
    if (!output) return true;
    const goesOn = this.#queued >= this.#refill || (this.#finished && this.#lag > 0);
    if (this.#dry && goesOn) [this.#dry, this.#blocks] = [false, 0];
    let at = 0;
    if (!this.#dry) {
      if (this.#blocks % BLOCKS_A_REPORT === 0) this.#report();
      this.#blocks += 1;
      at = this.#play(output);
      if (at < output.length) {
        [this.#dry, this.#refill] = [true, REFILL_SAMPLES];
        this.#report();
      }
    }
    if (at > 0) [this.#last, this.#fade] = [output[at - 1] ?? 0, FADE_SAMPLES];
    for (; at < output.length; at += 1) {
      output[at] = (this.#last * this.#fade) / FADE_SAMPLES;
      this.#fade = Math.max(0, this.#fade - 1);
    }
    if (this.#finished && !this.#ended && this.#queued === 0 && this.#lag === 0) {
      this.#ended = true;
      this.#report(true);
    }
    return true;
  }

  #play(output: Float32Array): number {
    if (this.#resampler) return this.#resampler.fill(output, this.#next);
    for (let at = 0; at < output.length; at += 1) {
      const sample = this.#take();
      if (sample === undefined) return at;
      output[at] = sample;
    }
    return output.length;
  }

  #report(ended = false): void {
    const played = this.#taken - this.#lag;
    const report = { clip: this.#clip, time: currentTime, played, dry: this.#dry, ended };
    this.port.postMessage(report satisfies Report);
  }
}

registerProcessor("shruti-player", PlayerProcessor);
