// The part of the player that runs on the browser's audio thread: a queue of samples, played one after another, and
// reports of how far it is. Takes messages {type: "samples" | "finish" | "clear", clip, ...}; a clip is what is
// played between two clears, and every message and report names its own.

import { MIDDLE, Resampler } from "./resampler.js";

const SOURCE_RATE = 24_000;
const FULL_SCALE = 32_768;
const BLOCKS_A_REPORT = 4;
// After running dry, playing goes on when so much has come: one gap instead of many.
const REFILL_SAMPLES = SOURCE_RATE * 0.04;
const FADE_SAMPLES = 48; // 2 ms, so that cutting off does not click

class PlayerProcessor extends AudioWorkletProcessor {
  constructor() {
    super();
    this.resampler = sampleRate === SOURCE_RATE ? null : new Resampler(SOURCE_RATE, sampleRate);
    this.start(0);
    this.last = 0;
    this.fade = 0;
    this.next = () => this.take();
    this.port.onmessage = ({ data }) => this.receive(data);
  }

  start(clip) {
    this.clip = clip;
    this.queue = [];
    this.offset = 0; // in the queue's first block
    this.queued = 0;
    this.taken = 0; // source samples that went out
    this.padding = 0; // silence behind the clip that the resampler's window takes
    this.finished = false;
    this.ended = false;
    this.dry = true;
    this.refill = 1;
    this.blocks = 0;
    this.resampler?.reset();
  }

  receive(message) {
    if (message.type === "clear") {
      this.fade = FADE_SAMPLES;
      this.start(message.clip);
    } else if (message.clip !== this.clip) {
      // of a clip that was cleared
    } else if (message.type === "samples") {
      this.queue.push(message.samples);
      this.queued += message.samples.length;
    } else if (message.type === "finish") {
      this.finished = true;
      this.padding = this.resampler ? MIDDLE : 0;
    }
  }

  // The next sample from -1 to 1, or null when there is none.
  take() {
    if (this.queued === 0) {
      if (!this.finished || this.padding === 0) return null;
      this.padding -= 1;
      this.taken += 1;
      return 0;
    }
    const block = this.queue[0];
    const sample = block[this.offset] / FULL_SCALE;
    this.offset += 1;
    this.queued -= 1;
    this.taken += 1;
    if (this.offset === block.length) {
      this.queue.shift();
      this.offset = 0;
    }
    return sample;
  }

  process(_inputs, [[output]]) {
    if (this.dry && (this.queued >= this.refill || (this.finished && this.queued > 0))) {
      this.dry = false;
      this.blocks = 0;
    }
    let at = 0;
    if (!this.dry) {
      this.report();
      at = this.play(output);
      if (at < output.length) {
        this.dry = true;
        this.refill = REFILL_SAMPLES;
        this.tell("position");
      }
    }
    if (at > 0) {
      this.last = output[at - 1];
      this.fade = FADE_SAMPLES;
    }
    for (; at < output.length; at += 1) {
      output[at] = this.fade > 0 ? (this.last * this.fade) / FADE_SAMPLES : 0;
      this.fade = Math.max(0, this.fade - 1);
    }
    if (this.finished && !this.ended && this.queued === 0 && this.padding === 0) {
      this.ended = true;
      this.tell("ended");
    }
    return true;
  }

  play(output) {
    if (this.resampler) return this.resampler.fill(output, 0, this.next);
    let at = 0;
    for (; at < output.length; at += 1) {
      const sample = this.take();
      if (sample === null) break;
      output[at] = sample;
    }
    return at;
  }

  report() {
    if (this.blocks % BLOCKS_A_REPORT === 0) this.tell("position");
    this.blocks += 1;
  }

  // `time`: of the block that is being made, on the context's clock; `played`: samples of the clip before it.
  tell(type) {
    const played = Math.max(0, this.taken - (this.resampler ? MIDDLE : 0));
    this.port.postMessage({ type, clip: this.clip, time: currentTime, played, dry: this.dry });
  }
}

registerProcessor("player", PlayerProcessor);
