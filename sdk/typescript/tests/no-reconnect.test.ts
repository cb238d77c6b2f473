/** Tests of conversations that do not reconnect, with a socket in memory. */

import { expect, test } from "vitest";

import { ConnectionLostError, ConversationClosedError, type ShrutiError } from "../src/errors.js";
import type { Event } from "../src/events.js";
import { Session } from "../src/session.js";
import { Inbox, type Frame, type Socket } from "../src/socket.js";

class MemorySocket implements Socket {
  readonly inbox = new Inbox();
  readonly sent: Record<string, unknown>[] = [];
  readonly unsentBytes = 0;

  send(text: string): void {
    this.sent.push(JSON.parse(text) as Record<string, unknown>);
  }

  receive(): Promise<Frame> {
    return this.inbox.take();
  }

  close(): Promise<void> {
    this.inbox.end(new ConversationClosedError(1000, "normal"));
    return Promise.resolve();
  }

  abort(): void {
    this.inbox.end(new ConnectionLostError("the connection broke"));
  }

  tell(message: Record<string, unknown>): void {
    this.inbox.put(JSON.stringify(message));
  }
}

async function opened(): Promise<{ session: Session; socket: MemorySocket; connections: () => number }> {
  const socket = new MemorySocket();
  socket.tell({ type: "ready", session_id: "req_1" });
  let connections = 0;
  const connect = () => {
    connections += 1;
    return Promise.resolve(socket);
  };
  const session = await new Session(connect, {}, undefined, false).open();
  return { session, socket, connections: () => connections };
}

/** Takes all remaining events. Returns them, and the error that ended the conversation. */
async function rest(session: Session): Promise<{ events: Event[]; error: unknown }> {
  const events: Event[] = [];
  try {
    for await (const event of session) events.push(event);
  } catch (error) {
    return { events, error };
  }
  return { events, error: undefined };
}

const CLOSED: [string, ShrutiError][] = [
  ["a loss", new ConnectionLostError("the connection broke")],
  ["an idle timeout", new ConversationClosedError(4408, "idle req_1")],
  ["a shutdown", new ConversationClosedError(1001, "shutdown req_1")],
];

test.each(CLOSED)("%s between turns ends the conversation", async (_, cause) => {
  const { session, socket, connections } = await opened();
  expect(session.isOpen).toBe(true);
  socket.inbox.end(cause);
  expect(await rest(session)).toEqual({ events: [], error: cause });
  expect([session.isOpen, connections()]).toEqual([false, 1]);
  expect(() => session.say("again")).toThrow(cause);
});

test.each(CLOSED)("%s in a turn ends the turn and the conversation", async (_, cause) => {
  const { session, socket, connections } = await opened();
  session.say("one", { turnId: "a" });
  socket.inbox.end(cause);
  const { events, error } = await rest(session);
  expect(events).toMatchObject([{ type: "lost", turnId: "a", error: cause }]);
  expect([error, connections()]).toEqual([cause, 1]);
});

test("a server completes the turn during shutdown, and gets no other turn", async () => {
  const { session, socket, connections } = await opened();
  session.say("one", { turnId: "a" });
  socket.tell({ type: "closing", reason: "shutdown", code: 1001, in_ms: 29_000 });
  socket.tell({ type: "turn.started", turn_id: "a", voice: "Ananya", language: "en" });
  expect(await session.nextEvent()).toMatchObject({ type: "started" });
  expect(session.isOpen).toBe(false);
  socket.tell({ type: "turn.done", turn_id: "a", audio_ms: 0, chars: 3, ttfa_ms: 1, reason: "complete" });
  const { events, error } = await rest(session);
  expect(events).toMatchObject([{ type: "done", turnId: "a" }]);
  expect(error).toMatchObject({ code: 1001 });
  expect(connections()).toBe(1);
});

test("a turn that a server rejects during shutdown fails", async () => {
  const { session, socket } = await opened();
  session.say("one", { turnId: "a" });
  const error = { type: "server_error", code: "draining", message: "shuts down", retryable: true };
  socket.tell({ type: "turn.failed", turn_id: "a", sent_ms: 0, error });
  expect(await session.nextEvent()).toMatchObject({ type: "failed", turnId: "a", error: { code: "draining" } });
});
