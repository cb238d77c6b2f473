/** Opening the connections of a conversation, the first and those after a loss, and leaving them. */

import { ConnectionFailedError, ConversationClosedError, ProtocolError, ShrutiError } from "./errors.js";
import type { Socket } from "./socket.js";
import { deferred, onAbort, sleep } from "./timers.js";
import * as wire from "./wire.js";

/** How long a server may take until it is ready. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Attempts to connect again before the conversation is given up, and the first and the longest pause between two. */
const MAX_RECONNECTS = 10;
const RECONNECT_PAUSES_MS = [100, 5_000] as const;
/** How long both sides of a close may take together. */
const CLOSE_TIMEOUT_MS = 2_000;

/** Opens a socket and signs in. */
export type Connect = (signal: AbortSignal) => Promise<Socket>;

/** A socket on which `ready` has come, and that message. */
export interface Greeted {
  readonly socket: Socket;
  readonly ready: wire.Message;
}

/** Connects, until `closing`. */
export async function greeted(connect: Connect, closing: AbortSignal): Promise<Greeted> {
  const attempt = new AbortController();
  const forget = onAbort(closing, () => attempt.abort());
  const late = deferred<never>();
  const timer = setTimeout(() => attempt.abort(), CONNECT_TIMEOUT_MS);
  onAbort(attempt.signal, () => late.reject(new ConnectionFailedError("the server does not answer")));
  const opening = greet(connect, attempt.signal);
  try {
    return await Promise.race([opening, late.promise]);
  } catch (error) {
    attempt.abort();
    opening.then(
      ({ socket }) => socket.abort(),
      () => undefined,
    );
    throw error;
  } finally {
    late.promise.catch(() => undefined);
    clearTimeout(timer);
    forget();
  }
}

/** Connects after a loss, in as many attempts as it takes; throws why the last came to nothing. */
export async function reconnected(connect: Connect, closing: AbortSignal): Promise<Socket> {
  let [pauseMs] = RECONNECT_PAUSES_MS as readonly [number, number];
  for (let attempt = 1; ; attempt += 1) {
    try {
      return (await greeted(connect, closing)).socket;
    } catch (error) {
      const may = error instanceof ShrutiError && error.retryable && !closing.aborted;
      if (attempt === MAX_RECONNECTS || !may) throw error;
    }
    // not all clients of a server that restarts come back at once
    await sleep(pauseMs * (0.5 + Math.random() / 2), closing);
    pauseMs = Math.min(pauseMs * 2, RECONNECT_PAUSES_MS[1]);
  }
}

/** Ends a connection in order; one that does not end in time is left. */
export async function leave(socket: Socket): Promise<void> {
  const timer = setTimeout(() => socket.abort(), CLOSE_TIMEOUT_MS);
  await socket.close();
  clearTimeout(timer);
}

async function greet(connect: Connect, signal: AbortSignal): Promise<Greeted> {
  const socket = await connect(signal);
  try {
    const forget = onAbort(signal, () => socket.abort());
    const first = await socket.receive().finally(forget);
    const ready = typeof first === "string" ? wire.parse(first) : {};
    if (ready["type"] !== "ready") throw new ProtocolError("the first message is no greeting");
    return { socket, ready };
  } catch (error) {
    socket.abort();
    if (error instanceof ConversationClosedError) throw new ConnectionFailedError(error.message, { cause: error });
    throw error;
  }
}
