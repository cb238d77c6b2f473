// 24 kHz samples at another rate: a windowed sinc in as many phases as are needed to be finer than 16 bits hear.

const TAPS = 32;
const PHASES = 512;
export const MIDDLE = TAPS / 2;

// Weights of every phase; `cutoff` as a share of the source's Nyquist frequency.
function table(cutoff) {
  const weights = new Float32Array((PHASES + 1) * TAPS);
  for (let phase = 0; phase <= PHASES; phase += 1) {
    const row = weights.subarray(phase * TAPS, (phase + 1) * TAPS);
    let sum = 0;
    for (let tap = 0; tap < TAPS; tap += 1) {
      const distance = tap - (MIDDLE - 1) - phase / PHASES;
      const x = Math.PI * distance * cutoff;
      const sinc = distance === 0 ? 1 : Math.sin(x) / x;
      const window = 0.5 + 0.5 * Math.cos((Math.PI * distance) / MIDDLE); // Hann
      row[tap] = sinc * Math.max(0, window);
      sum += row[tap];
    }
    for (let tap = 0; tap < TAPS; tap += 1) row[tap] /= sum; // the same loudness in every phase
  }
  return weights;
}

// Turns a stream of samples at `from` Hz into one at `to` Hz; late by `MIDDLE` source samples.
export class Resampler {
  constructor(from, to) {
    this.step = from / to;
    this.weights = table(Math.min(1, to / from));
    this.reset();
  }

  reset() {
    this.window = new Float32Array(TAPS);
    this.phase = 1; // the first output takes a sample first
  }

  // Writes to `output` from index `at` on; `next` gives a source sample, or null when there is none for now. Returns the
  // index behind the last sample that was written.
  fill(output, at, next) {
    while (at < output.length) {
      while (this.phase >= 1) {
        const sample = next();
        if (sample === null) return at;
        this.window.copyWithin(0, 1);
        this.window[TAPS - 1] = sample;
        this.phase -= 1;
      }
      const row = Math.round(this.phase * PHASES) * TAPS;
      let sum = 0;
      for (let tap = 0; tap < TAPS; tap += 1) sum += this.window[tap] * this.weights[row + tap];
      output[at] = sum;
      at += 1;
      this.phase += this.step;
    }
    return at;
  }
}
