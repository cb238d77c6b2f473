/** What can go wrong, by class. */

/** Anything that this package throws, but for what your own functions throw and the reason of an `AbortSignal`. */
export class ShrutiError extends Error {
  /** Whether the same again, a little later, may go well. */
  readonly retryable: boolean = false;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** What an error of the documentation tells; see `/docs/errors` of the server. */
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

/** The server refused something, or broke off a turn, with an error of its documentation. */
export class APIError extends ShrutiError {
  /** Which error it is, for programs: `invalid_field`, `quota_exhausted`, … */
  readonly code: string;
  /** The HTTP status; `undefined` inside a conversation. */
  readonly status: number | undefined;
  /** The field that is wrong, if one is. */
  readonly param: string | undefined;
  override readonly retryable: boolean;
  /** When trying again makes sense, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** The request's id in the server's log. */
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

/** The request is wrong; the message and `param` say where. */
export class InvalidRequestError extends APIError {}
/** The key or the token is missing, wrong, expired or revoked. */
export class AuthenticationError extends APIError {}
/** The key may not do this, its account is locked, or it is not for this page. */
export class PermissionDeniedError extends APIError {}
/** What is left of the allowance or the cap does not cover the text. */
export class QuotaError extends APIError {}
/** Too often, too many streams, or too many turns that wait. */
export class RateLimitError extends APIError {}
/** The request did not reach the server in time. */
export class RequestTimeoutError extends APIError {}
/** Something broke inside the server, or it has no room. */
export class ServerError extends APIError {}

/** No connection came about. */
export class ConnectionFailedError extends ShrutiError {
  override readonly retryable: boolean = true;
}

/** The connection broke in the middle of something. */
export class ConnectionLostError extends ShrutiError {
  override readonly retryable: boolean;

  constructor(message: string, options?: ErrorOptions & { retryable?: boolean }) {
    super(message, options);
    this.retryable = options?.retryable ?? true;
  }
}

/** The server closed the conversation without saying more than a close code. */
export class ConversationClosedError extends ShrutiError {
  /** Close codes after which connecting again is of no use. */
  static readonly FINAL: ReadonlySet<number> = new Set([1000, 1002, 1003, 1007, 1009, 4400, 4401, 4402, 4403, 4410]);
  /** The WebSocket close code. */
  readonly code: number;
  /** The reason, as it was sent. */
  readonly reason: string;
  override readonly retryable: boolean;

  constructor(code: number, reason: string) {
    super(`the server closed the conversation: ${reason} (${code})`);
    this.code = code;
    this.reason = reason;
    this.retryable = !ConversationClosedError.FINAL.has(code);
  }
}

/** The conversation has ended, in order: nothing more can be said. */
export class ConversationEndedError extends ShrutiError {}

/** What answers does not speak the protocol. */
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

/** The error of an error's body. */
export function apiError(detail: ErrorDetail, status?: number, retryAfterMs?: number): APIError {
  const name = String(detail.type);
  const kind = Object.hasOwn(BY_TYPE, name) ? BY_TYPE[name] : undefined;
  return new (kind ?? APIError)(detail, status, retryAfterMs);
}

/** The error of an HTTP answer that is none of what was asked for. `retryAfter` is the header, in seconds. */
export function refusal(status: number, body: string, retryAfter?: string | null): ShrutiError {
  let answer: unknown;
  try {
    answer = JSON.parse(body);
  } catch {
    // a page of a proxy, say
  }
  const detail = (answer as { error?: unknown } | null | undefined)?.error;
  if (typeof detail === "object" && detail !== null) {
    const waitMs = /^\d+$/.test(retryAfter ?? "") ? Number(retryAfter) * 1000 : undefined;
    return apiError(detail, status, waitMs);
  }
  if (status === 502 || status === 503 || status === 504) {
    return new ConnectionFailedError(`something before the server answered with status ${status}`);
  }
  return new ProtocolError(`status ${status} without an error of the documentation`);
}

/** What was thrown, as an error to tell. */
export function messageOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const cause = thrown.cause instanceof Error ? `: ${thrown.cause.message}` : "";
  return `${thrown.message}${cause}`;
}
