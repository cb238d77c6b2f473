/** Queue of the events that the caller has not taken yet. */

import { isSound, turnOf, type Event } from "./events.js";
import { deferred, type Deferred } from "./timers.js";

/** Maximum number of events in the queue. When the queue is full, the connection stops reading. */
export const MAX_EVENTS = 256;

interface Taker {
  /** Turn whose events are awaited; `undefined` for all turns. */
  readonly turnId: string | undefined;
  readonly news: Deferred<void>;
}

export class EventQueue {
  #events: Event[] = [];
  readonly #takers = new Set<Taker>();
  #room: Deferred<void> | undefined;

  get waiting(): readonly Event[] {
    return this.#events;
  }

  /** Whether the connection waits for room in the queue. */
  get isStalled(): boolean {
    return this.#room !== undefined;
  }

  put(event: Event): void {
    this.#events.push(event);
    this.wake();
  }

  /** Removes and returns the next event, or the next event of the turn if one is given. */
  pop(turnId: string | undefined): Event | undefined {
    const at = turnId === undefined ? 0 : this.#events.findIndex((event) => turnOf(event) === turnId);
    const [event] = at < 0 ? [] : this.#events.splice(at, 1);
    if (event && this.#events.length < MAX_EVENTS) this.makeWay();
    return event;
  }

  /** Drops the audio events of the turns for which `unwanted` returns `true`. */
  drop(unwanted: (turnId: string) => boolean): void {
    this.#events = this.#events.filter((event) => !(isSound(event) && unwanted(event.turnId)));
  }

  /** Waits for a change. `turnId` is the turn whose events are awaited. */
  async news(turnId: string | undefined): Promise<void> {
    const taker = { turnId, news: deferred<void>() };
    this.#takers.add(taker);
    // the queue may be full of events of other turns, so `room` must check it again
    this.makeWay();
    await taker.news.promise;
    this.#takers.delete(taker);
  }

  /** Wakes all consumers. */
  wake(): void {
    for (const { news } of this.#takers) news.resolve();
  }

  /** Wakes the producer, which may be waiting for room. */
  makeWay(): void {
    this.#room?.resolve();
  }

  /**
   * Waits until there is room, or until `enough` returns `true`. If every consumer waits for events of a particular
   * turn, drops the audio of all other turns and returns.
   */
  async room(enough: () => boolean): Promise<void> {
    while (this.#events.length >= MAX_EVENTS && !enough()) {
      const awaited = new Set([...this.#takers].map((taker) => taker.turnId));
      if (awaited.size > 0 && !awaited.has(undefined)) {
        this.drop((turnId) => !awaited.has(turnId));
        break;
      }
      this.#room = deferred();
      await this.#room.promise;
      this.#room = undefined;
    }
  }
}
