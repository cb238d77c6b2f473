/** WebSocket for browsers. It cannot send headers, so the client signs in with a single-use token as a subprotocol. */

import { ConnectionFailedError, ConnectionLostError, ConversationClosedError, refusal, ShrutiError } from "./errors.js";
import { Inbox, PATH, PROTOCOL, type Frame, type Socket } from "./socket.js";
import { onAbort } from "./timers.js";

/**
 * Maximum number of received bytes in the queue. If it is exceeded, the connection is aborted, because a browser's
 * socket cannot stop reading.
 */
const MAX_WAITING_BYTES = 16 << 20;
/** Close code that browsers report if no close frame was received. */
const ABNORMAL = 1006;

class BrowserSocket implements Socket {
  readonly #socket: WebSocket;
  readonly #inbox = new Inbox();
  readonly #closed: Promise<void>;
  #waiting = 0;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
      this.#waiting += sizeOf(data);
      if (this.#waiting > MAX_WAITING_BYTES)
        this.abort(`more than ${MAX_WAITING_BYTES} received bytes are waiting to be read`);
      else this.#inbox.put(typeof data === "string" ? data : new Uint8Array(data));
    };
    this.#closed = new Promise((resolve) => {
      socket.onclose = ({ code, reason }) => {
        this.#inbox.end(
          code === ABNORMAL
            ? new ConnectionLostError("the connection was lost: it ended without a close frame")
            : new ConversationClosedError(code, reason),
        );
        resolve();
      };
    });
  }

  get unsentBytes(): number {
    return this.#socket.bufferedAmount;
  }

  send(text: string): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(text);
  }

  async receive(): Promise<Frame> {
    const frame = await this.#inbox.take();
    this.#waiting -= sizeOf(frame);
    return frame;
  }

  async close(): Promise<void> {
    this.#socket.close(1000);
    await this.#closed;
  }

  abort(why = "it was aborted"): void {
    this.#inbox.end(new ConnectionLostError(`the connection was lost: ${why}`));
    this.#socket.onmessage = null;
    this.#socket.close();
  }
}

function sizeOf(data: string | ArrayBuffer | Uint8Array): number {
  return typeof data === "string" ? data.length : data.byteLength;
}

/** Connects to a server and signs in with a token. */
export async function openBrowserSocket(url: string, credential: string, signal: AbortSignal): Promise<Socket> {
  if (credential.startsWith("sk_")) {
    throw new ShrutiError(
      "a page cannot send an API key, and must not contain one: pass `token`, a function that fetches a single-use token from your server",
    );
  }
  const socket = new WebSocket(url.replace("http", "ws") + PATH, [PROTOCOL, `token.${credential}`]);
  socket.binaryType = "arraybuffer";
  const settled = onAbort(signal, () => socket.close());
  try {
    const opened = await new Promise<boolean>((resolve) => {
      socket.onopen = () => resolve(true);
      socket.onclose = () => resolve(false);
    });
    if (opened) return new BrowserSocket(socket);
  } finally {
    settled();
  }
  throw (await whyRefused(url, credential, signal)) ?? new ConnectionFailedError(`no connection to ${url}`);
}

/**
 * Returns the reason for a rejected upgrade, or `undefined` if it stays unknown. Browsers hide the reason, so this
 * function requests a clip without text. If the upgrade was rejected because of the token, the page or the server's
 * load, that request is rejected with the same error. It costs nothing and does not use up the token.
 */
async function whyRefused(url: string, credential: string, signal: AbortSignal): Promise<ShrutiError | undefined> {
  try {
    const response = await fetch(`${url}/v1/tts`, {
      method: "POST",
      headers: { authorization: `Bearer ${credential}`, "content-type": "application/json" },
      body: "{}",
      credentials: "omit",
      signal,
    });
    const body = await response.text();
    return response.status === 400 ? undefined : refusal(response.status, body, response.headers.get("retry-after"));
  } catch {
    return undefined;
  }
}
