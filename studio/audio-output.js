// A `Player` that is opened at the first press and anew when it broke. Dispatches "ended" when a clip was heard to its end,
// and "failed" with a `Failure` as detail when the sound stops before.

import { Failure } from "./api.js";
import { Player } from "./player.js";

export class AudioOutput extends EventTarget {
  #player = null;
  #opening = null; // the player, on its way
  #closed = false;

  // Gets ready to sound; call it inside a click or a key press. Throws a `Failure` where the browser does not let it.
  async wake() {
    if (!this.#player) {
      this.#opening ??= this.#open();
      try {
        await this.#opening;
      } finally {
        this.#opening = null;
      }
    }
    await this.#player?.wake();
  }

  // How much of the clip has left the loudspeaker, in milliseconds.
  get heardMs() {
    return this.#player?.heardMs ?? 0;
  }

  // As those of `Player`; nothing happens where none is open.
  push(samples) {
    this.#player?.push(samples);
  }

  finish() {
    this.#player?.finish();
  }

  clear() {
    this.#player?.clear();
  }

  // Silent for good; the page is left.
  close() {
    this.#closed = true;
    this.#player?.close();
    this.#player = null;
  }

  async #open() {
    const player = await Player.open();
    if (this.#closed) {
      player.close();
      return;
    }
    this.#player = player;
    player.addEventListener("ended", () => this.dispatchEvent(new Event("ended")));
    player.addEventListener("silenced", () => this.#fail("The browser or the system has stopped this page's sound.", "sound_stopped"));
    player.addEventListener("broken", () => {
      player.close();
      this.#player = null; // the next press gets a fresh one
      this.#fail("The browser's audio thread stopped. Press again.", "player_broke");
    });
  }

  #fail(message, code) {
    this.dispatchEvent(new CustomEvent("failed", { detail: new Failure(message, { code }) }));
  }
}
