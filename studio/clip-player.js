// Player for clips that can pause and start at any position. Dispatches "change" when it starts, pauses, moves or ends,
// and "failed" with a `Failure` as detail.

import { AudioOutput } from "./audio-output.js";
import { clipMs, samplesFrom } from "./clip.js";

export class ClipPlayer extends EventTarget {
  #clip = null;
  #fromMs = 0; // start of the current playback, or the position while paused, in milliseconds
  #playing = false;
  #awake = false; // whether the output is ready to play
  #output = new AudioOutput();

  constructor() {
    super();
    this.#output.addEventListener("ended", () => {
      this.#fromMs = this.lengthMs;
      this.#stop();
    });
    this.#output.addEventListener("failed", ({ detail }) => this.#fail(detail));
  }

  // Loads a clip and moves to its beginning. Null unloads the current clip.
  load(clip) {
    this.pause();
    this.#clip = clip;
    this.#fromMs = 0;
    this.#changed();
  }

  get clip() {
    return this.#clip;
  }

  get playing() {
    return this.#playing;
  }

  get lengthMs() {
    return this.#clip ? clipMs(this.#clip) : 0;
  }

  get positionMs() {
    const playedMs = this.#awake ? this.#output.heardMs : 0;
    return Math.min(this.#fromMs + playedMs, this.lengthMs);
  }

  // Plays from the current position, or from the beginning if the clip was at its end. Call it in the handler of a
  // click or a key press.
  async play() {
    const clip = this.#clip;
    if (!clip || this.#playing) return;
    if (this.#fromMs >= this.lengthMs) this.#fromMs = 0;
    this.#playing = true;
    this.#changed();
    try {
      await this.#output.wake();
    } catch (failure) {
      this.#fail(failure);
      return;
    }
    if (this.#clip === clip && this.#playing) this.#start();
  }

  pause() {
    if (!this.#playing) return;
    this.#fromMs = this.positionMs;
    this.#stop();
  }

  // Moves to a position of the clip. Playback continues if the clip was playing.
  seek(ms) {
    if (!this.#clip) return;
    this.#fromMs = Math.max(0, Math.min(ms, this.lengthMs));
    if (this.#awake) this.#start();
    this.#changed();
  }

  close() {
    this.#playing = false;
    this.#awake = false;
    this.#output.close();
  }

  #start() {
    this.#awake = true;
    this.#output.clear();
    this.#output.push(samplesFrom(this.#clip, this.#fromMs));
    this.#output.finish();
  }

  #stop() {
    this.#output.clear();
    this.#playing = false;
    this.#awake = false;
    this.#changed();
  }

  #fail(failure) {
    if (!this.#playing) return;
    this.pause();
    this.dispatchEvent(new CustomEvent("failed", { detail: failure }));
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
}
