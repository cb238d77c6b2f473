/**
 * The connection of a conversation: its turns, the messages in both directions, and the next connection after a loss.
 */

import { greeted, leave, reconnected, type Connect } from "./connecting.js";
import {
  apiError,
  ConnectionLostError,
  ConversationClosedError,
  ConversationEndedError,
  messageOf,
  ProtocolError,
  ShrutiError,
  type APIError,
} from "./errors.js";
import { EventQueue, MAX_EVENTS } from "./event-queue.js";
import { isSound, type Cancelled, type Done, type Event, type Failed, type Outcome } from "./events.js";
import { bytesPerMs, settingsOf } from "./options.js";
import type { Frame, Socket } from "./socket.js";
import { deferred, onAbort, sleep, type Deferred } from "./timers.js";
import { inTurnOrder, MAX_KEPT, TurnState, type WireMessage } from "./turn-state.js";
import * as wire from "./wire.js";

/** Limit of bytes that wait for the network. Above it the connection is aborted. */
const MAX_UNSENT_BYTES = 16 << 20;
const NORMAL = 1000;
const GOING_AWAY = 1001;
const IDLE = 4408;

/** Times after which a silent server gets a ping, in milliseconds. */
export interface Patience {
  /** Maximum silence while something is expected from the server, and otherwise. */
  readonly speakingMs: number;
  readonly idleMs: number;
  /** Timeout of the answer. */
  readonly answerMs: number;
}
export const PATIENCE: Patience = { speakingMs: 5_000, idleMs: 20_000, answerMs: 5_000 };

const CLOSE: WireMessage = { type: "close" };

/** A cancel without an answer. Its turns are silent. */
interface PendingCancel {
  readonly turnIds: ReadonlySet<string>;
  readonly answer: Deferred<Cancelled>;
}

/** One conversation over one or more sockets. */
export class Connection {
  readonly events = new EventQueue();
  /** First message of the first connection. */
  ready: wire.Message = {};

  readonly #connect: Connect;
  readonly #config: Record<string, unknown>;
  readonly #patience: Patience;
  /** Whether a lost connection is opened again. If not, its loss ends the conversation. */
  readonly #reconnects: boolean;
  readonly #turns = new Map<string, TurnState>();
  readonly #cancels = new Map<string, PendingCancel>();
  readonly #closing = new AbortController();
  #socket: Socket | undefined;
  #running: Promise<void> | undefined;
  #pending: WireMessage[] = [];
  #toSay: Deferred<void> | undefined;
  #cancelCount = 0;
  #sounding: TurnState | undefined;
  /** Turns whose settings the server has not accepted or rejected yet, in order. */
  #unjudged: TurnState[] = [];
  #configUnjudged = false;
  #closingError: APIError | undefined;
  /** Whether the server is shutting down. The client leaves it as soon as no turn is open. */
  #leaving = false;
  #finishing = false;
  #over: ShrutiError | undefined;
  #lastHeard = 0;
  #pinged = false;

  constructor(connect: Connect, config: Record<string, unknown>, patience: Patience = PATIENCE, reconnects = true) {
    this.#connect = connect;
    this.#config = { ...config };
    this.#patience = patience;
    this.#reconnects = reconnects;
  }

  // calls of the user

  /** Opens the first connection. */
  async open(signal?: AbortSignal): Promise<void> {
    const forget = onAbort(signal, () => this.#closing.abort());
    try {
      signal?.throwIfAborted();
      const { socket, ready } = await greeted(this.#connect, this.#closing.signal);
      this.ready = ready;
      this.#running = this.#run(socket);
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    } finally {
      forget();
    }
  }

  /**
   * Whether new turns are accepted: the conversation has not ended, and another connection follows a server that shuts
   * down.
   */
  get isOpen(): boolean {
    return !this.#over && !this.#finishing && (this.#reconnects || !this.#leaving);
  }

  /** Registers a turn, which will get an outcome. */
  begin(turn: TurnState): void {
    this.check();
    if (this.#turns.has(turn.turnId)) throw new ShrutiError(`turn ${turn.turnId} is already open`);
    this.#turns.set(turn.turnId, turn);
  }

  /** Sends a piece of a turn's text. It is dropped if the turn has ended. */
  text(turn: TurnState, text: string, options: WireMessage): void {
    this.check();
    if (turn.outcome) return;
    turn.text += text;
    this.#send({ type: "text", text, turn_id: turn.turnId, ...options });
  }

  /** Sends another message about a turn. It is dropped if the turn has ended. */
  about(turn: TurnState, message: WireMessage): void {
    this.check();
    // a turn that was received whole may still be playing, and its player reports the position
    if (turn.outcome && !(message["type"] === "played" && turn.outcome.type === "done")) return;
    this.#send({ ...message, turn_id: turn.turnId });
  }

  configure(config: WireMessage): void {
    this.check();
    Object.assign(this.#config, config);
    if (this.#socket) this.#send({ type: "config", ...config });
  }

  /** Cancels one turn or all turns. They are silent immediately; the promise waits for the answer. */
  async cancel(message: WireMessage, turnId: string | undefined): Promise<Cancelled> {
    this.check();
    const turnIds = new Set(turnId === undefined ? this.#turns.keys() : [turnId]);
    for (const turn of this.#unsaid(turnIds)) {
      // the turn never reached the server
      const heard = { ms: 0, text: "", charEnd: 0, basis: "playhead", cutAt: "word" };
      const cancelled: Cancelled = {
        type: "cancelled",
        turnId: turn.turnId,
        state: "cancelled",
        sentMs: 0,
        heard,
        unheardText: turn.text,
      };
      this.#forget(turn.turnId);
      this.#end(turn, cancelled);
      if (turnId !== undefined) return cancelled;
      this.#put(cancelled);
    }
    // for all turns, including events of turns that have ended
    this.events.drop((other) => turnId === undefined || other === turnId);
    this.events.makeWay();
    return this.#silence(message, turnIds);
  }

  /** Sends a cancel, and suppresses the sound of its turns until the answer. */
  #silence(message: WireMessage, turnIds: ReadonlySet<string>): Promise<Cancelled> {
    for (const turnId of turnIds) {
      const turn = this.#turns.get(turnId);
      // another server must not speak it either
      if (turn) turn.kept = undefined;
    }
    this.#cancelCount += 1;
    const id = `c${this.#cancelCount}`;
    const answer = deferred<Cancelled>();
    this.#cancels.set(id, { turnIds, answer });
    this.#send({ type: "cancel", ...message, id });
    return answer.promise;
  }

  /** Lets all turns end, and then ends the conversation. */
  finish(): void {
    if (this.#over || this.#finishing) return;
    this.#finishing = true;
    if (this.#socket) this.#handOver(this.#socket, CLOSE);
    // each connection starts with the pending messages, followed by this one
    else this.#toSay?.resolve();
  }

  /** Returns the next event, of one turn if given; `undefined` after the last one. */
  async take(turn?: TurnState): Promise<Event | undefined> {
    for (;;) {
      const event = this.events.pop(turn?.turnId);
      if (event || turn?.outcome) return event;
      if (this.#over) {
        if (this.#over instanceof ConversationEndedError && !turn) return undefined;
        throw this.#over;
      }
      await this.events.news(turn?.turnId);
    }
  }

  /** Ends the conversation immediately, and with it the work of the server. */
  async close(): Promise<void> {
    this.#giveUp(new ConversationEndedError("the conversation has ended"));
    this.#closing.abort();
    this.events.makeWay();
    this.#toSay?.resolve();
    await this.#running;
  }

  /** Throws if no more text is accepted. */
  check(): void {
    if (this.#over) throw this.#over;
    if (this.#finishing) {
      throw new ConversationEndedError("the conversation is closing; no more text can be sent");
    }
  }

  // outgoing messages

  #send(message: WireMessage): void {
    if (this.#socket && !this.#turnOf(message)?.moves) {
      this.#handOver(this.#socket, message);
    } else if (this.#pending.length >= MAX_KEPT) {
      throw new ConnectionLostError(`${MAX_KEPT} messages are already waiting for a connection`);
    } else {
      this.#pending.push(message);
      this.#toSay?.resolve();
    }
  }

  #turnOf(message: WireMessage): TurnState | undefined {
    return this.#turns.get(typeof message["turn_id"] === "string" ? message["turn_id"] : "");
  }

  #handOver(socket: Socket, message: WireMessage): void {
    const turn = this.#turnOf(message);
    const judges = turn !== undefined && turn.settings.size > 0 && !turn.handedOver;
    turn?.handOver(message);
    socket.send(JSON.stringify(message));
    if (judges) {
      // older servers do not name the turn of an error: an error before this pong is about this turn
      this.#unjudged.push(turn);
      socket.send('{"type":"ping","id":"settings"}');
    }
    if (socket.unsentBytes > MAX_UNSENT_BYTES) socket.abort();
  }

  /** Returns the turns of which nothing was sent over a connection. */
  #unsaid(turnIds: ReadonlySet<string>): TurnState[] {
    return [...this.#turns.values()].filter((turn) => turnIds.has(turn.turnId) && !turn.handedOver);
  }

  #forget(turnId: string): void {
    this.#pending = this.#pending.filter((message) => message["turn_id"] !== turnId);
  }

  // incoming messages

  async #run(first: Socket): Promise<void> {
    const leaving: Promise<void>[] = [];
    let socket = first;
    try {
      for (;;) {
        let cause: ShrutiError;
        try {
          cause = await this.#serve(socket);
        } finally {
          this.#socket = undefined;
          // the peer may take long to close: neither the report of the loss nor the next connection waits for it
          leaving.push(leave(socket));
        }
        if (this.#over) return;
        if (cause instanceof ConversationEndedError) break;
        if (!this.#reconnects) return this.#giveUp(cause);
        this.#reportLoss(cause);
        if (!cause.retryable || (this.#finishing && this.#pending.length === 0)) return this.#giveUp(cause);
        // limits the number of closing connections if a server keeps closing them
        if (leaving.length > 1) await leaving.shift();
        // after an idle timeout, reconnecting can wait for the next turn
        const hasNothingToSay = this.#pending.length === 0 && !this.#finishing;
        if (cause instanceof ConversationClosedError && cause.code === IDLE && hasNothingToSay) {
          this.#toSay = deferred();
          await this.#toSay.promise;
          this.#toSay = undefined;
        }
        socket = await reconnected(this.#connect, this.#closing.signal);
        this.#put({ type: "reconnected" });
      }
      this.#giveUp(new ConversationEndedError("the conversation has ended"));
    } catch (error) {
      // callers must not wait forever after any error
      this.#giveUp(error instanceof ShrutiError ? error : new ProtocolError(messageOf(error), { cause: error }));
    } finally {
      await Promise.all(leaving);
    }
  }

  /** Serves one connection, and returns the reason for its end: `ConversationEndedError` for a regular end. */
  async #serve(socket: Socket): Promise<ShrutiError> {
    const served = new AbortController();
    const forget = onAbort(this.#closing.signal, () => void leave(socket));
    [this.#lastHeard, this.#pinged] = [performance.now(), false];
    this.#leaving = false;
    this.#unjudged = [];
    this.#configUnjudged = Object.keys(this.#config).length > 0;
    if (this.#configUnjudged) socket.send(JSON.stringify({ type: "config", ...this.#config }));
    for (const message of this.#pending.splice(0)) this.#handOver(socket, message);
    if (this.#finishing) this.#handOver(socket, CLOSE);
    this.#socket = socket;
    void this.#watch(socket, served.signal);
    try {
      for (;;) {
        const frame = await socket.receive();
        [this.#lastHeard, this.#pinged] = [performance.now(), false];
        const event = this.#told(frame);
        if (event) this.#put(event);
        if (event && this.events.waiting.length >= MAX_EVENTS) {
          await this.events.room(() => this.#cancels.size > 0 || this.#over !== undefined);
          this.#lastHeard = performance.now();
        }
        if (this.#leaving && !this.#isNeeded()) throw new ConversationClosedError(GOING_AWAY, "shutdown");
      }
    } catch (error) {
      if (!(error instanceof ShrutiError)) throw error;
      if (!(error instanceof ConversationClosedError)) return error;
      const nothingWaits = this.#pending.length === 0 && !this.#isSpeaking();
      const isAllSaid = error.code === NORMAL || (error.code === GOING_AWAY && nothingWaits);
      if (this.#finishing && isAllSaid) return new ConversationEndedError("the conversation has ended");
      return this.#closingError ?? error;
    } finally {
      forget();
      served.abort();
      this.#closingError = undefined;
    }
  }

  /** Sends a ping to a silent server, and aborts a connection without an answer. */
  async #watch(socket: Socket, served: AbortSignal): Promise<void> {
    const { speakingMs, idleMs, answerMs } = this.#patience;
    while (!served.aborted) {
      const awaits = this.#turns.size > 0 || this.#cancels.size > 0;
      const restMs = this.#lastHeard + (this.#pinged ? answerMs : awaits ? speakingMs : idleMs) - performance.now();
      if (restMs > 0) {
        await sleep(Math.min(Math.ceil(restMs), speakingMs), served);
      } else if (this.events.isStalled) {
        // nothing is read, so the silence is not the server's
        await sleep(answerMs, served);
      } else if (this.#pinged) {
        socket.abort();
        return;
      } else {
        [this.#lastHeard, this.#pinged] = [performance.now(), true];
        socket.send('{"type":"ping"}');
      }
    }
  }

  #put(event: Event): void {
    if (isSound(event) && [...this.#cancels.values()].some((cancel) => cancel.turnIds.has(event.turnId))) return;
    this.events.put(event);
  }

  #told(frame: Frame): Event | undefined {
    if (typeof frame === "string") return this.#message(wire.parse(frame));
    const turn = this.#sounding;
    if (!turn) throw new ProtocolError("received audio that belongs to no turn");
    turn.receivedBytes += frame.length;
    turn.kept = undefined;
    return { type: "audio", turnId: turn.turnId, data: frame };
  }

  /** Returns whether something is expected from the server. */
  #isNeeded(): boolean {
    return this.#cancels.size > 0 || this.#isSpeaking();
  }

  /** Returns whether the server has a turn that has not ended. */
  #isSpeaking(): boolean {
    return [...this.#turns.values()].some((turn) => turn.handedOver);
  }

  #message(message: wire.Message): Event | undefined {
    const known = this.#turnOf(message);
    // another server reports the outcome of this turn
    if (known?.moves && message["type"] !== "turn.cancelled") return undefined;
    switch (message["type"]) {
      case "turn.started":
        return this.#started(message);
      case "words": {
        const turnId = wire.text(message, "turn_id");
        const turn = this.#turns.get(turnId);
        const units = (chars: number) => (turn ? turn.places.units(turn.text, chars) : chars);
        return { type: "words", turnId, words: wire.words(message, units) };
      }
      case "flushed":
        return {
          type: "flushed",
          turnId: wire.optionalText(message, "turn_id"),
          audioMs: wire.number(message, "audio_ms"),
        };
      case "turn.done":
        return this.#ended({
          type: "done",
          turnId: wire.text(message, "turn_id"),
          audioMs: wire.number(message, "audio_ms"),
          chars: wire.number(message, "chars"),
          ttfaMs: typeof message["ttfa_ms"] === "number" ? message["ttfa_ms"] : null,
          reason: wire.text(message, "reason"),
        });
      case "turn.failed": {
        const error = apiError(wire.object(message, "error"));
        const sentMs = wire.number(message, "sent_ms");
        if (error.code === "draining") {
          this.#leaving = true;
          if (known?.kept && this.#reconnects) {
            this.#move([known]);
            return undefined;
          }
        }
        return this.#ended({ type: "failed", turnId: wire.text(message, "turn_id"), error, sentMs });
      }
      case "turn.cancelled":
        return this.#cancelled(message);
      case "pong":
        if (message["id"] === "settings") this.#unjudged.shift();
        return undefined;
      case "config":
        this.#configUnjudged = false;
        return { type: "config", config: settingsOf(message) };
      case "closing":
        this.#leaving ||= wire.number(message, "code") === GOING_AWAY;
        return undefined;
      case "warning": {
        const [code, words] = [wire.text(message, "code"), wire.text(message, "message")];
        return { type: "warning", code, message: words, turnId: wire.optionalText(message, "turn_id") };
      }
      case "error": {
        const error = apiError(wire.object(message, "error"));
        if (message["scope"] === "message") return this.#rejected(message, error);
        this.#closingError = error;
        return undefined;
      }
      default:
        // a message type of a newer server
        return undefined;
    }
  }

  #started(message: wire.Message): Event {
    const turnId = wire.text(message, "turn_id");
    const outputFormat = wire.optionalText(message, "output_format") ?? "pcm_24000";
    this.#sounding = this.#turns.get(turnId) ?? new TurnState(turnId);
    this.#sounding.bytesPerMs = bytesPerMs(outputFormat);
    const [voice, language] = [wire.text(message, "voice"), wire.text(message, "language")];
    return { type: "started", turnId, voice, language, outputFormat };
  }

  #rejected(message: wire.Message, error: APIError): Event {
    const field = (error.param ?? "").split(".")[0] ?? "";
    const turnId = wire.optionalText(message, "turn_id");
    // a caller that requested a voice must not hear another one
    if (this.#configUnjudged && turnId === undefined && Object.hasOwn(this.#config, field)) throw error;
    const turn = "turn_id" in message ? this.#turns.get(turnId ?? "") : this.#unjudged[0];
    const isText = turnId !== undefined && field === "text";
    if (!turn || turn.outcome || !(isText || turn.settings.has(field))) return { type: "rejected", turnId, error };
    // a turn with a gap in its text is cancelled; nothing waits for the answer
    this.#silence({ turn_id: turn.turnId }, new Set([turn.turnId])).catch(() => undefined);
    return this.#ended({ type: "failed", turnId: turn.turnId, error, sentMs: soundMs(turn) ?? 0 });
  }

  #ended(outcome: Done | Failed): Event {
    const turn = this.#turns.get(outcome.turnId);
    if (turn) this.#end(turn, outcome);
    return outcome;
  }

  #cancelled(message: wire.Message): Event | undefined {
    const cancelled = wire.cancelled(message);
    const turn = this.#turns.get(cancelled.turnId ?? "");
    if (turn) this.#end(turn, cancelled);
    const id = wire.optionalText(message, "id");
    // a cancel without an id was not requested by this client
    if (id === undefined) return cancelled;
    this.#cancels.get(id)?.answer.resolve(cancelled);
    this.#cancels.delete(id);
    return undefined;
  }

  #end(turn: TurnState, outcome: Outcome): void {
    turn.outcome = outcome;
    this.#turns.delete(turn.turnId);
    turn.ended.resolve();
    this.events.wake();
  }

  // lost connections

  /** Moves turns of which nothing was heard to the next server. */
  #move(turns: Iterable<TurnState>): void {
    const moving = new Set<string>();
    for (const turn of turns) {
      if (!turn.handedOver || !turn.kept) continue;
      moving.add(turn.turnId);
      this.#pending.push(...turn.kept);
      [turn.kept, turn.handedOver, turn.moves] = [[], false, true];
    }
    this.#pending = inTurnOrder(this.#pending, this.#turns.keys());
    // the next server reports their start again
    this.events.drop((turnId) => moving.has(turnId));
  }

  /** Ends all turns and cancels of a lost connection. */
  #reportLoss(cause: ShrutiError): void {
    this.#sounding = undefined;
    if (cause instanceof ConversationClosedError && cause.code === GOING_AWAY && !this.#over) {
      this.#move(this.#turns.values());
    }
    const unsaid = new Set(this.#over ? [] : this.#unsaid(new Set(this.#turns.keys())));
    for (const turn of [...this.#turns.values()]) {
      if (unsaid.has(turn)) continue;
      this.#forget(turn.turnId);
      const lost = { type: "lost", turnId: turn.turnId, receivedMs: soundMs(turn), error: cause } as const;
      this.#end(turn, lost);
      this.#put(lost);
    }
    // a cancel that waits for a connection has nothing to cancel on the next one
    this.#pending = this.#pending.filter((message) => message["type"] !== "cancel");
    for (const { answer } of this.#cancels.values()) answer.reject(cause);
    this.#cancels.clear();
  }

  #giveUp(error: ShrutiError): void {
    this.#over ??= error;
    this.#pending = [];
    this.#reportLoss(this.#over);
    this.events.wake();
  }
}

/**
 * Returns the length of a turn's received audio; `undefined` for formats without a fixed number of bytes per
 * millisecond.
 */
function soundMs(turn: TurnState): number | undefined {
  return turn.bytesPerMs && Math.floor(turn.receivedBytes / turn.bytesPerMs);
}
