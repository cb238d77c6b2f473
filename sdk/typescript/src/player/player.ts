/** Player for the turns of a conversation. When the user interrupts, it reports what was heard. */

import { ShrutiError } from "../errors.js";
import type { Cancelled } from "../events.js";
import type { Session, Text, Turn, TurnOptions } from "../session.js";

export const SAMPLE_RATE = 24_000;
export const BYTES_PER_MS = 48;
const FORMAT = "pcm_24000";
/** Maximum number of bytes per write to the sink: 20 ms. */
const SLICE_BYTES = 20 * BYTES_PER_MS;
/** Interval of the position reports to the server, in milliseconds. */
const REPORT_MS = 250;

/** Playback failed: no audio output is available, it has stopped, or the audio format is not supported. */
export class PlayerError extends ShrutiError {}

/** Destination of samples: 16-bit little-endian, 24,000 per second, mono. */
export interface Sink {
  /** Plays samples after the previous ones. Resolves when more samples are accepted. */
  write(samples: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Ends a turn: plays its remaining samples without waiting for more. */
  finish(): void;
  /** Length of the audio that was heard since the sink was created or last cleared, in milliseconds. */
  readonly heardMs: number;
  /** Resolves when all samples were heard. */
  drained(): Promise<void>;
  /** Stops the audio immediately and drops the rest. Resolves pending writes. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

/** A turn on the timeline of the sink. */
interface Span {
  readonly turn: Turn;
  readonly startMs: number;
  endMs: number;
}

/** @internal Base class of `Player`, for any sink. */
export class BasePlayer implements AsyncDisposable {
  readonly #session: Session;
  readonly #sink: Sink;
  #waiting: Turn[] = [];
  #spans: Span[] = [];
  #playing: Promise<void> | undefined;
  /** Number of times that playback was stopped. A playback loop that started with a lower number ends. */
  #round = 0;
  #reports: ReturnType<typeof setInterval> | undefined;

  constructor(session: Session, sink: Sink) {
    this.#session = session;
    this.#sink = sink;
  }

  /** Speaks a turn and plays it after the previous turns. */
  say(text: Text, options: TurnOptions = {}): Turn {
    const turn = this.#session.say(text, options);
    this.play(turn);
    return turn;
  }

  /** Plays a turn after the previous turns. No other code may take its events. */
  play(turn: Turn): void {
    this.#waiting.push(turn);
    this.#playing ??= this.#playAll(this.#round);
    // avoids an unhandled rejection; `finished` throws the error
    this.#playing.catch(() => undefined);
  }

  /** Length of the current turn's audio that was heard, in milliseconds; 0 without a current turn. */
  get playedMs(): number {
    const span = this.#heard();
    return span ? this.#place(span) : 0;
  }

  /** Stops the audio immediately, cancels every turn, and returns what was heard of the turn that was playing. */
  async interrupt(): Promise<Cancelled> {
    const [span, waits] = [this.#heard(), this.#waiting.length > 0];
    const playedMs = span ? this.#place(span) : waits ? 0 : undefined;
    this.#stop();
    const clearing = this.#sink.clear();
    const [answer] = await Promise.all([this.#session.interrupt(playedMs, span?.turn), clearing]);
    return answer;
  }

  /** Waits until everything was heard. Throws the error of a turn that failed. */
  async finished(): Promise<void> {
    while (this.#playing) await this.#playing;
    await this.#sink.drained();
  }

  /** Stops the audio immediately and closes the sink. The conversation stays open. */
  async close(): Promise<void> {
    this.#stop();
    await this.#sink.clear();
    await this.#sink.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #stop(): void {
    this.#round += 1;
    this.#waiting = [];
    this.#spans = [];
    this.#playing = undefined;
    clearInterval(this.#reports);
  }

  #heard(): Span | undefined {
    const heardMs = this.#sink.heardMs;
    return this.#spans.find((span) => heardMs < span.endMs) ?? this.#spans.at(-1);
  }

  #place(span: Span): number {
    return Math.max(0, Math.min(this.#sink.heardMs, span.endMs) - span.startMs);
  }

  async #playAll(round: number): Promise<void> {
    clearInterval(this.#reports);
    this.#reports = setInterval(() => this.#report(), REPORT_MS);
    try {
      for (let turn = this.#waiting.shift(); turn && round === this.#round; turn = this.#waiting.shift()) {
        await this.#playOne(turn, round);
      }
    } finally {
      if (round === this.#round) {
        this.#playing = undefined;
        clearInterval(this.#reports);
      }
    }
  }

  async #playOne(turn: Turn, round: number): Promise<void> {
    const startMs = this.#spans.at(-1)?.endMs ?? 0;
    const span: Span = { turn, startMs, endMs: startMs };
    for await (const event of turn) {
      if (round !== this.#round) return;
      if (event.type === "started") {
        if (event.outputFormat !== FORMAT)
          throw new PlayerError(`${event.outputFormat} cannot be played, only ${FORMAT}`);
        // remove turns that were heard completely
        this.#spans = [...this.#spans.filter((old) => old.endMs > this.#sink.heardMs), span];
      } else if (event.type === "audio") {
        for (let at = 0; at < event.data.length; at += SLICE_BYTES) {
          const slice = event.data.slice(at, at + SLICE_BYTES);
          span.endMs += slice.length / BYTES_PER_MS;
          await this.#sink.write(slice);
          if (round !== this.#round) return;
        }
      }
    }
    this.#sink.finish();
  }

  #report(): void {
    const span = this.#heard();
    const type = span?.turn.outcome?.type;
    if (!span || (type !== undefined && type !== "done")) return;
    try {
      span.turn.played(this.#place(span));
    } catch {
      // the conversation has ended; its consumer gets the error
    }
  }
}
