/** One text, spoken: whole, or as a stream that is heard while it is made. */

import { APIError, ConnectionLostError, messageOf, ShrutiError } from "./errors.js";

/** Attempts in all, the first pause between two of them, and the longest that is waited. */
const ATTEMPTS = 3;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 60_000;
/** How long a server may be silent: a clip's first sample comes within 30 s. */
export const SILENCE_MS = 35_000;

/** What the head of the answer tells. */
export interface ClipInfo {
  readonly voice: string | undefined;
  readonly language: string | undefined;
  /** The kind of synthesis that spoke, as `voices()` names it. */
  readonly engine: string | undefined;
  /** Characters that the clip costs when it is sent whole. */
  readonly chars: number | undefined;
  /** Inside the server, from the request's last byte to the first audible sample. */
  readonly ttfaMs: number | undefined;
  readonly requestId: string | undefined;
  readonly contentType: string | undefined;
  /** How the sound is coded: `pcm_s16le` where nothing else was asked for. */
  readonly encoding: string | undefined;
}

/** A text, spoken whole. */
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

/** How long to wait before a clip is asked for again; `undefined` for not at all. `chance` is from 0 to 1. */
export function pauseMs(attempt: number, error: unknown, chance: number): number | undefined {
  if (attempt >= ATTEMPTS || !(error instanceof ShrutiError) || !error.retryable) return undefined;
  const told = error instanceof APIError ? error.retryAfterMs : undefined;
  const pause = told ?? FIRST_PAUSE_MS * 2 ** (attempt - 1) * (0.5 + chance / 2);
  return pause <= LONGEST_PAUSE_MS ? pause : undefined;
}

/** The error of an answer that broke off. It is not asked for again: some of it may have been heard. */
export function lost(error: unknown): ConnectionLostError {
  return new ConnectionLostError(`the connection broke: ${messageOf(error)}`, { retryable: false, cause: error });
}

/** Chunks as one. */
export function joined(chunks: readonly Uint8Array<ArrayBuffer>[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** Ends a request whose server is silent for too long, or that the caller ends. */
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

  /** The server has said something. */
  heard(): void {
    clearTimeout(this.#timer);
    const silent = () => this.#controller.abort(new Error(`nothing came for ${SILENCE_MS / 1000} s`));
    this.#timer = setTimeout(silent, SILENCE_MS);
  }

  /** Nothing is awaited until the server is asked for more; the caller may still end it. */
  rest(): void {
    clearTimeout(this.#timer);
  }

  /** Nothing more is awaited. */
  end(): void {
    clearTimeout(this.#timer);
    this.#forget();
  }

  /** Throws the caller's reason, if the caller has ended it. */
  check(): void {
    this.#caller?.throwIfAborted();
  }
}

/**
 * A clip that is heard while it is made: `for await (const chunk of stream)`. Leaving the loop ends the server's work.
 * What breaks off is not asked for again: some of it may have been heard.
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
    if (!this.#reader) watch.end();
    // who takes its time is not waited for
    watch.heard();
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

  /** All that is still to come. */
  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    const chunks: Uint8Array<ArrayBuffer>[] = [];
    for await (const chunk of this) chunks.push(chunk);
    return joined(chunks);
  }

  /** Ends it now, and with it the server's work. */
  async close(): Promise<void> {
    this.#watch.end();
    await this.#reader?.cancel().catch(() => undefined);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
