/** Conversation: send text as a language model writes it, receive speech, and learn what was heard when you cancel. */

import type { Connect } from "./connecting.js";
import { Connection, type Patience } from "./connection.js";
import { ShrutiError } from "./errors.js";
import type { Cancelled, Event, Outcome, TurnEvent } from "./events.js";
import { wireSettings, type ConversationSettings, type TurnSettings } from "./options.js";
import { Halves, messagesOf } from "./text.js";
import { onAbort } from "./timers.js";
import { TurnState } from "./turn-state.js";

/** Maximum length of a turn id, in Unicode characters. */
const MAX_TURN_ID_CHARS = 64;

/** A whole text, or its pieces as a model writes them. */
export type Text = string | Iterable<string> | AsyncIterable<string>;

/** Options of a turn. */
export interface TurnOptions extends TurnSettings {
  /** Your own id for the turn: 1 to 64 characters without control characters. */
  turnId?: string | undefined;
  /** Whether this turn cancels the current turn and is spoken before all queued turns. */
  preempt?: boolean | undefined;
  /** Aborting the signal cancels the turn. The iteration over the turn then throws the reason of the signal. */
  signal?: AbortSignal | undefined;
}

/**
 * A conversation, created by `Client.connect`.
 *
 * Unless `reconnect` is `false`, a lost connection is opened again automatically. Turns that were sent and have not
 * ended then end with `lost`: their text is not sent again, so nothing is spoken twice. If a server shuts down, the
 * client leaves it between two turns, and the next server speaks the turns that have not started. Take events of one
 * turn (`for await (const event of turn)`) or of all turns (`for await (const event of session)`), not both at the same
 * time.
 */
export class Session implements AsyncDisposable {
  readonly #connection: Connection;
  readonly #feeds = new Set<Turn>();
  #turnCount = 0;

  /** @internal */
  constructor(connect: Connect, config: ConversationSettings, patience?: Patience, reconnects?: boolean) {
    this.#connection = new Connection(connect, wireSettings(config), patience, reconnects);
  }

  /** @internal */
  async open(signal?: AbortSignal): Promise<this> {
    await this.#connection.open(signal);
    onAbort(signal, () => void this.close());
    return this;
  }

  /** Id of the conversation in the server's log. It comes from the first connection. */
  get sessionId(): string {
    const id = this.#connection.ready["session_id"];
    return typeof id === "string" ? id : "";
  }

  /**
   * Whether the conversation accepts new turns. It accepts none after it has ended or `finish` was called. If
   * `reconnect` is `false`, it accepts none while the server is shutting down either.
   */
  get isOpen(): boolean {
    return this.#connection.isOpen;
  }

  /** Limits of the server, from its `ready` message. */
  get limits(): Readonly<Record<string, number>> {
    return { ...(this.#connection.ready["limits"] as Record<string, number> | undefined) };
  }

  /** Number of events that have not been taken yet. */
  get waitingEvents(): number {
    return this.#connection.events.waiting.length;
  }

  /** Creates a turn, which starts with its first `send`. An omitted setting takes its value from the conversation. */
  turn(options: TurnOptions = {}): Turn {
    this.#turnCount += 1;
    checkName(options.turnId);
    return new Turn(this.#connection, options.turnId ?? `t${this.#turnCount}`, options, this.#feeds);
  }

  /**
   * Speaks a turn: a complete text, or pieces, which are sent as they arrive. The turn can be consumed immediately. If
   * the source of the pieces fails, the turn ends at that point, and iterating over the turn throws the error.
   */
  say(text: Text, options: TurnOptions = {}): Turn {
    const turn = this.turn(options);
    if (typeof text === "string") turn.send(text, { final: true });
    else turn.feed(text);
    return turn;
  }

  /**
   * Handles a barge-in: cancels every turn, and returns what was heard of the turn that the listener hears. No more
   * audio of earlier turns is delivered after the call. `turn` is the turn that the listener hears; the default is the
   * turn that the server is sending, although your player may still be playing the previous one. `playedMs` is the
   * length of the part of `turn` that your player has played, in milliseconds, if known.
   */
  async interrupt(playedMs?: number, turn?: Turn): Promise<Cancelled> {
    for (const fed of [...this.#feeds]) fed.stopFeed();
    if (!turn) return this.#connection.cancel({ all: true, ...played(playedMs) }, undefined);
    // the listener may hear a turn that the server has finished, while the server sends the next one: cancel both
    const heard = turn.cancel(playedMs);
    const others = this.#connection.cancel({ all: true, ...played(0) }, undefined);
    return (await Promise.all([heard, others]))[0];
  }

  /** Changes the settings of later turns. The settings are kept after a reconnection. */
  configure(settings: ConversationSettings): void {
    this.#connection.configure(wireSettings(settings));
  }

  /** Ends the conversation after all turns have ended. Events arrive until then. */
  finish(): void {
    this.#connection.finish();
  }

  /** Ends the conversation immediately. The server stops its work for the conversation. */
  async close(): Promise<void> {
    for (const turn of [...this.#feeds]) turn.stopFeed();
    await this.#connection.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /**
   * Returns the next event of the conversation; `undefined` after the end that `finish` requested. If the conversation
   * ended for another reason, throws its error.
   */
  nextEvent(): Promise<Event | undefined> {
    return this.#connection.take();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event, void, undefined> {
    for (let event = await this.nextEvent(); event; event = await this.nextEvent()) yield event;
  }
}

/** A turn: one utterance of an assistant. */
export class Turn implements AsyncDisposable {
  readonly #connection: Connection;
  readonly #state: TurnState;
  readonly #feeds: Set<Turn>;
  readonly #signal: AbortSignal | undefined;
  readonly #halves = new Halves();
  /** Fields of the first message, in addition to its text. */
  #options: Record<string, unknown>;
  #begun = false;
  #stopFeed: (() => void) | undefined;
  #fed: Promise<void> | undefined;
  #feedError: { readonly thrown: unknown } | undefined;

  /** @internal */
  constructor(connection: Connection, turnId: string, options: TurnOptions, feeds: Set<Turn>) {
    const settings = wireSettings({ ...options });
    delete settings["output_format"];
    this.#connection = connection;
    this.#feeds = feeds;
    this.#state = new TurnState(turnId, new Set(Object.keys(settings)));
    this.#options = options.preempt ? { ...settings, preempt: true } : settings;
    this.#signal = options.signal;
    this.#signal?.throwIfAborted();
  }

  get turnId(): string {
    return this.#state.turnId;
  }

  /** Text of the turn that has been sent so far. */
  get text(): string {
    return this.#state.text;
  }

  /** Outcome of the turn; `undefined` while it is open. */
  get outcome(): Outcome | undefined {
    return this.#state.outcome;
  }

  /**
   * Appends text verbatim, so the text must include the spaces between words. Text after the end of the turn is
   * dropped. `final` means that no more text follows.
   */
  send(text: string, { final = false } = {}): void {
    this.#begin();
    const pieces = messagesOf(this.#halves.next(text, final));
    for (const [place, piece] of pieces.entries()) {
      const last = final && place + 1 === pieces.length;
      this.#connection.text(this.#state, piece, { ...this.#options, ...(last && { final }) });
      this.#options = {};
    }
  }

  /** Ends the text of the turn. */
  end(): void {
    const rest = this.#halves.next("", true);
    if (!this.#begun || rest) this.send(rest, { final: true });
    else this.#connection.about(this.#state, { type: "end" });
  }

  /** Speaks the buffered text, including the unfinished last word. The turn stays open. */
  flush(): void {
    this.#connection.about(this.#state, { type: "flush" });
  }

  /** Reports how much of the turn your player has played, in milliseconds. The report makes `heard` exact. */
  played(playedMs: number): void {
    this.#connection.about(this.#state, { type: "played", ...played(playedMs) });
  }

  /**
   * Ends the turn immediately and returns what was heard of it. No more audio of the turn is delivered after the call.
   */
  async cancel(playedMs?: number): Promise<Cancelled> {
    this.stopFeed();
    return this.#connection.cancel({ turn_id: this.turnId, ...played(playedMs) }, this.turnId);
  }

  #begin(): void {
    if (this.#begun) return;
    this.#connection.begin(this.#state);
    this.#begun = true;
    const forget = onAbort(this.#signal, () => void this.cancel().catch(() => undefined));
    void this.#state.ended.promise.then(forget);
  }

  /** @internal Sends pieces as they arrive, without blocking other calls, and then ends the text of the turn. */
  feed(text: Iterable<string> | AsyncIterable<string>): void {
    this.#begin();
    this.#feeds.add(this);
    const stopped = new Promise<void>((resolve) => (this.#stopFeed = resolve));
    const gone = Promise.race([stopped, this.#state.ended.promise]).then(() => undefined);
    this.#fed = this.#feedAll(text, gone).finally(() => this.#feeds.delete(this));
  }

  /** @internal Stops taking pieces from the source. */
  stopFeed(): void {
    this.#stopFeed?.();
  }

  async #feedAll(text: Iterable<string> | AsyncIterable<string>, gone: Promise<undefined>): Promise<void> {
    try {
      const pieces = Symbol.asyncIterator in text ? text[Symbol.asyncIterator]() : text[Symbol.iterator]();
      for (;;) {
        const next = await Promise.race([pieces.next(), gone]);
        if (!next) {
          // end the source but do not wait for it, because it may be waiting for a model
          void Promise.resolve(pieces.return?.()).catch(() => undefined);
          return;
        }
        if (next.done) break;
        this.send(next.value);
      }
    } catch (thrown) {
      this.#feedError = { thrown };
    }
    try {
      if (!this.outcome) this.send("", { final: true });
    } catch (thrown) {
      this.#feedError ??= { thrown };
    }
  }

  /**
   * Returns the next event of the turn; `undefined` after its end. Throws the error of a failed or lost turn, or the
   * error of the source of its text.
   */
  async nextEvent(): Promise<TurnEvent | undefined> {
    const event = await this.#connection.take(this.#state);
    if (event?.type === "failed" || event?.type === "lost") throw event.error;
    if (!event) {
      await this.#fed;
      if (this.#feedError) throw this.#feedError.thrown;
      this.#signal?.throwIfAborted();
    }
    return event as TurnEvent | undefined;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<TurnEvent, void, undefined> {
    for (let event = await this.nextEvent(); event; event = await this.nextEvent()) yield event;
  }

  /** Iterates over the audio of the turn. */
  async *audio(): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
    for await (const event of this) if (event.type === "audio") yield event.data;
  }

  /** Cancels the turn if it has not ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#begun || this.outcome) return;
    try {
      await this.cancel();
    } catch (error) {
      // ignored: the turn has ended with its connection
      if (!(error instanceof ShrutiError)) throw error;
    }
  }
}

/** Validates a turn id here, because the server could not name the turn in an error about its id. */
function checkName(turnId: string | undefined): void {
  if (turnId === undefined) return;
  const chars = [...turnId].length;
  if (chars > 0 && chars <= MAX_TURN_ID_CHARS && !/\p{Cc}/u.test(turnId) && turnId.isWellFormed()) return;
  throw new ShrutiError(`turnId must have 1 to ${MAX_TURN_ID_CHARS} characters and no control characters`);
}

function played(playedMs: number | undefined): { played_ms?: number } {
  return playedMs === undefined ? {} : { played_ms: Math.max(0, Math.floor(playedMs)) };
}
