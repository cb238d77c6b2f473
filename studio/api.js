// Requests to the Studio API and to `/v1/voices`. Every error is thrown as a `Failure`, whose message can be shown to
// the user.

// Error of a failed request.
export class Failure extends Error {
  // `code`, `param`, `requestId`, `docUrl` and `retryAfterMs` come from the error in the response body; each is null if
  // it is missing.
  constructor(message, { code = null, status = 0, param = null, requestId = null, docUrl = null, retryAfterMs = null } = {}) {
    super(message);
    this.name = "Failure";
    Object.assign(this, { code, status, param, requestId, docUrl, retryAfterMs });
  }

  // Converts the `error` object of a response body or a WebSocket message to a `Failure`.
  static from(error, status = 0) {
    return new Failure(error?.message ?? `The server responded with status ${status} and no error message.`, {
      code: error?.code ?? null, status, param: error?.param ?? null, requestId: error?.request_id ?? null,
      docUrl: error?.doc_url ?? null, retryAfterMs: error?.retry_after_ms ?? null,
    });
  }
}

// Creates the `Failure` for a part of the Studio's script that could not be loaded.
export const partMissing = () => new Failure("This part of the Studio could not be loaded: the server cannot be reached, or it was updated. Reload the page", { code: "unreachable" });

const PATIENCE_MS = 30_000;

// Dispatches "over" when the server does not accept the session, for example because it has ended.
export const refusals = new EventTarget();

// Sends a request and returns the JSON of the response. `path` is relative to /studio/api, or absolute if it begins
// with a slash.
export async function request(method, path, body) {
  const headers = { accept: "application/json" };
  if (method !== "GET") headers["x-studio"] = "1";
  if (body !== undefined) headers["content-type"] = "application/json";
  let response;
  try {
    response = await fetch(new URL(path, new URL("/studio/api/", location.href)), {
      method, headers, credentials: "same-origin", redirect: "error", cache: "no-store",
      signal: AbortSignal.timeout(PATIENCE_MS), body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (error) {
    if (error.name === "TimeoutError") throw new Failure("The server has not answered for 30 seconds. Try again.", { code: "no_answer" });
    throw new Failure("The server cannot be reached. Is it running, and are you online?", { code: "unreachable" });
  }
  try {
    return await read(response);
  } catch (failure) {
    if (failure.code === "not_signed_in") refusals.dispatchEvent(new Event("over"));
    throw failure;
  }
}

// Returns the JSON of a response. Throws the error that the response describes.
export async function read(response) {
  const requestId = response.headers.get("x-request-id");
  let answer;
  try {
    answer = await response.json();
  } catch {
    // not JSON: handled below
  }
  if (response.ok && answer !== undefined) return answer;
  const failure = response.ok
    ? new Failure("The server's response could not be read. A proxy may have changed it.", { code: "unreadable_answer", status: response.status })
    : Failure.from(answer?.error, response.status);
  failure.requestId ??= requestId;
  throw failure;
}

const key = (prefix) => `keys/${encodeURIComponent(prefix)}`;

export const api = {
  setup: () => request("GET", "setup"),
  voices: async () => (await request("GET", "/v1/voices")).voices,
  account: () => request("GET", "account"),
  signUp: (email, password) => request("POST", "sign-up", { email, password }),
  signIn: (email, password) => request("POST", "sign-in", { email, password }),
  signOut: (everywhere) => request("POST", "sign-out", { everywhere }),
  link: (secret) => request("POST", "link", { secret }),
  verify: (secret) => request("POST", "verify", { secret }),
  sendVerification: () => request("POST", "verification"),
  forgottenPassword: (email) => request("POST", "forgotten-password", { email }),
  changePassword: (current, fresh) => request("POST", "password", { current, new: fresh }),
  deleteAccount: (password) => request("POST", "delete-account", { password }),
  sessions: async () => (await request("GET", "sessions")).sessions,
  endSession: (id) => request("DELETE", `sessions/${id}`),
  redeem: (code) => request("POST", "promo", { code }),
  keys: async () => (await request("GET", "keys")).keys,
  createKey: (wanted) => request("POST", "keys", wanted),
  renameKey: (prefix, name) => request("PATCH", key(prefix), { name }),
  rotateKey: (prefix, overlapHours) => request("POST", `${key(prefix)}/rotate`, { overlap_hours: overlapHours }),
  revokeKey: (prefix) => request("DELETE", key(prefix)),
  usage: (from, to) => request("GET", `usage?${new URLSearchParams({ from, to })}`),
  lexicon: () => request("GET", "lexicon"),
  saveLexicon: (toml, version) => request("PUT", "lexicon", { toml, version }),
  normalize: (text, language) => request("POST", "normalize", { text, language }),
  token: async () => (await request("POST", "token")).token,
};
