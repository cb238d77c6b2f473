/** Clips, as whole recordings or as streams. A clip is the audio of one text. */

import { APIError, ConnectionLostError, messageOf, ShrutiError } from "./errors.js";

/** Maximum number of attempts, and the initial and the longest pause between two attempts, in milliseconds. */
const ATTEMPTS = 3;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 60_000;
/**
 * Maximum time without data from the server, in milliseconds. The server sends the first sample of a clip within 30 s.
 */
export const SILENCE_MS = 35_000;

/** Information about a clip, taken from the response headers. */
export interface ClipInfo {
  readonly voice: string | undefined;
  readonly language: string | undefined;
  /** Synthesis engine that was used, as named in `voices()`. */
  readonly engine: string | undefined;
  /** Number of characters charged for the whole clip. */
  readonly chars: number | undefined;
  /** Server-side latency in milliseconds, from the last byte of the request to the first audible sample. */
  readonly ttfaMs: number | undefined;
  readonly requestId: string | undefined;
  readonly contentType: string | undefined;
  /** Encoding of the audio; `pcm_s16le` by default. */
  readonly encoding: string | undefined;
}

/** A whole clip. */
export interface Clip {
  readonly audio: Uint8Array<ArrayBuffer>;
  readonly info: ClipInfo;
}

function infoOf(headers: Headers): ClipInfo {
  const told = (name: string) => headers.get(name) ?? undefined;
  const ttfa = /ttfa;dur=([0-9.]+)/.exec(told("server-timing") ?? "")?.[1];
  const chars = told("x-tts-chars");
  return {
    voice: told("x-tts-voice"),
    language: told("x-tts-language"),
    engine: told("x-tts-engine"),
    chars: chars !== undefined && /^\d+$/.test(chars) ? Number(chars) : undefined,
    ttfaMs: ttfa === undefined ? undefined : Number(ttfa),
    requestId: told("x-request-id"),
    contentType: told("content-type"),
    encoding: told("x-audio-encoding"),
  };
}

/**
 * Returns the pause before the next attempt, in milliseconds, or `undefined` if no attempt follows. `chance` is a
 * random number from 0 to 1.
 */
export function pauseMs(attempt: number, error: unknown, chance: number): number | undefined {
  if (attempt >= ATTEMPTS || !(error instanceof ShrutiError) || !error.retryable) return undefined;
  const told = error instanceof APIError ? error.retryAfterMs : undefined;
  const pause = told ?? FIRST_PAUSE_MS * 2 ** (attempt - 1) * (0.5 + chance / 2);
  return pause <= LONGEST_PAUSE_MS ? pause : undefined;
}

/**
 * Returns the error for an interrupted response. It is not retryable, because part of the audio may have been heard.
 */
export function lost(error: unknown): ConnectionLostError {
  return new ConnectionLostError(`the connection was lost: ${messageOf(error)}`, { retryable: false, cause: error });
}

/** Concatenates chunks. */
export function joined(chunks: readonly Uint8Array<ArrayBuffer>[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** Aborts a request when the server is silent for too long, or when the caller aborts it. */
export class RequestWatch {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #forget: () => void;

  constructor(caller: AbortSignal | undefined) {
    this.#caller = caller;
    const end = () => this.#controller.abort(caller?.reason);
    caller?.addEventListener("abort", end);
    this.#forget = () => caller?.removeEventListener("abort", end);
    if (caller?.aborted) end();
    else this.heard();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Restarts the timeout. */
  heard(): void {
    clearTimeout(this.#timer);
    const silent = () => this.#controller.abort(new Error(`no data was received for ${SILENCE_MS / 1000} s`));
    this.#timer = setTimeout(silent, SILENCE_MS);
  }

  /** Stops the timeout until the next read. The caller can still abort the request. */
  rest(): void {
    clearTimeout(this.#timer);
  }

  /** Stops the timeout, and ignores the caller's signal from now on. */
  end(): void {
    clearTimeout(this.#timer);
    this.#forget();
  }

  /** Throws the reason of the caller's signal if the caller has aborted the request. */
  check(): void {
    this.#caller?.throwIfAborted();
  }
}

/**
 * A clip that can be played during synthesis: `for await (const chunk of stream)`. Leaving the loop cancels the
 * request. An interrupted response is not requested again, because part of the audio may have been heard.
 */
export class ClipStream implements AsyncIterable<Uint8Array<ArrayBuffer>>, AsyncDisposable {
  readonly info: ClipInfo;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> | undefined;
  readonly #watch: RequestWatch;

  /** @internal */
  constructor(response: Response, watch: RequestWatch) {
    this.info = infoOf(response.headers);
    this.#reader = response.body?.getReader();
    this.#watch = watch;
    // from now on, the timeout runs, except while the caller processes a chunk
    if (this.#reader) watch.heard();
    else watch.end();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
    try {
      for (;;) {
        this.#watch.heard();
        const chunk = await this.#reader?.read();
        this.#watch.rest();
        if (!chunk || chunk.done) return;
        yield chunk.value;
      }
    } catch (error) {
      this.#watch.check();
      throw lost(error);
    } finally {
      await this.close();
    }
  }

  /** Returns the rest of the audio. */
  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    const chunks: Uint8Array<ArrayBuffer>[] = [];
    for await (const chunk of this) chunks.push(chunk);
    return joined(chunks);
  }

  /** Cancels the request. */
  async close(): Promise<void> {
    this.#watch.end();
    await this.#reader?.cancel().catch(() => undefined);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
