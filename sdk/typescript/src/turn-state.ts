/** What a connection knows of the turns that were begun on it, and what another server can be told of them. */

import type { Outcome } from "./events.js";
import { Places } from "./text.js";
import { deferred } from "./timers.js";

/** Messages that may wait for a connection, and those of a turn that are kept for another server. */
export const MAX_KEPT = 4_096;

/** A message to the server. */
export type WireMessage = Readonly<Record<string, unknown>>;

/** What is known of a turn that was begun. */
export class TurnState {
  text = "";
  handedOver = false;
  receivedBytes = 0;
  bytesPerMs: number | undefined = 48;
  outcome: Outcome | undefined;
  /** What was handed over and another server can be told instead; `undefined` once a part was heard or it was cancelled. */
  kept: WireMessage[] | undefined = [];
  /** It waits for another server: nothing more of it goes to this one. */
  moves = false;
  readonly ended = deferred<void>();
  readonly places = new Places();
  readonly turnId: string;
  /** Names of its own settings, which the server may refuse. */
  readonly settings: ReadonlySet<string>;

  constructor(turnId: string, settings: ReadonlySet<string> = new Set()) {
    this.turnId = turnId;
    this.settings = settings;
  }

  /** Takes note of a message that goes to the server. */
  handOver(message: WireMessage): void {
    [this.handedOver, this.moves] = [true, false];
    if (this.kept && this.kept.length < MAX_KEPT) this.kept.push(message);
    else this.kept = undefined;
  }
}

/**
 * Messages in the order in which their turns began, but those before them that go before all that wait (`preempt`), which
 * would cancel what is said before. First of all is what is of no turn.
 */
export function inTurnOrder(messages: readonly WireMessage[], turnIds: Iterable<string>): WireMessage[] {
  const order = new Map([...turnIds].map((turnId, place): [unknown, number] => [turnId, place]));
  const preempting = new Set(messages.flatMap((message) => (message["preempt"] ? [message["turn_id"]] : [])));
  const place = ({ turn_id: turnId }: WireMessage): number => {
    const begun = order.get(turnId);
    if (begun === undefined) return -1;
    return preempting.has(turnId) ? begun : begun + order.size;
  };
  return [...messages].sort((one, other) => place(one) - place(other));
}
