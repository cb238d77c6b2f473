/** Error classes. */

/**
 * Base class of all errors of this package. Errors from your own functions and the reasons of an `AbortSignal` are
 * thrown unchanged.
 */
export class ShrutiError extends Error {
  /** Whether the same call may succeed if it is repeated later. */
  readonly retryable: boolean = false;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** Fields of an API error. They are documented at `/docs/errors` on the server. */
export interface ErrorDetail {
  readonly type?: string;
  readonly code?: string;
  readonly message?: string;
  readonly param?: string | null;
  readonly retryable?: boolean;
  readonly retry_after_ms?: number | null;
  readonly request_id?: string | null;
  readonly doc_url?: string | null;
}

/** The server refused a request, or ended a turn, with a documented error. */
export class APIError extends ShrutiError {
  /** Machine-readable error code: `invalid_field`, `quota_exhausted`, … */
  readonly code: string;
  /** HTTP status; `undefined` in a conversation. */
  readonly status: number | undefined;
  /** Name of the invalid field, if any. */
  readonly param: string | undefined;
  override readonly retryable: boolean;
  /** Recommended pause before a retry, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** Id of the request in the server's log. */
  readonly requestId: string | undefined;
  readonly docUrl: string | undefined;
  /** The error as the server sent it. Its message has no codes appended. */
  readonly detail: ErrorDetail;

  constructor(detail: ErrorDetail, status?: number, retryAfterMs?: number) {
    const code = detail.code ?? "internal";
    super(`${detail.message ?? "the server gave no reason"} (${code}, ${detail.request_id ?? "no request id"})`);
    this.detail = detail;
    this.code = code;
    this.status = status;
    this.param = detail.param ?? undefined;
    this.retryable = detail.retryable ?? false;
    this.retryAfterMs = detail.retry_after_ms ?? retryAfterMs;
    this.requestId = detail.request_id ?? undefined;
    this.docUrl = detail.doc_url ?? undefined;
  }
}

/** The request is invalid; the message and `param` describe the mistake. */
export class InvalidRequestError extends APIError {}
/** The key or token is missing, invalid, expired or revoked. */
export class AuthenticationError extends APIError {}
/** The key lacks the permission, its account is locked, or the token is not valid for this page. */
export class PermissionDeniedError extends APIError {}
/** The remaining allowance or cap is too low for the text. */
export class QuotaError extends APIError {}
/** Too many requests, streams or queued turns. */
export class RateLimitError extends APIError {}
/** The request did not reach the server in time. */
export class RequestTimeoutError extends APIError {}
/** The server failed internally or is overloaded. */
export class ServerError extends APIError {}

/** The server could not be reached: there was no connection, no response, or only an error from a proxy. */
export class ConnectionFailedError extends ShrutiError {
  override readonly retryable: boolean = true;
}

/** The connection was lost during an operation. */
export class ConnectionLostError extends ShrutiError {
  override readonly retryable: boolean;

  constructor(message: string, options?: ErrorOptions & { retryable?: boolean }) {
    super(message, options);
    this.retryable = options?.retryable ?? true;
  }
}

/** The server closed the conversation with a close code and sent no error. */
export class ConversationClosedError extends ShrutiError {
  /** Close codes after which reconnecting cannot help. */
  static readonly FINAL: ReadonlySet<number> = new Set([1000, 1002, 1003, 1007, 1009, 4400, 4401, 4402, 4403, 4410]);
  /** WebSocket close code. */
  readonly code: number;
  /** Reason of the close frame. */
  readonly reason: string;
  override readonly retryable: boolean;

  constructor(code: number, reason: string) {
    super(`the server closed the conversation: ${reason} (${code})`);
    this.code = code;
    this.reason = reason;
    this.retryable = !ConversationClosedError.FINAL.has(code);
  }
}

/** The conversation has ended regularly and accepts no more text. */
export class ConversationEndedError extends ShrutiError {}

/** The server violated the protocol. */
export class ProtocolError extends ShrutiError {}

const BY_TYPE: Readonly<Record<string, typeof APIError>> = {
  invalid_request_error: InvalidRequestError,
  authentication_error: AuthenticationError,
  permission_error: PermissionDeniedError,
  billing_error: QuotaError,
  rate_limit_error: RateLimitError,
  timeout_error: RequestTimeoutError,
  server_error: ServerError,
};

/** Creates the error for the fields of an error response. */
export function apiError(detail: ErrorDetail, status?: number, retryAfterMs?: number): APIError {
  const name = String(detail.type);
  const kind = Object.hasOwn(BY_TYPE, name) ? BY_TYPE[name] : undefined;
  return new (kind ?? APIError)(detail, status, retryAfterMs);
}

/**
 * Creates the error for an unsuccessful HTTP response. `retryAfter` is the value of the `Retry-After` header, in
 * seconds.
 */
export function refusal(status: number, body: string, retryAfter?: string | null): ShrutiError {
  let answer: unknown;
  try {
    answer = JSON.parse(body);
  } catch {
    // not JSON, for example an HTML page from a proxy
  }
  const detail = (answer as { error?: unknown } | null | undefined)?.error;
  if (typeof detail === "object" && detail !== null) {
    const waitMs = /^\d+$/.test(retryAfter ?? "") ? Number(retryAfter) * 1000 : undefined;
    return apiError(detail, status, waitMs);
  }
  if (status === 502 || status === 503 || status === 504) {
    return new ConnectionFailedError(`a proxy in front of the server responded with status ${status}`);
  }
  return new ProtocolError(`status ${status} with an unknown error body`);
}

/** Returns the message of a thrown value, followed by the message of its cause. */
export function messageOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const cause = thrown.cause instanceof Error ? `: ${thrown.cause.message}` : "";
  return `${thrown.message}${cause}`;
}
