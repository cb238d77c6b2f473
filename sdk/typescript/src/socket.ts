/** Connection over any transport. */

import type { ShrutiError } from "./errors.js";
import { deferred, type Deferred } from "./timers.js";

export const PROTOCOL = "tts.v1";
export const PATH = "/v1/tts/stream";
/** Maximum number of received frames in the queue of a Node socket. When it is reached, the socket stops reading. */
export const MAX_INBOX_FRAMES = 64;

export type Frame = string | Uint8Array<ArrayBuffer>;

/** An open connection. */
export interface Socket {
  /** Sends a message. Does nothing if the connection has ended; `receive` reports the end. */
  send(text: string): void;
  /** Number of unsent bytes. */
  readonly unsentBytes: number;
  /** Returns the next message. Rejects with `ConnectionLostError`, or `ConversationClosedError` after a close frame. */
  receive(): Promise<Frame>;
  /** Closes the connection with a handshake. Resolves when the connection has ended. */
  close(): Promise<void>;
  /** Ends the connection immediately. `receive` then rejects. */
  abort(): void;
}

/** Connects and signs in. Rejects with the server's error if the server refuses. `url` begins with `http`. */
export type OpenSocket = (url: string, credential: string, signal: AbortSignal) => Promise<Socket>;

/** Received frames that have not been taken yet, and the reason for the end of the connection. */
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

  /** Ends the inbox. Its frames can still be taken. Only the first call has an effect. */
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
