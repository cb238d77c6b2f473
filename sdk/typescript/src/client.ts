/** Client for one server. */

import { ClipStream, type Clip } from "./clip.js";
import { signedClipUrl, type ClipUrlSettings } from "./clip-url.js";
import type { Patience } from "./connection.js";
import { ShrutiError } from "./errors.js";
import { serverUrl, type ClipSettings, type ConversationSettings, type Credential } from "./options.js";
import { Requests } from "./requests.js";
import { Session } from "./session.js";
import type { OpenSocket } from "./socket.js";
import { TimedClipStream, type TimedClip } from "./timed.js";

export interface ClientOptions {
  /** Address of the server. Default: `SHRUTI_SERVER`, or http://127.0.0.1:8080; in a page, the origin of the page. */
  baseUrl?: string | undefined;
  /**
   * API key, or a function that returns the current key. Default: `SHRUTI_API_KEY`. Do not use an API key in a page.
   */
  apiKey?: Credential | undefined;
  /** Function that fetches a single-use token for each request, for pages and programs that must not have a key. */
  token?: (() => string | Promise<string>) | undefined;
  /** Replacement for the global `fetch`. */
  fetch?: typeof fetch | undefined;
}

/** Single-use token for a page, as returned by `POST /v1/tokens`. */
export interface Token {
  readonly token: string;
  readonly expires_in_ms: number;
  readonly expires_at_ms: number;
  readonly opens: readonly string[];
  readonly origins: readonly string[];
}

/** Parts of the client that differ between Node and browsers. */
export interface Platform {
  readonly openSocket: OpenSocket;
  readonly defaultUrl: () => string;
  readonly defaultKey: () => string | undefined;
  readonly patience?: Patience;
}

export interface WithSignal {
  /** Aborting this signal aborts the operation. The operation then throws the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** Options for a conversation. */
export interface ConnectOptions extends ConversationSettings, WithSignal {
  /**
   * Whether to reconnect after the connection is lost; `true` by default. If `false`, the loss of the connection ends
   * the conversation. Use `false` in programs whose user presses a button to start each conversation.
   */
  reconnect?: boolean | undefined;
}

/** @internal Base class of `Client`, for any platform. */
export class BaseClient {
  readonly #requests: Requests;
  readonly #platform: Platform;

  constructor(options: ClientOptions, platform: Platform) {
    const credential = options.token ?? options.apiKey ?? platform.defaultKey();
    if (!credential) throw new ShrutiError("no API key: pass `apiKey` or `token`, or set SHRUTI_API_KEY");
    this.#requests = new Requests(serverUrl(options.baseUrl ?? platform.defaultUrl()), credential, options.fetch);
    this.#platform = platform;
  }

  /** Speaks a text of at most 5,000 characters, and returns the whole clip. */
  async tts(text: string, options: ClipSettings & WithSignal = {}): Promise<Clip> {
    const stream = await this.ttsStream(text, options);
    return { audio: await stream.bytes(), info: stream.info };
  }

  /**
   * Speaks a text and returns the audio as a stream during synthesis. Before the first byte, a request that fails with
   * a retryable error is sent up to twice more. After the first byte, it is never sent again.
   */
  async ttsStream(text: string, options: ClipSettings & WithSignal = {}): Promise<ClipStream> {
    const { response, watch } = await this.#requests.clip("/v1/tts", text, options, options.signal);
    return new ClipStream(response, watch);
  }

  /** Speaks a text and returns the whole clip with word timestamps. */
  async ttsTimed(text: string, options: ClipSettings & WithSignal = {}): Promise<TimedClip> {
    return (await this.ttsTimedStream(text, options)).read();
  }

  /**
   * Speaks a text and returns pieces of audio with their words as a stream during synthesis. Retries are as for
   * `ttsStream`.
   */
  async ttsTimedStream(text: string, options: ClipSettings & WithSignal = {}): Promise<TimedClipStream> {
    const { response, watch } = await this.#requests.clip("/v1/tts/timed", text, options, options.signal);
    return new TimedClipStream(text, response, watch);
  }

  /**
   * Returns the signed URL of a clip, for telephone platforms and `<audio src>`. The URL is signed locally, with a
   * secret that is derived from the API key, and does not contain the key.
   */
  async signClipUrl(text: string, settings: ClipUrlSettings = {}): Promise<string> {
    return signedClipUrl(this.#requests.url, await this.#requests.credentials(), text, settings);
  }

  /**
   * Opens a conversation with these settings. Aborting the signal closes the conversation, even after this call has
   * returned.
   */
  async connect(options: ConnectOptions = {}): Promise<Session> {
    const { openSocket, patience } = this.#platform;
    const connect = async (signal: AbortSignal) =>
      openSocket(this.#requests.url, await this.#requests.credentials(), signal);
    return new Session(connect, options, patience, options.reconnect).open(options.signal);
  }

  /** Returns the available voices: the response to `GET /v1/voices`. */
  voices(options: WithSignal = {}): Promise<Record<string, unknown>> {
    return this.#json("GET", "/v1/voices", options.signal);
  }

  /** Returns the supported languages: the response to `GET /v1/languages`. */
  languages(options: WithSignal = {}): Promise<Record<string, unknown>> {
    return this.#json("GET", "/v1/languages", options.signal);
  }

  /** Returns the usage of the key on the days from `from` to `to` (`2026-01-31`), inclusive. */
  usage(options: { from?: string; to?: string } & WithSignal = {}): Promise<Record<string, unknown>> {
    const days = Object.entries({ from: options.from, to: options.to }).filter(([, day]) => day !== undefined);
    const query = new URLSearchParams(days as [string, string][]).toString();
    return this.#json("GET", `/v1/usage${query && `?${query}`}`, options.signal);
  }

  /** Creates a single-use token for a web page. */
  createToken(options: WithSignal = {}): Promise<Token> {
    return this.#json("POST", "/v1/tokens", options.signal);
  }

  async #json<T>(method: string, path: string, signal: AbortSignal | undefined): Promise<T> {
    const { response, watch } = await this.#requests.send(method, path, undefined, signal);
    try {
      return (await response.json()) as T;
    } finally {
      watch.end();
    }
  }
}
