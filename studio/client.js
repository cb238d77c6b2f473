// Client for the server (sdk/typescript). It signs in with tokens that the Studio's session requests. Errors are
// converted to `Failure`s, whose messages can be shown to the user.

import { APIError, Client, ConnectionFailedError, ConnectionLostError, ConversationClosedError } from "@shruti/client";
import { api, Failure } from "./api.js";

// Reasons for which the server closes a conversation, by WebSocket close code.
const CLOSED = {
  1001: "The server is shutting down.",
  1006: "The connection to the server broke.",
  1011: "Something broke inside the server.",
  1012: "The server restarts.",
  1013: "The server is overloaded. Try again soon.",
  4401: "Your session here is no longer valid. Sign in again.",
  4402: "The month's allowance is spent.",
  4403: "This page is not allowed to open a conversation.",
  4408: "The conversation was idle for too long.",
  4410: "The access of this page was revoked.",
  4429: "Too many streams are open at the same time.",
  4440: "The conversation reached its maximum length.",
};
const BROKEN = 1006;

// Opens a conversation. It does not reconnect: the next press of the Speak button opens another conversation. Throws a
// `Failure`.
export async function connect(settings = {}) {
  const client = new Client({ token: api.token });
  try {
    return await client.connect({ ...settings, reconnect: false });
  } catch (error) {
    throw failureOf(error);
  }
}

// Converts the error of a conversation to a `Failure`, whose `passes` is true if a new connection may help.
export function failureOf(error, session = null) {
  if (error instanceof APIError) return Failure.from(error.detail, error.status);
  if (error instanceof ConnectionFailedError) {
    return new Failure("The conversation was refused before it opened, and the browser does not say why. Perhaps too many are open: try again soon. If there is a proxy, check that it forwards WebSockets.", { code: "refused" });
  }
  const closed = error instanceof ConversationClosedError;
  if (!closed && !(error instanceof ConnectionLostError)) return error; // no token, or a fault of this page
  const close = closed ? error.code : BROKEN;
  const [reason] = closed ? error.reason.split(" ") : [];
  const failure = new Failure(CLOSED[close] ?? `The server closed the conversation (${close}).`, { code: reason || `closed_${close}`, requestId: session?.sessionId ?? null });
  failure.passes = error.retryable;
  return failure;
}
