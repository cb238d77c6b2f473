/**
 * The connection of a conversation. It keeps the turns, exchanges messages with the server, and reconnects after a
 * loss.
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

/** Maximum number of unsent bytes. If it is exceeded, the connection is aborted. */
const MAX_UNSENT_BYTES = 16 << 20;
const NORMAL = 1000;
const GOING_AWAY = 1001;
const IDLE = 4408;

/** Timeouts for a silent server, in milliseconds. */
export interface Patience {
  /** Silence after which a ping is sent: `speakingMs` while a turn or a cancel is open, otherwise `idleMs`. */
  readonly speakingMs: number;
  readonly idleMs: number;
  /** Maximum time to wait for the pong. After that, the connection is aborted. */
  readonly answerMs: number;
}
export const PATIENCE: Patience = { speakingMs: 5_000, idleMs: 20_000, answerMs: 5_000 };

const CLOSE: WireMessage = { type: "close" };

/** A cancel whose response has not arrived yet. Until then, the audio of its turns is discarded. */
interface PendingCancel {
  readonly turnIds: ReadonlySet<string>;
  readonly answer: Deferred<Cancelled>;
}

/** One conversation over one or more sockets. */
export class Connection {
  readonly events = new EventQueue();
  /** `ready` message of the first connection. */
  ready: wire.Message = {};

  readonly #connect: Connect;
  readonly #config: Record<string, unknown>;
  readonly #patience: Patience;
  /** Whether to reconnect after a loss. If `false`, the loss of the connection ends the conversation. */
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
  /** Turns whose settings the server has not accepted or rejected yet, in the order in which they were sent. */
  #unjudged: TurnState[] = [];
  #configUnjudged = false;
  #closingError: APIError | undefined;
  /**
   * Whether the server is shutting down. If it is, the client closes the connection as soon as no turn and no cancel is
   * open.
   */
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

  // methods for `Session` and `Turn`

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
   * Whether new turns are accepted. No turn is accepted after the conversation has ended or `finish` was called. If
   * reconnecting is disabled, none is accepted while the server is shutting down either.
   */
  get isOpen(): boolean {
    return !this.#over && !this.#finishing && (this.#reconnects || !this.#leaving);
  }

  /** Registers a turn. Throws if a turn with the same id is already open. */
  begin(turn: TurnState): void {
    this.check();
    if (this.#turns.has(turn.turnId)) throw new ShrutiError(`turn ${turn.turnId} is already open`);
    this.#turns.set(turn.turnId, turn);
  }

  /** Sends a piece of a turn's text. The piece is dropped if the turn has ended. */
  text(turn: TurnState, text: string, options: WireMessage): void {
    this.check();
    if (turn.outcome) return;
    turn.text += text;
    this.#send({ type: "text", text, turn_id: turn.turnId, ...options });
  }

  /** Sends a message about a turn that contains no text. The message is dropped if the turn has ended. */
  about(turn: TurnState, message: WireMessage): void {
    this.check();
    // after all audio of a turn has been received, the player may still be playing the turn and reporting its position
    if (turn.outcome && !(message["type"] === "played" && turn.outcome.type === "done")) return;
    this.#send({ ...message, turn_id: turn.turnId });
  }

  configure(config: WireMessage): void {
    this.check();
    Object.assign(this.#config, config);
    if (this.#socket) this.#send({ type: "config", ...config });
  }

  /**
   * Cancels one turn, or all turns if `turnId` is `undefined`. Discards their audio immediately, and returns the
   * server's response.
   */
  async cancel(message: WireMessage, turnId: string | undefined): Promise<Cancelled> {
    this.check();
    const turnIds = new Set(turnId === undefined ? this.#turns.keys() : [turnId]);
    for (const turn of this.#unsaid(turnIds)) {
      // no message of this turn was sent, so the server cannot respond
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
    // if all turns are cancelled, the audio of turns that have ended is dropped too
    this.events.drop((other) => turnId === undefined || other === turnId);
    this.events.makeWay();
    return this.#silence(message, turnIds);
  }

  /** Sends a cancel, and discards the audio of its turns until the response arrives. */
  #silence(message: WireMessage, turnIds: ReadonlySet<string>): Promise<Cancelled> {
    for (const turnId of turnIds) {
      const turn = this.#turns.get(turnId);
      // a cancelled turn must not move to another server
      if (turn) turn.kept = undefined;
    }
    this.#cancelCount += 1;
    const id = `c${this.#cancelCount}`;
    const answer = deferred<Cancelled>();
    this.#cancels.set(id, { turnIds, answer });
    this.#send({ type: "cancel", ...message, id });
    return answer.promise;
  }

  /** Ends the conversation after all turns have ended. */
  finish(): void {
    if (this.#over || this.#finishing) return;
    this.#finishing = true;
    if (this.#socket) this.#handOver(this.#socket, CLOSE);
    // there is no connection: the next connection sends the pending messages and then the close message
    else this.#toSay?.resolve();
  }

  /** Returns the next event of the turn or, if none is given, of the conversation; `undefined` after the last event. */
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

  /** Ends the conversation immediately. The server stops its work for the conversation. */
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
      // older servers do not name the turn in an error: an error that arrives before the pong is about this turn
      this.#unjudged.push(turn);
      socket.send('{"type":"ping","id":"settings"}');
    }
    if (socket.unsentBytes > MAX_UNSENT_BYTES) socket.abort();
  }

  /** Returns the given turns for which no message has been sent. */
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
          // closing may take long, so do not wait for it before reporting the loss and opening the next connection
          leaving.push(leave(socket));
        }
        if (this.#over) return;
        if (cause instanceof ConversationEndedError) break;
        if (!this.#reconnects) return this.#giveUp(cause);
        this.#reportLoss(cause);
        if (!cause.retryable || (this.#finishing && this.#pending.length === 0)) return this.#giveUp(cause);
        // limit the number of connections that are being closed, in case the server ends every connection
        if (leaving.length > 1) await leaving.shift();
        // after an idle timeout, reconnect only when there is something to send
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
      // end the conversation after any error, so that no caller waits forever
      this.#giveUp(error instanceof ShrutiError ? error : new ProtocolError(messageOf(error), { cause: error }));
    } finally {
      await Promise.all(leaving);
    }
  }

  /** Serves one connection until it ends, and returns the reason: `ConversationEndedError` for a regular end. */
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

  /** Sends a ping when the server is silent, and aborts the connection if no pong arrives in time. */
  async #watch(socket: Socket, served: AbortSignal): Promise<void> {
    const { speakingMs, idleMs, answerMs } = this.#patience;
    while (!served.aborted) {
      const awaits = this.#turns.size > 0 || this.#cancels.size > 0;
      const restMs = this.#lastHeard + (this.#pinged ? answerMs : awaits ? speakingMs : idleMs) - performance.now();
      if (restMs > 0) {
        await sleep(Math.min(Math.ceil(restMs), speakingMs), served);
      } else if (this.events.isStalled) {
        // reading is paused because the event queue is full, so the silence does not mean that the server is silent
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

  /** Returns whether the response to a cancel or the end of a turn is expected from the server. */
  #isNeeded(): boolean {
    return this.#cancels.size > 0 || this.#isSpeaking();
  }

  /** Returns whether a turn that was sent to the server has not ended. */
  #isSpeaking(): boolean {
    return [...this.#turns.values()].some((turn) => turn.handedOver);
  }

  #message(message: wire.Message): Event | undefined {
    const known = this.#turnOf(message);
    // this turn moves to another server, which will report its outcome
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
        // ignore the message types of newer servers
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
    // end the connection: a caller that requested a voice must not hear a different one
    if (this.#configUnjudged && turnId === undefined && Object.hasOwn(this.#config, field)) throw error;
    const turn = "turn_id" in message ? this.#turns.get(turnId ?? "") : this.#unjudged[0];
    const isText = turnId !== undefined && field === "text";
    if (!turn || turn.outcome || !(isText || turn.settings.has(field))) return { type: "rejected", turnId, error };
    // cancel the turn, because a setting or a part of its text is missing on the server; ignore the response
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
    // a message without an id reports a cancellation that this client did not request
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

  /**
   * Queues turns for the next server. Skips turns that the current server has not received and turns that cannot move.
   */
  #move(turns: Iterable<TurnState>): void {
    const moving = new Set<string>();
    for (const turn of turns) {
      if (!turn.handedOver || !turn.kept) continue;
      moving.add(turn.turnId);
      this.#pending.push(...turn.kept);
      [turn.kept, turn.handedOver, turn.moves] = [[], false, true];
    }
    this.#pending = inTurnOrder(this.#pending, this.#turns.keys());
    // drop the events of these turns, because the next server reports their start again
    this.events.drop((turnId) => moving.has(turnId));
  }

  /**
   * Ends the turns and cancels of a lost connection with its error. Turns that the next connection can speak stay open.
   */
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
    // drop cancels that have not been sent, because their turns do not exist on the next connection
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
 * Returns the length of a turn's received audio, in milliseconds; `undefined` for formats without a fixed number of
 * bytes per millisecond.
 */
function soundMs(turn: TurnState): number | undefined {
  return turn.bytesPerMs && Math.floor(turn.receivedBytes / turn.bytesPerMs);
}
