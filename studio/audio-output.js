// Audio output: plays 16-bit samples at 24 kHz as they arrive. The audio thread starts at the first call to `wake`, and
// at the next call after a failure. Dispatches "ended" when a clip was heard to its end, and "failed", with a `Failure`
// as detail, when the audio stops earlier.

import { AudioThread } from "@shruti/client/player";
import { Failure } from "./api.js";

export class AudioOutput extends EventTarget {
  #player = null;
  #opening = null; // promise of the opened player
  #closed = false;

  // Prepares the output for playback. Call it in the handler of a click or a key press. Throws a `Failure` if the
  // browser refuses.
  async wake() {
    if (!this.#player) {
      this.#opening ??= this.#open();
      try {
        await this.#opening;
      } finally {
        this.#opening = null;
      }
    }
    if (!this.#player || (await this.#player.wake())) return;
    throw new Failure("The browser does not let this page play sound. Allow it, or check that this machine has a sound device, and press again.", { code: "sound_refused" });
  }

  // Length of the clip's audio that has been heard, in milliseconds.
  get heardMs() {
    return this.#player?.heardMs ?? 0;
  }

  // These methods call those of `AudioThread`. They do nothing if no thread is open. Samples (an Int16Array) are
  // copied.
  push(samples) {
    this.#player?.push(samples.slice());
  }

  finish() {
    this.#player?.finish();
  }

  clear() {
    this.#player?.clear();
  }

  // Stops the audio permanently, because the user leaves the page.
  close() {
    this.#closed = true;
    this.#player?.close();
    this.#player = null;
  }

  async #open() {
    if (!("AudioWorklet" in window)) {
      throw new Failure("This browser provides no AudioWorklet for this page, so it cannot play.", { code: "no_audio_worklet" });
    }
    const player = new AudioThread();
    try {
      await player.ready;
    } catch {
      player.close();
      throw new Failure("The player's script could not be loaded into the browser's audio thread.", { code: "no_audio_worklet" });
    }
    if (this.#closed) {
      player.close();
      return;
    }
    this.#player = player;
    player.addEventListener("ended", () => this.dispatchEvent(new Event("ended")));
    player.addEventListener("silenced", () => this.#fail("The browser or the system has stopped this page's sound.", "sound_stopped"));
    player.addEventListener("broken", () => {
      player.close();
      this.#player = null; // the next press opens another player
      this.#fail("The browser's audio thread stopped. Press again.", "player_broke");
    });
  }

  #fail(message, code) {
    this.dispatchEvent(new CustomEvent("failed", { detail: new Failure(message, { code }) }));
  }
}
