/** Driver for conformance vectors. It acts as the server, the user and the clock; see sdk/conformance/README.md. */

import { isDeepStrictEqual } from "node:util";
import { vi } from "vitest";

import { BaseClient } from "../src/client.js";
import {
  APIError,
  ConnectionFailedError,
  ConnectionLostError,
  ConversationClosedError,
  ConversationEndedError,
  ProtocolError,
  refusal,
  ShrutiError,
} from "../src/errors.js";
import type { Session, Turn } from "../src/node.js";
import { Inbox, type Frame, type Socket } from "../src/socket.js";
import { deferred, type Deferred } from "../src/timers.js";

export type Json = Record<string, unknown>;
export interface Vector {
  readonly name: string;
  readonly needs?: readonly string[];
  readonly opened?: { config?: Json; tokens?: string[] };
  readonly steps: readonly Json[];
}

export class Mismatch extends Error {}

function must(holds: unknown, why: string): asserts holds {
  if (!holds) throw new Mismatch(why);
}

export function sound(size: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: size }, (_, place) => place % 251);
}

/** A source that never yields anything. */
async function* nothingYet(): AsyncGenerator<string> {
  yield await new Promise<string>(() => undefined);
}

/** A socket between the client and the driver. */
class Wire implements Socket {
  readonly said: Json[] = [];
  readonly inbox = new Inbox();
  readonly unsentBytes = 0;
  stalled = false;
  lingers = false;
  /** Settled when the connection has ended. */
  readonly gone = deferred<void>();

  send(text: string): void {
    if (this.inbox.ended || this.stalled) return;
    const message = JSON.parse(text) as Json;
    if (message["type"] === "ping") this.tell({ type: "pong", id: message["id"] ?? null });
    else this.said.push(message);
  }

  receive(): Promise<Frame> {
    return this.inbox.take();
  }

  async close(): Promise<void> {
    if (this.lingers) await this.gone.promise;
    this.abort();
  }

  abort(): void {
    this.inbox.end(new ConnectionLostError("the connection was lost: it was aborted"));
  }

  tell(message: Json): void {
    if (!this.stalled) this.inbox.put(JSON.stringify(message));
  }
}

/** Converts the names of fields to snake case, as in the vectors. */
function snake(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snake);
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  const names = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(
    names.map(([name, item]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      name === "lexicon" ? (item as unknown) : snake(item),
    ]),
  );
}

function camel(given: Json): Json {
  return Object.fromEntries(
    Object.entries(given).map(([name, item]) => [
      name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      item,
    ]),
  );
}

function errorOf(error: unknown): Json {
  must(error instanceof ShrutiError, `not an error of this package: ${String(error)}`);
  const kinds = [
    [APIError, "refused"],
    [ConversationClosedError, "closed"],
    [ConnectionFailedError, "connect"],
    [ConnectionLostError, "broken"],
    [ConversationEndedError, "ended"],
    [ProtocolError, "protocol"],
  ] as const;
  const kind = kinds.find(([type]) => error instanceof type)?.[1];
  return { ...(snake({ ...error }) as Json), kind, retryable: error.retryable };
}

/** Converts an event or a response to the form that the vectors use. */
function described(event: object): Json {
  const told = snake(event) as Json;
  const { error, data } = event as { error?: unknown; data?: Uint8Array };
  if (error !== undefined) told["error"] = errorOf(error);
  if (data) {
    must(isDeepStrictEqual(data, sound(data.length)), "other samples");
    told["bytes"] = data.length;
  }
  // if nothing was cancelled, the id is `null` in JSON
  if (told["type"] === "cancelled") told["turn_id"] ??= null;
  return told;
}

interface Given {
  turn_id: string;
  text?: string;
  played_ms: number;
}

interface Call {
  state: "waits" | "returned" | "threw";
  value: unknown;
}

/** Returns an object that is updated with the state and the result of a promise. */
function watched(promise: Promise<unknown>): Call {
  const call: Call = { state: "waits", value: undefined };
  promise.then(
    (value) => Object.assign(call, { state: "returned", value }),
    (value: unknown) => Object.assign(call, { state: "threw", value }),
  );
  return call;
}

export class Driver {
  readonly #knocks: { credential: string; opened: Deferred<Socket> }[] = [];
  readonly #requests: { url: string; init: RequestInit; answer: Deferred<Response> }[] = [];
  readonly #calls = new Map<string, Call>();
  readonly #turns = new Map<string, Turn>();
  readonly #bound = new Map<string, unknown>();
  #answering: Deferred<Response> | undefined;
  #wire: Wire | undefined;
  #accepts = false;
  #session: Session | undefined;

  async play(vector: Vector): Promise<void> {
    const { opened } = vector;
    if (opened) {
      await this.#step({ call: "open", ...opened });
      await this.#step({ accept: { credential: opened.tokens?.[0] ?? "sk_test" } });
      if (opened.config) await this.#step({ client: { type: "config", ...opened.config } });
      await this.#step({ returns: {}, of: "open" });
    }
    for (const [place, step] of vector.steps.entries()) {
      try {
        await this.#step(step);
      } catch (error) {
        throw new Mismatch(`step ${place + 1}, ${JSON.stringify(step)}: ${String(error)}`, { cause: error });
      }
    }
    await this.#quiet();
    await this.#session?.close();
    must(!this.#wire || this.#wire.inbox.ended, "the connection is left open");
    must(this.#knocks.length === 0, "somebody connects");
    must(vi.getTimerCount() === 0, `${vi.getTimerCount()} timers are left`);
  }

  async #step(step: Json): Promise<void> {
    const kind = Object.keys(step)[0] ?? "";
    const value = step[kind] as Json;
    switch (kind) {
      case "call":
        return this.#call(step);
      case "returns":
      case "raises":
        return this.#answered(kind, value, step["of"] as string);
      case "event": {
        const event = await this.#next();
        must(event.state === "returned" && event.value, `no event, it ${event.state} ${String(event.value)}`);
        return this.#match(described(event.value), value);
      }
      case "ends": {
        const end = await this.#next();
        if (Object.keys(value).length > 0) this.#match(errorOf(end.value), value);
        else must(end.state === "returned" && end.value === undefined, "it continues");
        return;
      }
      case "accept":
      case "refuse":
      case "unreachable":
        return this.#connection(kind, value);
      case "client": {
        await settle();
        const message = this.#wire?.said.shift();
        must(message, "no message came");
        return this.#matchAll(message, value);
      }
      case "server":
        return this.#wire?.tell(this.#filled(value) as Json);
      case "sound":
        return this.#wire?.inbox.put(sound(step["sound"] as number));
      case "close":
        return this.#wire?.inbox.end(
          new ConversationClosedError(value["code"] as number, (value["reason"] ?? "") as string),
        );
      case "cut":
        return this.#wire?.abort();
      case "stall":
        must(this.#wire, "there is no connection");
        this.#wire.stalled = true;
        return;
      case "lingers":
        must(this.#wire, "there is no connection");
        this.#wire.lingers = true;
        return;
      case "request":
        return this.#request(value);
      case "answer":
        return this.#answer(value);
      case "advance_ms":
        this.#accepts = step["accepts"] === true;
        await settle();
        await vi.advanceTimersByTimeAsync(step["advance_ms"] as number);
        await settle();
        this.#accepts = false;
        return;
      case "settle":
        return settle();
      case "quiet":
        return this.#quiet();
      default:
        throw new Mismatch(`no such step: ${kind}`);
    }
  }

  // steps of the user

  async #call(step: Json): Promise<void> {
    const { call: name, ...given } = step as Json & { call: string };
    const call = watched(this.#made(name, given));
    this.#calls.set(name, call);
    await settle();
    if (["open", "interrupt", "cancel", "clip", "timed_clip"].includes(name)) return;
    must(call.state === "returned", `${name} ${call.state}: ${String(call.value)}`);
  }

  async #made(name: string, given: Json): Promise<unknown> {
    const { turn_id: turnId, text, played_ms: playedMs, ...rest } = given as Json & Given;
    const session = this.#session as Session;
    const turn = this.#turns.get(turnId) as Turn;
    switch (name) {
      case "open":
        this.#session = await this.#client(given["tokens"] as string[]).connect(camel((given["config"] ?? {}) as Json));
        return { session_id: this.#session.sessionId };
      case "begin":
      case "say": {
        if (text === undefined) return this.#turns.set(turnId, session.say(nothingYet(), { turnId }));
        const begun = session.turn({ turnId, ...camel(rest) });
        this.#turns.set(turnId, begun);
        return begun.send(text, { final: name === "say" });
      }
      case "append":
        return turn.send(text as string);
      case "end":
        return turn.end();
      case "flush":
        return turn.flush();
      case "played":
        return turn.played(playedMs);
      case "configure":
        return session.configure(camel(given["config"] as Json));
      case "interrupt":
        return described(await session.interrupt(playedMs, turnId === undefined ? undefined : turn));
      case "cancel":
        return described(await turn.cancel(playedMs));
      case "finish":
        return session.finish();
      case "clip": {
        const clip = await this.#client().tts(text as string, camel(rest));
        must(isDeepStrictEqual(clip.audio, sound(clip.audio.length)), "other samples");
        return { bytes: clip.audio.length, ...(snake(clip.info) as Json) };
      }
      case "timed_clip": {
        const clip = await this.#client().ttsTimed(text as string, camel(rest));
        must(isDeepStrictEqual(clip.audio, sound(clip.audio.length)), "other samples");
        // convert positions from UTF-16 units to characters
        const places = (units: number) => [...(text as string).slice(0, units)].length;
        const words = clip.words.map((word) => ({
          ...word,
          charStart: places(word.charStart),
          charEnd: places(word.charEnd),
        }));
        return { bytes: clip.audio.length, ...(snake(clip.info) as Json), words: snake(words) };
      }
      default:
        throw new Mismatch(`no such call: ${name}`);
    }
  }

  #client(tokens?: string[]): BaseClient {
    const left = [...(tokens ?? [])];
    const credential = tokens ? { token: () => left.shift() as string } : { apiKey: "sk_test" };
    const knock = (_url: string, given: string, signal: AbortSignal): Promise<Socket> => {
      const opened = deferred<Socket>();
      const knocking = { credential: given, opened };
      this.#knocks.push(knocking);
      signal.addEventListener("abort", () => {
        const at = this.#knocks.indexOf(knocking);
        if (at >= 0) this.#knocks.splice(at, 1);
        opened.reject(new ConnectionFailedError("it was aborted"));
      });
      if (this.#accepts) this.#accept((this.#knocks.shift() as typeof knocking).opened, true);
      return opened.promise;
    };
    const ask = (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
      const answer = deferred<Response>();
      this.#requests.push({ url: url as string, init, answer });
      return answer.promise;
    };
    const platform = { openSocket: knock, defaultUrl: () => "", defaultKey: () => undefined };
    return new BaseClient({ baseUrl: "http://server.example/", ...credential, fetch: ask }, platform);
  }

  async #answered(kind: string, value: Json, of: string): Promise<void> {
    await settle();
    const call = this.#calls.get(of);
    must(call && call.state !== "waits", `${of} waits`);
    if (kind === "raises") {
      must(call.state === "threw", `${of} returned`);
      this.#match(errorOf(call.value), value);
    } else {
      if (call.state === "threw") throw call.value;
      this.#match(call.value, value);
    }
  }

  async #next(): Promise<Call> {
    must(this.#session, "there is no conversation");
    const taking = watched(this.#session.nextEvent());
    await settle();
    must(taking.state !== "waits", "no event came");
    return taking;
  }

  // steps of the server

  async #connection(kind: string, value: Json): Promise<void> {
    await settle();
    const knock = this.#knocks.shift();
    must(knock, "nobody connects");
    const wanted = value["credential"] ?? knock.credential;
    must(knock.credential === wanted, `the credential is ${knock.credential}, not ${wanted as string}`);
    if (kind === "refuse") {
      const { status, body, headers } = value as { status: number; body: unknown; headers?: Record<string, string> };
      const text = typeof body === "string" ? body : JSON.stringify(body);
      knock.opened.reject(refusal(status, text, headers?.["retry-after"]));
    } else if (kind === "unreachable") {
      knock.opened.reject(new ConnectionFailedError("nobody is there"));
    } else {
      this.#accept(knock.opened, value["greet"] !== false);
    }
    await settle();
  }

  #accept(opened: Deferred<Socket>, greet: boolean): void {
    must(!this.#wire || this.#wire.inbox.ended || this.#wire.lingers, "a second connection");
    this.#wire?.gone.resolve();
    this.#wire = new Wire();
    if (greet) this.#wire.tell(READY);
    opened.resolve(this.#wire);
  }

  async #request(value: Json): Promise<void> {
    await settle();
    const request = this.#requests.shift();
    must(request, "no request came");
    this.#answering = request.answer;
    const path = (value["path"] as string | undefined) ?? "/v1/tts";
    must(request.url === `http://server.example${path}`, `it asked for ${request.url}`);
    must(request.init.method === "POST", "it is not a POST request");
    const headers = new Headers(request.init.headers);
    must(headers.get("authorization") === `Bearer ${(value["credential"] as string) ?? "sk_test"}`, "another key");
    must(headers.get("content-type") === "application/json", "it is not JSON");
    this.#matchAll(JSON.parse(request.init.body as string) as Json, value["body"] as Json);
  }

  async #answer(value: Json): Promise<void> {
    const answering = this.#answering;
    must(answering, "nothing was asked");
    if (value["unreachable"]) {
      answering.reject(new TypeError("fetch failed"));
    } else {
      const { status, headers, body } = value as { status: number; headers?: Record<string, string>; body: unknown };
      const stream = new ReadableStream({
        start(controller) {
          controller.enqueue(sound(value["sound"] as number));
          if (!value["cut"]) controller.close();
        },
        pull(controller) {
          controller.error(new TypeError("terminated"));
        },
      });
      const lines = (value["lines"] as unknown[] | undefined)?.map((line) => `${JSON.stringify(line)}\n`).join("");
      const text = lines ?? (typeof body === "string" ? body : JSON.stringify(body));
      answering.resolve(new Response("sound" in value ? stream : text, { status, headers: headers ?? {} }));
    }
    await settle();
  }

  async #quiet(): Promise<void> {
    await settle();
    must(this.#knocks.length === 0, "somebody connects");
    must(this.#requests.length === 0, "a request came");
    must(
      !this.#wire || this.#wire.inbox.ended || this.#wire.said.length === 0,
      `it said ${JSON.stringify(this.#wire?.said)}`,
    );
    must((this.#session?.waitingEvents ?? 0) === 0, "events wait");
  }

  // matching

  #filled(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#filled(item));
    if (typeof value === "object" && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, this.#filled(item)]));
    }
    return typeof value === "string" && value.startsWith("$") ? this.#bound.get(value) : value;
  }

  #match(given: unknown, wanted: unknown, path = ""): void {
    const shown = `${path} is ${JSON.stringify(given)}`;
    if (Array.isArray(wanted)) {
      must(Array.isArray(given) && given.length === wanted.length, shown);
      wanted.forEach((item, place) => this.#match(given[place], item, `${path}[${place}]`));
    } else if (typeof wanted === "object" && wanted !== null) {
      must(typeof given === "object" && given !== null, shown);
      for (const [name, item] of Object.entries(wanted)) {
        must(name in given, `${path}.${name} is not there`);
        this.#match((given as Json)[name], item, `${path}.${name}`);
      }
    } else if (typeof wanted === "string" && wanted.startsWith("$")) {
      if (!this.#bound.has(wanted)) this.#bound.set(wanted, given);
      must(given === this.#bound.get(wanted), shown);
    } else {
      must(given === wanted, `${shown}, not ${JSON.stringify(wanted)}`);
    }
  }

  #matchAll(given: Json, wanted: Json): void {
    this.#match({ type: "text", ...given }, wanted);
    const more = Object.entries(given).filter(
      ([name, value]) => !(name in wanted) && name !== "type" && value !== null && value !== false,
    );
    must(more.length === 0, `${JSON.stringify(more)} was not expected`);
  }
}

/** Waits until nothing more happens without advancing the clock. */
async function settle(): Promise<void> {
  for (let round = 0; round < 5; round += 1) await new Promise(setImmediate);
}

let READY: Json = {};
/** Sets the `ready` message of each connection. */
export function greetWith(ready: Json): void {
  READY = ready;
}
