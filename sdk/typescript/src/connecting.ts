/** Opens the connections of a conversation (the first connection, and another one after each loss) and closes them. */

import { ConnectionFailedError, ConversationClosedError, ProtocolError, ShrutiError } from "./errors.js";
import type { Socket } from "./socket.js";
import { deferred, onAbort, sleep } from "./timers.js";
import * as wire from "./wire.js";

/** Maximum time until the `ready` message of a server arrives, in milliseconds. */
const CONNECT_TIMEOUT_MS = 10_000;
/**
 * Maximum number of attempts to reconnect, and the initial and the longest pause between two attempts, in milliseconds.
 */
const MAX_RECONNECTS = 10;
const RECONNECT_PAUSES_MS = [100, 5_000] as const;
/** Timeout of a closing handshake, in milliseconds. */
const CLOSE_TIMEOUT_MS = 2_000;

/** Opens a socket and signs in. */
export type Connect = (signal: AbortSignal) => Promise<Socket>;

/** A socket and the `ready` message that was received on it. */
export interface Greeted {
  readonly socket: Socket;
  readonly ready: wire.Message;
}

/** Connects and waits for the `ready` message. Aborting `closing` cancels the attempt. */
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

/** Reconnects after a loss, in several attempts if necessary. Throws the error of the last attempt. */
export async function reconnected(connect: Connect, closing: AbortSignal): Promise<Socket> {
  let [pauseMs] = RECONNECT_PAUSES_MS as readonly [number, number];
  for (let attempt = 1; ; attempt += 1) {
    try {
      return (await greeted(connect, closing)).socket;
    } catch (error) {
      const may = error instanceof ShrutiError && error.retryable && !closing.aborted;
      if (attempt === MAX_RECONNECTS || !may) throw error;
    }
    // jitter, so that the clients of a restarted server do not all reconnect at the same time
    await sleep(pauseMs * (0.5 + Math.random() / 2), closing);
    pauseMs = Math.min(pauseMs * 2, RECONNECT_PAUSES_MS[1]);
  }
}

/** Closes a connection. Aborts the connection if closing takes too long. */
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
    if (ready["type"] !== "ready") throw new ProtocolError("the first message is not a greeting");
    return { socket, ready };
  } catch (error) {
    socket.abort();
    if (error instanceof ConversationClosedError) throw new ConnectionFailedError(error.message, { cause: error });
    throw error;
  }
}
