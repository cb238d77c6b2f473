/** Requests to one server: credentials, timeouts, errors, and retries of clips. */

import { pauseMs, RequestWatch } from "./clip.js";
import { ConnectionFailedError, messageOf, refusal } from "./errors.js";
import { wireSettings, type ClipSettings, type Credential } from "./options.js";
import { sleep } from "./timers.js";

/** A successful response whose body has not been read, and the `RequestWatch` of its request. */
export interface Answer {
  readonly response: Response;
  readonly watch: RequestWatch;
}

export class Requests {
  readonly url: string;
  readonly #credential: Credential;
  readonly #fetch: typeof fetch;

  /** `url` is the address of the server, without a trailing slash. */
  constructor(url: string, credential: Credential, fetchInstead?: typeof fetch) {
    this.url = url;
    this.#credential = credential;
    this.#fetch = fetchInstead ?? ((...request) => fetch(...request));
  }

  /** Returns the API key, or a token for one request. */
  async credentials(): Promise<string> {
    return typeof this.#credential === "string" ? this.#credential : this.#credential();
  }

  /** Requests a clip. A request that fails with a retryable error is sent up to twice more. */
  async clip(path: string, text: string, settings: ClipSettings, signal: AbortSignal | undefined): Promise<Answer> {
    const body = JSON.stringify({ text: text.toWellFormed(), ...wireSettings(settings) });
    const watchPause = signal ?? new AbortController().signal;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.send("POST", path, body, signal);
      } catch (error) {
        const pause = pauseMs(attempt, error, Math.random());
        if (pause === undefined) throw error;
        await sleep(pause, watchPause);
        watchPause.throwIfAborted();
      }
    }
  }

  async send(method: string, path: string, body: string | undefined, caller: AbortSignal | undefined): Promise<Answer> {
    caller?.throwIfAborted();
    const headers: Record<string, string> = { authorization: `Bearer ${await this.credentials()}` };
    if (body !== undefined) headers["content-type"] = "application/json";
    const watch = new RequestWatch(caller);
    let response: Response;
    let refused: string;
    try {
      const request: RequestInit = { method, headers, signal: watch.signal, credentials: "omit" };
      if (body !== undefined) request.body = body;
      response = await this.#fetch(this.url + path, request);
      if (response.ok) return { response, watch };
      refused = await response.text();
    } catch (error) {
      watch.end();
      watch.check();
      throw new ConnectionFailedError(`no response from ${this.url}: ${messageOf(error)}`, { cause: error });
    }
    watch.end();
    throw refusal(response.status, refused, response.headers.get("retry-after"));
  }
}
