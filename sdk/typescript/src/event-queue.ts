/** Events that wait to be taken, of one turn or of all. */

import { isSound, turnOf, type Event } from "./events.js";
import { deferred, type Deferred } from "./timers.js";

/** Events that may wait. While so many wait, nothing more is read. */
export const MAX_EVENTS = 256;

interface Taker {
  /** The turn whose events are awaited; `undefined`: those of all. */
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

  /** Whether who fills the queue waits for room. */
  get isStalled(): boolean {
    return this.#room !== undefined;
  }

  put(event: Event): void {
    this.#events.push(event);
    this.wake();
  }

  /** The next event, of one turn where one is given. */
  pop(turnId: string | undefined): Event | undefined {
    const at = turnId === undefined ? 0 : this.#events.findIndex((event) => turnOf(event) === turnId);
    const [event] = at < 0 ? [] : this.#events.splice(at, 1);
    if (event && this.#events.length < MAX_EVENTS) this.makeWay();
    return event;
  }

  /** Drops sound that nobody has taken. */
  drop(unwanted: (turnId: string) => boolean): void {
    this.#events = this.#events.filter((event) => !(isSound(event) && unwanted(event.turnId)));
  }

  /** Waits for something new. */
  async news(turnId: string | undefined): Promise<void> {
    const taker = { turnId, news: deferred<void>() };
    this.#takers.add(taker);
    // who fills the queue may have to make room for what is awaited here
    this.makeWay();
    await taker.news.promise;
    this.#takers.delete(taker);
  }

  /** Has all who wait look again. */
  wake(): void {
    for (const { news } of this.#takers) news.resolve();
  }

  /** Has who waits for room look again. */
  makeWay(): void {
    this.#room?.resolve();
  }

  /** Waits until events are taken, or `enough` says so. Who waits for one turn has done with the sound of the others. */
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
