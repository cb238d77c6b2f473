// Plays a clip again: from any moment, with pauses. Dispatches "change" when it begins, pauses, moves or ends, and
// "failed" with a `Failure` as detail.

import { clipMs, samplesFrom } from "./clip.js";
import { Failure } from "./api.js";
import { Player } from "./player.js";

export class ClipPlayer extends EventTarget {
  #clip = null;
  #fromMs = 0; // where it plays from, or rests
  #playing = false;
  #player = null;
  #opening = null; // the player, on its way
  #closed = false;

  // The clip that is played next, from its beginning; null: none.
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
    const playedMs = this.#playing ? (this.#player?.heardMs ?? 0) : 0;
    return Math.min(this.#fromMs + playedMs, this.lengthMs);
  }

  // Plays on from where it rests; from the beginning where that is the end. Call it inside a click or a key press.
  async play() {
    const clip = this.#clip;
    if (!clip || this.#playing) return;
    if (this.#fromMs >= this.lengthMs) this.#fromMs = 0;
    this.#playing = true;
    this.#changed();
    try {
      await this.#wake();
    } catch (failure) {
      this.#stop();
      this.dispatchEvent(new CustomEvent("failed", { detail: failure }));
      return;
    }
    if (this.#clip !== clip || !this.#playing || this.#closed) return;
    this.#start();
  }

  pause() {
    if (!this.#playing) return;
    this.#fromMs = this.positionMs;
    this.#stop();
  }

  // Goes to a moment of the clip, and plays on from there if it was playing.
  seek(ms) {
    if (!this.#clip) return;
    this.#fromMs = Math.max(0, Math.min(ms, this.lengthMs));
    if (this.#playing && this.#player) this.#start();
    this.#changed();
  }

  close() {
    this.#closed = true;
    this.#playing = false;
    this.#player?.close();
    this.#player = null;
  }

  #start() {
    this.#player.clear();
    this.#player.push(samplesFrom(this.#clip, this.#fromMs));
    this.#player.finish();
  }

  #stop() {
    this.#player?.clear();
    this.#playing = false;
    this.#changed();
  }

  async #wake() {
    this.#opening ??= this.#open();
    await this.#opening;
    await this.#player.wake();
  }

  async #open() {
    const player = await Player.open();
    if (this.#closed) {
      player.close();
      return;
    }
    this.#player = player;
    player.addEventListener("ended", () => {
      this.#fromMs = this.lengthMs;
      this.#stop();
    });
    player.addEventListener("silenced", () => this.pause());
    player.addEventListener("broken", () => {
      this.#fromMs = this.positionMs;
      player.close();
      this.#player = null; // the next press gets a fresh one
      this.#opening = null;
      this.#stop();
      const failure = new Failure("The browser's audio thread stopped. Press Play again.", { code: "player_broke" });
      this.dispatchEvent(new CustomEvent("failed", { detail: failure }));
    });
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
}
