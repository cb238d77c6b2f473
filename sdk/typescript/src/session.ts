/** A conversation: text goes in as a language model writes it, speech comes out, and a cancel says what was heard. */

import type { Connect } from "./connecting.js";
import { Connection, type Patience } from "./connection.js";
import { ShrutiError } from "./errors.js";
import type { Cancelled, Event, Outcome, TurnEvent } from "./events.js";
import { wireSettings, type ConversationSettings, type TurnSettings } from "./options.js";
import { Halves, messagesOf } from "./text.js";
import { onAbort } from "./timers.js";
import { TurnState } from "./turn-state.js";

/** The longest name of a turn, in Unicode characters. */
const MAX_TURN_ID_CHARS = 64;

/** Text as a whole, or in the pieces in which a model writes it. */
export type Text = string | Iterable<string> | AsyncIterable<string>;

/** Options of a turn. */
export interface TurnOptions extends TurnSettings {
  /** A name of your own: 1 to 64 characters, none of them for control. */
  turnId?: string | undefined;
  /** Cancels the live turn, and goes before all that wait. */
  preempt?: boolean | undefined;
  /** Cancels the turn; whoever listens to it gets the signal's reason. */
  signal?: AbortSignal | undefined;
}

/**
 * One conversation, made by `Client.connect`.
 *
 * A lost connection is opened again by itself. Turns that were open end with `lost`: none of what they said is sent again,
 * so nothing is spoken twice. A server that shuts down is left between two turns; what it did not begin to say is said by
 * the next. Take events of one turn (`for await (const event of turn)`) or of all turns
 * (`for await (const event of session)`), not both at once.
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

  /** The conversation's id in the server's log, as of its first connection. */
  get sessionId(): string {
    const id = this.#connection.ready["session_id"];
    return typeof id === "string" ? id : "";
  }

  /** Whether the conversation takes new turns: it has not ended, and the server does not shut down. */
  get isOpen(): boolean {
    return this.#connection.isOpen;
  }

  /** The server's limits, as `ready` told them. */
  get limits(): Readonly<Record<string, number>> {
    return { ...(this.#connection.ready["limits"] as Record<string, number> | undefined) };
  }

  /** How many events wait to be taken. */
  get waitingEvents(): number {
    return this.#connection.events.waiting.length;
  }

  /** A turn that begins with its first `send`. What is left out is as the conversation's settings say. */
  turn(options: TurnOptions = {}): Turn {
    this.#turnCount += 1;
    checkName(options.turnId);
    return new Turn(this.#connection, options.turnId ?? `t${this.#turnCount}`, options, this.#feeds);
  }

  /**
   * Has a turn spoken: a text that is complete, or pieces, which are sent while they come; the turn can be listened to at
   * once. What the pieces' source throws ends the turn where it is, and is thrown by the turn's iteration.
   */
  say(text: Text, options: TurnOptions = {}): Turn {
    const turn = this.turn(options);
    if (typeof text === "string") turn.send(text, { final: true });
    else turn.feed(text);
    return turn;
  }

  /**
   * Barge-in: cancels every turn, and says what was heard of the one that the listener hears. No sound of turns that were
   * begun comes out from the call on. `playedMs` is how much of the turn that sounds your player has played, if you know.
   * `turn`: which turn that is; without it the server takes the one that it sends, though your player may still be in one
   * before.
   */
  async interrupt(playedMs?: number, turn?: Turn): Promise<Cancelled> {
    for (const fed of [...this.#feeds]) fed.stopFeed();
    if (!turn) return this.#connection.cancel({ all: true, ...played(playedMs) }, undefined);
    // the one that is heard may have come whole while the next is being sent: each is asked for by itself
    const heard = turn.cancel(playedMs);
    const others = this.#connection.cancel({ all: true, ...played(0) }, undefined);
    return (await Promise.all([heard, others]))[0];
  }

  /** Changes the settings of turns that start later. They stay when the connection is another one. */
  configure(settings: ConversationSettings): void {
    this.#connection.configure(wireSettings(settings));
  }

  /** Lets everything be said that was begun, then ends the conversation; events go on until then. */
  finish(): void {
    this.#connection.finish();
  }

  /** Ends the conversation now, and with it the server's work. */
  async close(): Promise<void> {
    for (const turn of [...this.#feeds]) turn.stopFeed();
    await this.#connection.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** The next event of any turn; `undefined` behind the end that `finish` asked for. Throws what ended it otherwise. */
  nextEvent(): Promise<Event | undefined> {
    return this.#connection.take();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event, void, undefined> {
    for (let event = await this.nextEvent(); event; event = await this.nextEvent()) yield event;
  }
}

/** One turn: what an assistant says at a time. */
export class Turn implements AsyncDisposable {
  readonly #connection: Connection;
  readonly #state: TurnState;
  readonly #feeds: Set<Turn>;
  readonly #signal: AbortSignal | undefined;
  readonly #halves = new Halves();
  /** What the first message says besides its text. */
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

  /** What was sent of the turn so far. */
  get text(): string {
    return this.#state.text;
  }

  /** How the turn ended; `undefined` while it has not. */
  get outcome(): Outcome | undefined {
    return this.#state.outcome;
  }

  /** Appends text, verbatim: put the spaces in yourself. What comes after the turn's end is dropped. `final`: no more follows. */
  send(text: string, { final = false } = {}): void {
    this.#begin();
    const pieces = messagesOf(this.#halves.next(text, final));
    for (const [place, piece] of pieces.entries()) {
      const last = final && place + 1 === pieces.length;
      this.#connection.text(this.#state, piece, { ...this.#options, ...(last && { final }) });
      this.#options = {};
    }
  }

  /** Says that no more text follows. */
  end(): void {
    const rest = this.#halves.next("", true);
    if (!this.#begun || rest) this.send(rest, { final: true });
    else this.#connection.about(this.#state, { type: "end" });
  }

  /** Has spoken what is held back, the unfinished last word too; the turn stays open. */
  flush(): void {
    this.#connection.about(this.#state, { type: "flush" });
  }

  /** Tells how much of the turn your player has played, which makes what was heard exact. */
  played(playedMs: number): void {
    this.#connection.about(this.#state, { type: "played", ...played(playedMs) });
  }

  /** Ends the turn at once, and says what was heard of it. No sound of it comes out from the call on. */
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

  /** @internal Sends pieces while they come, beside everything else, and then the end. */
  feed(text: Iterable<string> | AsyncIterable<string>): void {
    this.#begin();
    this.#feeds.add(this);
    const stopped = new Promise<void>((resolve) => (this.#stopFeed = resolve));
    const gone = Promise.race([stopped, this.#state.ended.promise]).then(() => undefined);
    this.#fed = this.#feedAll(text, gone).finally(() => this.#feeds.delete(this));
  }

  /** @internal Takes no more pieces from their source. */
  stopFeed(): void {
    this.#stopFeed?.();
  }

  async #feedAll(text: Iterable<string> | AsyncIterable<string>, gone: Promise<undefined>): Promise<void> {
    try {
      const pieces = Symbol.asyncIterator in text ? text[Symbol.asyncIterator]() : text[Symbol.iterator]();
      for (;;) {
        const next = await Promise.race([pieces.next(), gone]);
        if (!next) {
          // a source that waits for a model is told, and not waited for
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

  /** The turn's next event; `undefined` behind its end. Throws why it broke off, was lost, or had no more text. */
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

  /** The turn's sound alone. */
  async *audio(): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
    for await (const event of this) if (event.type === "audio") yield event.data;
  }

  /** Cancels the turn where it has not ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#begun || this.outcome) return;
    try {
      await this.cancel();
    } catch (error) {
      // the turn has ended with its connection
      if (!(error instanceof ShrutiError)) throw error;
    }
  }
}

/** The server could not say which turn it refuses for its name. */
function checkName(turnId: string | undefined): void {
  if (turnId === undefined) return;
  const chars = [...turnId].length;
  if (chars > 0 && chars <= MAX_TURN_ID_CHARS && !/\p{Cc}/u.test(turnId) && turnId.isWellFormed()) return;
  throw new ShrutiError(`turnId must have 1 to ${MAX_TURN_ID_CHARS} characters and no control characters`);
}

function played(playedMs: number | undefined): { played_ms?: number } {
  return playedMs === undefined ? {} : { played_ms: Math.max(0, Math.floor(playedMs)) };
}
