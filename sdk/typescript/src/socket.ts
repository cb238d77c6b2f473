/** A connection, whatever it is made of. */

import type { ShrutiError } from "./errors.js";
import { deferred, type Deferred } from "./timers.js";

export const PROTOCOL = "tts.v1";
export const PATH = "/v1/tts/stream";
/** Frames that may wait inside a socket before it stops reading. */
export const MAX_INBOX_FRAMES = 64;

export type Frame = string | Uint8Array<ArrayBuffer>;

/** A connection, once the upgrade was answered. */
export interface Socket {
  /** Writes a message. Does nothing once the connection has ended: `receive` tells that. */
  send(text: string): void;
  /** Bytes that were written and not taken by the network yet. */
  readonly unsentBytes: number;
  /** The next message. Rejects with `ConnectionLostError`, or `ConversationClosedError` after a close frame. */
  receive(): Promise<Frame>;
  /** Ends the connection in order; resolves when it has ended. */
  close(): Promise<void>;
  /** Ends the connection at once; `receive` rejects then. */
  abort(): void;
}

/** Connects and signs in. Rejects with the server's refusal. `url` begins with http. */
export type OpenSocket = (url: string, credential: string, signal: AbortSignal) => Promise<Socket>;

/** Frames that came and were not received yet, and how the connection ended. */
export class Inbox {
  #frames: Frame[] = [];
  #end: ShrutiError | undefined;
  #waiter: Deferred<void> | undefined;

  get length(): number {
    return this.#frames.length;
  }

  get ended(): boolean {
    return this.#end !== undefined;
  }

  put(frame: Frame): void {
    if (this.#end) return;
    this.#frames.push(frame);
    this.#waiter?.resolve();
  }

  /** No more frames come; those that are there can still be taken. The first end counts. */
  end(error: ShrutiError): void {
    this.#end ??= error;
    this.#waiter?.resolve();
  }

  async take(): Promise<Frame> {
    for (;;) {
      const frame = this.#frames.shift();
      if (frame !== undefined) return frame;
      if (this.#end) throw this.#end;
      this.#waiter = deferred();
      await this.#waiter.promise;
      this.#waiter = undefined;
    }
  }
}
