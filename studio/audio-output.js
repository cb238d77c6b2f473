// The loudspeaker: plays 16-bit samples of 24 kHz as they arrive. The audio thread starts at the first press, and again
// after it broke. Dispatches "ended" when a clip was heard to its end, and "failed" with a `Failure` as detail when the
// sound stops earlier.

import { AudioThread } from "@shruti/client/player";
import { Failure } from "./api.js";

export class AudioOutput extends EventTarget {
  #player = null;
  #opening = null; // promise of the player
  #closed = false;

  // Prepares for playing; call it inside a click or a key press. Throws a `Failure` if the browser refuses.
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

  // How much of the clip has left the loudspeaker, in milliseconds.
  get heardMs() {
    return this.#player?.heardMs ?? 0;
  }

  // The methods of `AudioThread`. They do nothing if none is open. The samples (an Int16Array) are copied.
  push(samples) {
    this.#player?.push(samples.slice());
  }

  finish() {
    this.#player?.finish();
  }

  clear() {
    this.#player?.clear();
  }

  // Stops the sound for good: the user leaves the page.
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
      this.#player = null; // the next press opens another one
      this.#fail("The browser's audio thread stopped. Press again.", "player_broke");
    });
  }

  #fail(message, code) {
    this.dispatchEvent(new CustomEvent("failed", { detail: new Failure(message, { code }) }));
  }
}
