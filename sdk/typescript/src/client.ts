/** A client of one server. */

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
  /** The server's address. Left out: `SHRUTI_SERVER`, or http://127.0.0.1:8080; in a page, the page's own server. */
  baseUrl?: string | undefined;
  /** The API key, or a function that gives the key of the day. Left out: `SHRUTI_API_KEY`. Never in a page. */
  apiKey?: Credential | undefined;
  /** Fetches a single-use token for each request, for pages and programs that must not hold a key. */
  token?: (() => string | Promise<string>) | undefined;
  /** In place of the global `fetch`. */
  fetch?: typeof fetch | undefined;
}

/** A single-use token for a page, as `POST /v1/tokens` answers. */
export interface Token {
  readonly token: string;
  readonly expires_in_ms: number;
  readonly expires_at_ms: number;
  readonly opens: readonly string[];
  readonly origins: readonly string[];
}

/** What differs between Node and browsers. */
export interface Platform {
  readonly openSocket: OpenSocket;
  readonly defaultUrl: () => string;
  readonly defaultKey: () => string | undefined;
  readonly patience?: Patience;
}

export interface WithSignal {
  /** Ends what was asked for; it throws the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** @internal `Client` for whatever it runs on. */
export class BaseClient {
  readonly #requests: Requests;
  readonly #platform: Platform;

  constructor(options: ClientOptions, platform: Platform) {
    const credential = options.token ?? options.apiKey ?? platform.defaultKey();
    if (!credential) throw new ShrutiError("there is no API key: give `apiKey` or `token`, or set SHRUTI_API_KEY");
    this.#requests = new Requests(serverUrl(options.baseUrl ?? platform.defaultUrl()), credential, options.fetch);
    this.#platform = platform;
  }

  /** Has a text of at most 5,000 characters spoken, and gives it whole. */
  async tts(text: string, options: ClipSettings & WithSignal = {}): Promise<Clip> {
    const stream = await this.ttsStream(text, options);
    return { audio: await stream.bytes(), info: stream.info };
  }

  /**
   * Has a text spoken, and gives the sound while it is made. What is refused for the moment is asked for again, twice,
   * before the first byte; never behind it.
   */
  async ttsStream(text: string, options: ClipSettings & WithSignal = {}): Promise<ClipStream> {
    const { response, watch } = await this.#requests.clip("/v1/tts", text, options, options.signal);
    return new ClipStream(response, watch);
  }

  /** Has a text spoken, and gives it whole, with the time of each word. */
  async ttsTimed(text: string, options: ClipSettings & WithSignal = {}): Promise<TimedClip> {
    return (await this.ttsTimedStream(text, options)).read();
  }

  /** Has a text spoken, and gives pieces of the sound with their words while they are made; see `ttsStream`. */
  async ttsTimedStream(text: string, options: ClipSettings & WithSignal = {}): Promise<TimedClipStream> {
    const { response, watch } = await this.#requests.clip("/v1/tts/timed", text, options, options.signal);
    return new TimedClipStream(text, response, watch);
  }

  /**
   * The URL of a clip, for what plays a URL: telephone platforms, `<audio src>`. It is signed here, with a secret that is
   * derived from the API key, and does not hold the key.
   */
  async signClipUrl(text: string, settings: ClipUrlSettings = {}): Promise<string> {
    return signedClipUrl(this.#requests.url, await this.#requests.credentials(), text, settings);
  }

  /** A conversation with these settings, once it is open. The signal ends it, also later. */
  async connect(options: ConversationSettings & WithSignal = {}): Promise<Session> {
    const { openSocket, patience } = this.#platform;
    const connect = async (signal: AbortSignal) =>
      openSocket(this.#requests.url, await this.#requests.credentials(), signal);
    return new Session(connect, options, patience).open(options.signal);
  }

  /** What `GET /v1/voices` lists. */
  voices(options: WithSignal = {}): Promise<Record<string, unknown>> {
    return this.#json("GET", "/v1/voices", options.signal);
  }

  /** What `GET /v1/languages` lists. */
  languages(options: WithSignal = {}): Promise<Record<string, unknown>> {
    return this.#json("GET", "/v1/languages", options.signal);
  }

  /** What the key has had spoken on the days from `from` to `to` (`2026-01-31`), both included. */
  usage(options: { from?: string; to?: string } & WithSignal = {}): Promise<Record<string, unknown>> {
    const days = Object.entries({ from: options.from, to: options.to }).filter(([, day]) => day !== undefined);
    const query = new URLSearchParams(days as [string, string][]).toString();
    return this.#json("GET", `/v1/usage${query && `?${query}`}`, options.signal);
  }

  /** A single-use token for a web page. */
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
