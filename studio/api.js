// Requests to the Studio's own API, and for the voices, which every client may list. Whatever goes wrong becomes a
// `Failure`, which can be shown in words.

// A request that did not succeed.
export class Failure extends Error {
  // `code`, `param`, `requestId`, `docUrl` and `retryAfterMs` as the error body has them; null where it has none.
  constructor(message, { code = null, status = 0, param = null, requestId = null, docUrl = null, retryAfterMs = null } = {}) {
    super(message);
    this.name = "Failure";
    Object.assign(this, { code, status, param, requestId, docUrl, retryAfterMs });
  }

  // From the `error` object of a body or of a WebSocket message.
  static from(error, status = 0) {
    return new Failure(error?.message ?? `The server answered ${status} without saying why.`, {
      code: error?.code ?? null, status, param: error?.param ?? null, requestId: error?.request_id ?? null,
      docUrl: error?.doc_url ?? null, retryAfterMs: error?.retry_after_ms ?? null,
    });
  }
}

const PATIENCE_MS = 30_000;

// Tells, as the event `over`, that the server does not know the session, or knows it no more.
export const refusals = new EventTarget();

// `path`: below /studio/api, or from the root with a slash before it.
async function ask(method, path, body) {
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

// The JSON of an answer; throws what the answer says went wrong.
export async function read(response) {
  const requestId = response.headers.get("x-request-id");
  let answer;
  try {
    answer = await response.json();
  } catch {
    // told below
  }
  if (response.ok && answer !== undefined) return answer;
  const failure = response.ok
    ? new Failure("The server's answer could not be read. Is something between it and you changing it?", { code: "unreadable_answer", status: response.status })
    : Failure.from(answer?.error, response.status);
  failure.requestId ??= requestId;
  throw failure;
}

const key = (prefix) => `keys/${encodeURIComponent(prefix)}`;

export const api = {
  setup: () => ask("GET", "setup"),
  voices: async () => (await ask("GET", "/v1/voices")).voices,
  account: () => ask("GET", "account"),
  signUp: (email, password) => ask("POST", "sign-up", { email, password }),
  signIn: (email, password) => ask("POST", "sign-in", { email, password }),
  signOut: (everywhere) => ask("POST", "sign-out", { everywhere }),
  link: (secret) => ask("POST", "link", { secret }),
  changePassword: (current, fresh) => ask("POST", "password", { current, new: fresh }),
  redeem: (code) => ask("POST", "promo", { code }),
  keys: async () => (await ask("GET", "keys")).keys,
  createKey: (wanted) => ask("POST", "keys", wanted),
  renameKey: (prefix, name) => ask("PATCH", key(prefix), { name }),
  rotateKey: (prefix, overlapHours) => ask("POST", `${key(prefix)}/rotate`, { overlap_hours: overlapHours }),
  revokeKey: (prefix) => ask("DELETE", key(prefix)),
  usage: (from, to) => ask("GET", `usage?${new URLSearchParams({ from, to })}`),
  lexicon: () => ask("GET", "lexicon"),
  saveLexicon: (toml, version) => ask("PUT", "lexicon", { toml, version }),
  normalize: (text, language) => ask("POST", "normalize", { text, language }),
  token: async () => (await ask("POST", "token")).token,
};
