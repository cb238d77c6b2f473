/** Player that speaks passages one after another and reports the current word. */

import type { Word } from "../events.js";
import { AudioThread, type AudioThreadOptions } from "../player/audio-thread.js";
import type { SpeechSettings, SpeechSource } from "./source.js";

/** Maximum length of audio that is buffered but not heard yet, in milliseconds. */
const AHEAD_MS = 8_000;
const SAMPLES_A_MS = 24;

/** Text to speak. */
export interface Passage {
  readonly text: string;
  /** Language code such as `hi`. If omitted, the language is detected. */
  readonly language?: string | undefined;
  /** Silence after the text, in milliseconds. */
  readonly pauseMs?: number | undefined;
}

export type PlayerState = "idle" | "loading" | "playing" | "paused";

/** Current word, with its passage. */
export interface HeardWord<P extends Passage> {
  readonly passage: P;
  readonly word: Word;
}

export interface SpeechPlayerEvents<P extends Passage> {
  /** The state has changed. */
  state: PlayerState;
  /**
   * The next word has begun. Every word is reported, in order. If the page was busy or hidden, several are reported
   * together.
   */
  word: HeardWord<P>;
  /** Playback is complete. */
  ended: undefined;
  /** Playback failed and has ended. */
  error: Error;
}

interface Timed<P extends Passage> extends HeardWord<P> {
  readonly startMs: number;
}

/**
 * Plays passages on the browser's audio thread. Create the player, and call `play` and `resume`, in the handler of a
 * click or a key press; otherwise the browser may block the audio.
 */
export class SpeechPlayer<P extends Passage = Passage> {
  readonly #source: SpeechSource;
  readonly #thread: AudioThread;
  readonly #listeners: { [E in keyof SpeechPlayerEvents<P>]?: ((detail: SpeechPlayerEvents<P>[E]) => void)[] } = {};
  #state: PlayerState = "idle";
  #round = new AbortController();
  #words: Timed<P>[] = [];
  #at = -1;
  #isFollowing = false;

  constructor(source: SpeechSource, options: AudioThreadOptions = {}) {
    this.#source = source;
    this.#thread = new AudioThread(options);
    this.#thread.addEventListener("sounding", () => this.#sounds());
    this.#thread.addEventListener("ended", () => this.#ends());
    this.#thread.addEventListener("broken", () => this.#fail(new Error("the browser's audio thread stopped")));
    // for example because of a telephone call or an unplugged device
    this.#thread.addEventListener("silenced", () => this.#state === "playing" && this.#become("paused"));
  }

  get state(): PlayerState {
    return this.#state;
  }

  /** The current word, or `undefined` before the first one. */
  get heard(): HeardWord<P> | undefined {
    return this.#words[this.#at];
  }

  /** Position of the listener in the audio, in milliseconds. */
  get heardMs(): number {
    return this.#thread.heardMs;
  }

  /** Adds a listener. */
  on<E extends keyof SpeechPlayerEvents<P>>(event: E, listener: (detail: SpeechPlayerEvents<P>[E]) => void): void {
    const known = (this.#listeners[event] ??= []) as ((detail: SpeechPlayerEvents<P>[E]) => void)[];
    known.push(listener);
  }

  /**
   * Replaces the current passages with these and plays them. Resolves when they are synthesised, replaced or stopped.
   */
  async play(passages: Iterable<P>, settings: SpeechSettings = {}): Promise<void> {
    this.#drop();
    const { signal } = this.#round;
    this.#become("loading");
    try {
      const [isAwake] = await Promise.all([this.#thread.wake(), this.#thread.ready]);
      if (signal.aborted) return;
      if (!isAwake)
        throw new Error("the browser blocks audio of this page: start playback in a click or key press handler");
      for (const passage of passages) {
        await this.#speak(passage, settings, signal);
        if (signal.aborted) return;
        this.#push(new Int16Array(Math.round((passage.pauseMs ?? 0) * SAMPLES_A_MS)));
      }
      this.#thread.finish();
      if (this.#thread.pushedMs === 0) this.#ends();
    } catch (error) {
      if (!signal.aborted) this.#fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** Pauses at the current position. */
  async pause(): Promise<void> {
    if (this.#state !== "playing" && this.#state !== "loading") return;
    this.#become("paused");
    await this.#thread.context.suspend();
  }

  /** Resumes after a pause. */
  async resume(): Promise<void> {
    if (this.#state !== "paused") return;
    this.#become(this.#words.length > 0 ? "playing" : "loading");
    await this.#thread.wake();
  }

  /** Stops playback. */
  stop(): void {
    this.#drop();
    this.#become("idle");
  }

  /** Stops playback and closes the audio thread. */
  async close(): Promise<void> {
    this.stop();
    await this.#thread.close();
  }

  async #speak(passage: P, settings: SpeechSettings, signal: AbortSignal): Promise<void> {
    const beginsMs = this.#thread.pushedMs;
    const wanted = { ...settings, language: passage.language };
    for await (const { samples, words } of this.#source.speak(passage.text, wanted, signal)) {
      if (signal.aborted) return;
      for (const word of words) this.#words.push({ passage, word, startMs: beginsMs + word.startMs });
      this.#push(samples);
      await this.#room(signal);
    }
  }

  #push(samples: Int16Array<ArrayBuffer>): void {
    if (samples.length > 0) this.#thread.push(samples);
  }

  /** Waits until there is room for more audio. */
  #room(signal: AbortSignal): Promise<void> {
    const isFar = () => !signal.aborted && this.#thread.pushedMs - this.#thread.heardMs > AHEAD_MS;
    if (!isFar()) return Promise.resolve();
    return new Promise((resolve) => {
      const look = () => {
        if (isFar()) return;
        this.#thread.removeEventListener("moved", look);
        signal.removeEventListener("abort", look);
        resolve();
      };
      this.#thread.addEventListener("moved", look);
      signal.addEventListener("abort", look);
    });
  }

  #sounds(): void {
    if (this.#state === "loading") this.#become("playing");
  }

  #ends(): void {
    this.#drop();
    this.#become("idle");
    this.#tell("ended", undefined);
  }

  #fail(error: Error): void {
    this.#drop();
    this.#become("idle");
    this.#tell("error", error);
  }

  #drop(): void {
    this.#round.abort();
    this.#round = new AbortController();
    this.#thread.clear();
    this.#words = [];
    this.#at = -1;
  }

  #become(state: PlayerState): void {
    if (this.#state === state) return;
    this.#state = state;
    if (state === "playing" && !this.#isFollowing) {
      this.#isFollowing = true;
      requestAnimationFrame(this.#follow);
    }
    this.#tell("state", state);
  }

  /** Reports the words that have begun since the last frame. Listeners may call `pause`, `stop` or `play`. */
  readonly #follow = (): void => {
    const { heardMs } = this.#thread;
    let word = this.#words[this.#at + 1];
    while (this.#state === "playing" && word && word.startMs <= heardMs) {
      this.#at += 1;
      this.#tell("word", word);
      word = this.#words[this.#at + 1];
    }
    this.#isFollowing = this.#state === "playing";
    if (this.#isFollowing) requestAnimationFrame(this.#follow);
  };

  #tell<E extends keyof SpeechPlayerEvents<P>>(event: E, detail: SpeechPlayerEvents<P>[E]): void {
    for (const listener of this.#listeners[event] ?? []) listener(detail);
  }
}
