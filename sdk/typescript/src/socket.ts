/** Connection over any transport. */

import type { ShrutiError } from "./errors.js";
import { deferred, type Deferred } from "./timers.js";

export const PROTOCOL = "tts.v1";
export const PATH = "/v1/tts/stream";
/** Maximum number of frames inside a socket before it stops reading. */
export const MAX_INBOX_FRAMES = 64;

export type Frame = string | Uint8Array<ArrayBuffer>;

/** An open connection. */
export interface Socket {
  /** Sends a message. Does nothing after the end of the connection, which `receive` reports. */
  send(text: string): void;
  /** Bytes that were written but not sent yet. */
  readonly unsentBytes: number;
  /** Returns the next message. Rejects with `ConnectionLostError`, or `ConversationClosedError` after a close frame. */
  receive(): Promise<Frame>;
  /** Closes the connection with a handshake; resolves when it has ended. */
  close(): Promise<void>;
  /** Ends the connection immediately; `receive` then rejects. */
  abort(): void;
}

/** Connects and signs in. Rejects with the server's refusal. `url` begins with http. */
export type OpenSocket = (url: string, credential: string, signal: AbortSignal) => Promise<Socket>;

/** Received frames that were not taken, and the reason for the end of the connection. */
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

  /** Ends the inbox. Frames in it can still be taken. Only the first call counts. */
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
