// A client of /v1/tts/stream: one WebSocket, turn after turn. Dispatches what the server says as events whose `detail` is
// the message: "started", "words", "audio" ({turn, samples}), "done", "failed", "cancelled", "warning", "trouble"
// (a message that was not carried out) and "closed" (with a `Failure` where it was not asked for).

import { api, Failure, read } from "./api.js";
import { TtsStream } from "./tts-stream.js";

export const PATH = "/v1/tts/stream";
const CONNECT_MS = 15_000;

// Why the server closes, where it is worth telling.
const CLOSED = {
  1001: "The server is shutting down.",
  1006: "The connection to the server broke.",
  1011: "Something broke inside the server.",
  1012: "The server restarts.",
  1013: "The server has as much work as it can do well. Try again soon.",
  4401: "Your session here is no longer valid. Sign in again.",
  4402: "The month's allowance is spent.",
  4403: "This page may not open a conversation.",
  4408: "The conversation was idle for long.",
  4410: "The access of this page was revoked.",
  4429: "Too many streams are open at once.",
  4440: "The longest session has passed.",
};

export class Conversation extends TtsStream {
  #cancels = new Map();
  #lastCancel = 0;
  #closing = false;
  #trouble = null;
  #opening = Promise.withResolvers();

  // Fetches a token, connects and waits for `ready`. Throws a `Failure`.
  static async connect() {
    const address = new URL(PATH, location.href);
    address.protocol = address.protocol.replace("http", "ws");
    const conversation = new Conversation(new WebSocket(address, ["tts.v1", `token.${await api.token()}`]));
    try {
      await conversation.#opened();
    } catch (failure) {
      throw (await reason()) ?? failure;
    }
    return conversation;
  }

  async #opened() {
    const timer = setTimeout(() => {
      this.#opening.reject(new Failure("The conversation did not open within 15 seconds.", { code: "no_answer" }));
      this.socket.close();
    }, CONNECT_MS);
    try {
      await this.#opening.promise;
    } finally {
      clearTimeout(timer);
    }
  }

  onReady() {
    this.#opening.resolve();
  }

  get usable() {
    return this.socket.readyState === WebSocket.OPEN && !this.#closing;
  }

  // Appends text to a turn. `settings` (voice, language, speed, pitch) count on a turn's first message.
  text(turn, text, { final = false, ...settings } = {}) {
    this.send({ type: "text", text, turn_id: turn, final, ...settings });
  }

  // Barge-in: from now on nothing of the turn is heard. Gives the server's answer.
  cancel(turn, playedMs) {
    this.#lastCancel += 1;
    const id = `c${this.#lastCancel}`;
    this.send({ type: "cancel", turn_id: turn, played_ms: Math.max(0, Math.round(playedMs)), id });
    return new Promise((resolve, reject) => this.#cancels.set(id, { turn, resolve, reject }));
  }

  close() {
    this.#closing = true;
    this.socket.close(1000);
  }

  onAudio(turn, data) {
    // frames that were on their way when the turn was cancelled
    if (turn === null || this.#cancelling(turn)) return;
    this.#tell("audio", { turn, samples: new Int16Array(data) });
  }

  #cancelling(turn) {
    return [...this.#cancels.values()].some((cancel) => cancel.turn === turn);
  }

  onMessage(message) {
    const turn = message.turn_id;
    switch (message.type) {
      case "turn.started":
        this.#tell("started", message);
        break;
      case "words":
        if (!this.#cancelling(turn)) this.#tell("words", message);
        break;
      case "turn.done":
        if (!this.#cancelling(turn)) this.#tell("done", message);
        break;
      case "turn.failed":
        this.#tell("failed", message);
        break;
      case "turn.cancelled":
        this.#cancels.get(message.id)?.resolve(message);
        this.#cancels.delete(message.id);
        this.#tell("cancelled", message);
        break;
      case "warning":
        this.#tell("warning", message);
        break;
      case "error":
        if (message.scope === "session") this.#trouble = Failure.from(message.error);
        else this.#tell("trouble", message);
        break;
      case "closing":
        this.#closing = true; // the next turn takes a fresh connection
        break;
    }
  }

  onClosed(code, why) {
    if (!this.ready) {
      this.#opening.reject(new Failure("The conversation was refused before it opened, and the browser does not say why. Perhaps as many are open as may be: try again soon. Behind a proxy, see that it passes WebSockets on.", { code: "refused" }));
      return;
    }
    const expected = code === 1000 || code === 1005;
    const said = CLOSED[code] ?? `The server closed the conversation (${code}).`;
    const failure = expected ? null : this.#trouble ?? new Failure(said, { code: why.split(" ")[0] || `closed_${code}`, requestId: this.ready.session_id });
    for (const { reject } of this.#cancels.values()) reject(failure ?? new Failure("The conversation was closed.", { code: "closed" }));
    this.#cancels.clear();
    this.#tell("closed", failure);
  }

  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

// A browser hides what a refused upgrade answered. The same request without the upgrade is refused in the same words, or
// with `websocket_required` where nothing else is wrong; then null.
export async function reason() {
  try {
    const token = await api.token();
    await read(await fetch(PATH, { headers: { authorization: `Bearer ${token}` }, credentials: "omit", cache: "no-store" }));
    return null;
  } catch (failure) {
    return failure.code === "websocket_required" || failure.code === "unreachable" || !(failure instanceof Failure) ? null : failure;
  }
}
