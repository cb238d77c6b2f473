/** State of the turns of a connection, and the order of messages that move to another server. */

import type { Outcome } from "./events.js";
import { Places } from "./text.js";
import { deferred } from "./timers.js";

/**
 * Maximum number of messages that wait for a connection, and maximum number of messages kept per turn for another
 * server.
 */
export const MAX_KEPT = 4_096;

/** A message to the server. */
export type WireMessage = Readonly<Record<string, unknown>>;

/** State of a turn. */
export class TurnState {
  text = "";
  handedOver = false;
  receivedBytes = 0;
  bytesPerMs: number | undefined = 48;
  outcome: Outcome | undefined;
  /**
   * Messages to send again if the turn moves to another server. `undefined` if the turn cannot move: part of its audio
   * was received, it was cancelled, or it has too many messages.
   */
  kept: WireMessage[] | undefined = [];
  /** Whether the turn waits for another server. No more of its messages are sent to the current server. */
  moves = false;
  readonly ended = deferred<void>();
  readonly places = new Places();
  readonly turnId: string;
  /** Names of the settings of this turn. The server may reject them. */
  readonly settings: ReadonlySet<string>;

  constructor(turnId: string, settings: ReadonlySet<string> = new Set()) {
    this.turnId = turnId;
    this.settings = settings;
  }

  /** Records a message that is sent to the server. */
  handOver(message: WireMessage): void {
    [this.handedOver, this.moves] = [true, false];
    if (this.kept && this.kept.length < MAX_KEPT) this.kept.push(message);
    else this.kept = undefined;
  }
}

/**
 * Sorts messages by the order in which their turns began. Turns with `preempt` come first, because they would cancel
 * any turns sent before them. Messages without a turn come before all others.
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
