/** Sink on the browser's audio thread. */

import { deferred, type Deferred } from "../timers.js";
import { AudioThread, type AudioThreadOptions } from "./audio-thread.js";
import { PlayerError, type Sink } from "./player.js";

/** Maximum length of audio that is buffered but not heard yet, in milliseconds. */
const MAX_AHEAD_MS = 5_000;

export type WorkletOptions = AudioThreadOptions;

export class WorkletSink implements Sink {
  /**
   * The audio thread. It dispatches events when audio starts, when the browser silences the page, and when the thread
   * fails.
   */
  readonly thread: AudioThread;
  readonly #ready: Promise<void>;
  #clears = 0;
  #waiters: { enough: () => boolean; done: Deferred<void> }[] = [];
  #broken: PlayerError | undefined;

  constructor(options: WorkletOptions = {}) {
    if (!("AudioWorklet" in globalThis)) {
      throw new PlayerError(
        "this page has no AudioWorklet: browsers provide it only for pages over https or from localhost",
      );
    }
    this.thread = new AudioThread(options);
    this.#ready = this.thread.ready.catch((cause: unknown) => {
      const wanted = "set `workletUrl` to the URL of @shruti/client/worklet";
      throw new PlayerError(`the player's script could not be loaded: ${wanted}`, { cause });
    });
    // avoids an unhandled rejection; `write` throws the error
    this.#ready.catch(() => undefined);
    this.thread.addEventListener("moved", () => this.#look());
    this.thread.addEventListener("broken", () => {
      this.#broken = new PlayerError("the browser's audio thread stopped");
      for (const { done } of this.#waiters.splice(0)) done.reject(this.#broken);
    });
  }

  get context(): AudioContext {
    return this.thread.context;
  }

  /** Length of the audio that the listener has heard, in milliseconds. */
  get heardMs(): number {
    return this.thread.heardMs;
  }

  async write(samples: Uint8Array<ArrayBuffer>): Promise<void> {
    const clears = this.#clears;
    await this.#ready;
    if (clears !== this.#clears) return;
    this.thread.push(new Int16Array(samples.buffer, samples.byteOffset, samples.byteLength / 2));
    await this.#until(() => this.thread.pushedMs - this.thread.heardMs <= MAX_AHEAD_MS);
  }

  finish(): void {
    this.thread.finish();
  }

  async drained(): Promise<void> {
    await this.#until(() => this.thread.playedMs >= this.thread.pushedMs);
    await new Promise((resolve) => setTimeout(resolve, this.thread.delayMs));
  }

  clear(): Promise<void> {
    this.#clears += 1;
    this.thread.clear();
    for (const { done } of this.#waiters.splice(0)) done.resolve();
    return Promise.resolve();
  }

  close(): Promise<void> {
    return this.thread.close();
  }

  #look(): void {
    const waiters = this.#waiters;
    this.#waiters = waiters.filter(({ enough }) => !enough());
    for (const waiter of waiters) if (!this.#waiters.includes(waiter)) waiter.done.resolve();
  }

  /**
   * Waits until `enough` returns `true`. Checks it now and after each report of the audio thread. `clear` ends the
   * wait.
   */
  async #until(enough: () => boolean): Promise<void> {
    if (this.#broken) throw this.#broken;
    if (enough()) return;
    const waiter = { enough, done: deferred<void>() };
    this.#waiters.push(waiter);
    await waiter.done.promise;
  }
}
