#!/usr/bin/env node
// The Studio's own API without its server: pages from ../../studio, accounts and keys in memory, and speech from a running
// server whose key it is given. For work on the pages, and for their check where the server is not built.
// usage: node mock.mjs http://127.0.0.1:8080 sk_… [PORT]
// OPEN=1 in the environment: the playground is open to all.
// Promo codes: GOOD-CODE unlocks with 10,000 characters; OLD-CODE has expired, SPENT-CODE is used up.

import { randomBytes } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { createServer, request as ask } from "node:http";
import { connect } from "node:net";
import { extname, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const [speech, key, port = "0"] = process.argv.slice(2);
if (!key) {
  console.error("usage: node mock.mjs http://127.0.0.1:8080 sk_… [PORT]");
  process.exit(2);
}
const STUDIO = fileURLToPath(new URL("../../studio/", import.meta.url));
const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" };
const HEADERS = {
  "content-security-policy": "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src blob:; "
    + "connect-src 'self' ws: wss:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
  "x-content-type-options": "nosniff", "referrer-policy": "no-referrer", "cache-control": "no-store",
};
const DAY_MS = 86_400_000;
const letters = (bytes) => randomBytes(bytes).toString("hex");

const accounts = new Map(); // by e-mail
const sessions = new Map(); // account by cookie
const tokens = new Map(); // account by single-use token

class Refusal extends Error {
  constructor(status, code, message, more = {}) {
    super(message);
    Object.assign(this, { status, code, more });
  }
}

const publicAccount = ({ email, unlocked, allowance, used, created_ms }) =>
  ({ email, unlocked, chars_per_month: unlocked ? allowance : null, chars_used: used, month_ends_ms: Date.now() + 11 * DAY_MS, created_ms });
const publicKey = ({ secret, ...shown }) => shown;

function makeKey({ name, scopes, origins = [], expires_in_days = null, monthly_cap = null }) {
  const secret = `sk_${letters(20)}`;
  return { prefix: secret.slice(0, 11), name, scopes, origins, created_ms: Date.now(), revoked_ms: null, last_used_ms: null,
    expires_ms: expires_in_days && Date.now() + expires_in_days * DAY_MS, chars_this_month: 0, monthly_cap, secret };
}

function signedIn(request) {
  const cookie = /studio=([0-9a-f]+)/.exec(request.headers.cookie ?? "")?.[1];
  const account = sessions.get(cookie);
  if (!account) throw new Refusal(401, "not_signed_in", "nobody is signed in");
  return { account, cookie };
}

function signIn(response, account) {
  const cookie = letters(16);
  sessions.set(cookie, account);
  response.setHeader("set-cookie", `studio=${cookie}; Path=/studio; HttpOnly; SameSite=Lax`);
  return publicAccount(account);
}

function findKey(account, prefix) {
  const found = account.keys.find((candidate) => candidate.prefix === prefix);
  if (!found) throw new Refusal(404, "not_found", "no key of yours has this prefix");
  return found;
}

const PROMOS = { goodcode: null, oldcode: [410, "promo_expired", "the promo code has passed its expiry"], spentcode: [410, "promo_exhausted", "the promo code has been used as often as it may be"] };
const LANGUAGES = await (await fetch(`${speech}/v1/languages`)).json();

const ROUTES = {
  "GET setup": () => ({ secure_context_hint: true, open_playground: process.env.OPEN === "1", max_text_chars: 5000,
    languages: LANGUAGES.languages.map(({ code, name, native_name }) => ({ code, name, native_name })), voices: ["Ananya", "Arjun"], version: "0.1.0" }),
  "GET account": ({ request }) => publicAccount(signedIn(request).account),
  "POST sign-up": ({ response, body: { email, password } }) => {
    if (!/^[^@\s]+@[^@\s]+$/.test(email)) throw new Refusal(400, "invalid_field", "email must be an e-mail address", { param: "email" });
    if (password.length < 10) throw new Refusal(400, "invalid_field", "password must have at least 10 characters", { param: "password" });
    if (accounts.has(email)) throw new Refusal(400, "invalid_field", "this address cannot be used", { param: "email" });
    const account = { email, password, unlocked: false, allowance: 0, used: 0, created_ms: Date.now(), keys: [], redeemed: new Set(), usage: [] };
    accounts.set(email, account);
    return signIn(response, account);
  },
  "POST sign-in": ({ response, body: { email, password } }) => {
    const account = accounts.get(email);
    if (account?.password !== password) throw new Refusal(401, "wrong_credentials", "the e-mail address or the password is wrong");
    return signIn(response, account);
  },
  "POST link": ({ response, body: { secret } }) => {
    const account = accounts.get(secret);
    if (!account) throw new Refusal(401, "invalid_link", "the link is unknown, used or too old");
    return signIn(response, account);
  },
  "POST sign-out": ({ request, response }) => {
    sessions.delete(signedIn(request).cookie);
    response.setHeader("set-cookie", "studio=; Path=/studio; Max-Age=0");
    return {};
  },
  "POST password": ({ request, body: { current, new: fresh } }) => {
    const { account } = signedIn(request);
    if (account.password !== current) throw new Refusal(400, "invalid_field", "the current password is wrong", { param: "current" });
    if (fresh.length < 10) throw new Refusal(400, "invalid_field", "password must have at least 10 characters", { param: "new" });
    account.password = fresh;
    return {};
  },
  "POST promo": ({ request, body: { code } }) => {
    const { account } = signedIn(request);
    const plain = code.toLowerCase().replaceAll("-", "");
    if (!(plain in PROMOS)) throw new Refusal(404, "not_found", "no promo code reads like this");
    if (PROMOS[plain]) throw new Refusal(...PROMOS[plain]);
    if (account.redeemed.has(plain)) throw new Refusal(409, "already_redeemed", "this account has redeemed the promo code before");
    account.redeemed.add(plain);
    account.unlocked = true;
    account.allowance += 10_000;
    return publicAccount(account);
  },
  "GET keys": ({ request }) => ({ keys: signedIn(request).account.keys.map(publicKey) }),
  "POST keys": ({ request, body }) => {
    const { account } = signedIn(request);
    if (!body.name?.trim()) throw new Refusal(400, "invalid_field", "name must have 1 to 64 characters", { param: "name" });
    const made = makeKey(body);
    account.keys.unshift(made);
    return made;
  },
  "PATCH keys/": ({ request, prefix, body }) => publicKey(Object.assign(findKey(signedIn(request).account, prefix), { name: body.name })),
  "DELETE keys/": ({ request, prefix }) => publicKey(Object.assign(findKey(signedIn(request).account, prefix), { revoked_ms: Date.now() })),
  "POST keys//rotate": ({ request, prefix, body }) => {
    const { account } = signedIn(request);
    const old = findKey(account, prefix);
    const made = { ...makeKey(old), expires_ms: old.expires_ms, monthly_cap: old.monthly_cap };
    old.expires_ms = Date.now() + body.overlap_hours * 3_600_000;
    account.keys.unshift(made);
    return made;
  },
  "GET usage": ({ request, query }) => {
    const from = query.get("from");
    const to = query.get("to");
    return { days: signedIn(request).account.usage.filter(({ day }) => day >= from && day <= to) };
  },
  "POST token": ({ request }) => {
    const visitor = process.env.OPEN === "1" && !/studio=./.test(request.headers.cookie ?? "");
    const account = visitor ? null : signedIn(request).account;
    if (account && !account.unlocked) throw new Refusal(403, "access_locked", "the account is locked: no promo code has been redeemed yet");
    const token = `tok_${letters(16)}`;
    tokens.set(token, account);
    return { token, expires_in_ms: 60_000 };
  },
  // not of the real API: fills an account, for pictures
  "POST fill": ({ request, body }) => {
    const { account } = signedIn(request);
    account.usage = body.usage ?? [];
    account.keys = body.keys?.map((wanted) => ({ ...makeKey(wanted), ...wanted })) ?? account.keys;
    account.used = body.used ?? account.used;
    return {};
  },
};

function route(method, path) {
  const [head, prefix, verb] = path.split("/");
  if (prefix === undefined) return { handler: ROUTES[`${method} ${head}`] };
  return { handler: ROUTES[`${method} ${head}/${verb ? `/${verb}` : ""}`], prefix: decodeURIComponent(prefix) };
}

async function answerApi(request, response, url) {
  const requestId = `req_${letters(12)}`;
  response.setHeader("x-request-id", requestId);
  try {
    if (request.method !== "GET" && (request.headers["x-studio"] !== "1" || new URL(request.headers.origin ?? "http://none").host !== request.headers.host)) {
      throw new Refusal(403, "origin_not_allowed", "the request does not come from the Studio");
    }
    const { handler, prefix } = route(request.method, url.pathname.slice("/studio/api/".length));
    if (!handler) throw new Refusal(404, "not_found", "nothing lives at this path");
    const text = Buffer.concat(await request.toArray()).toString();
    const answer = handler({ request, response, query: url.searchParams, prefix, body: text ? JSON.parse(text) : {} });
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
  } catch (refusal) {
    refuse(response, refusal, requestId);
  }
}

function refuse(response, refusal, requestId) {
  const { status = 500, code = "internal", more } = refusal;
  const error = { type: "invalid_request_error", code, message: refusal.message, param: null, retryable: false, retry_after_ms: null, request_id: requestId, doc_url: `/docs/errors#${code}`, ...more };
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ error }));
}

function answerFile(response, path) {
  const asset = path.startsWith("/studio/assets/") ? normalize(`/${decodeURIComponent(path.slice("/studio/assets/".length))}`).slice(1) : "index.html";
  if (!existsSync(STUDIO + asset) || !TYPES[extname(asset)]) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { ...HEADERS, "content-type": TYPES[extname(asset)] });
  createReadStream(STUDIO + asset).pipe(response);
}

// What the real server would say to a key of this one; its own key in place of a good one.
function judge(secret) {
  for (const account of accounts.values()) {
    const found = account.keys.find((candidate) => candidate.secret === secret);
    if (!found) continue;
    if (found.revoked_ms !== null) throw new Refusal(401, "revoked_api_key", "the API key was revoked");
    if (found.expires_ms !== null && found.expires_ms <= Date.now()) throw new Refusal(401, "expired_api_key", "the API key has passed its expiry");
    if (!account.unlocked) throw new Refusal(403, "access_locked", "the account is locked: no promo code has been redeemed yet");
    found.last_used_ms = Date.now();
    return key;
  }
  return secret;
}

async function realToken(token) {
  const account = tokens.get(token);
  if (!tokens.delete(token)) return { account, token: "tok_unknown" };
  const answer = await fetch(`${speech}/v1/tokens`, { method: "POST", headers: { authorization: `Bearer ${key}` } });
  return { account, token: (await answer.json()).token };
}

// Everything else is the real server's.
async function pass(request, response) {
  const headers = { ...request.headers, host: new URL(speech).host };
  delete headers.origin;
  const given = /^Bearer (\w+)/.exec(headers.authorization ?? "")?.[1];
  try {
    if (given) headers.authorization = `Bearer ${given.startsWith("tok_") ? (await realToken(given)).token : judge(given)}`;
  } catch (refusal) {
    refuse(response, refusal, `req_${letters(12)}`);
    return;
  }
  const onward = ask(speech + request.url, { method: request.method, headers }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
  onward.on("error", () => response.destroy());
  request.pipe(onward);
}

const server = createServer((request, response) => {
  const url = new URL(request.url, "http://mock");
  if (url.pathname.startsWith("/studio/api/")) answerApi(request, response, url);
  else if (url.pathname === "/studio" || url.pathname.startsWith("/studio/")) answerFile(response, url.pathname);
  else pass(request, response);
});

server.on("upgrade", async (request, socket, head) => {
  const offered = request.headers["sec-websocket-protocol"] ?? "";
  const { account, token } = await realToken(/token\.(\w+)/.exec(offered)?.[1]);
  const { hostname, port: speechPort } = new URL(speech);
  const onward = connect(Number(speechPort), hostname, () => {
    const headers = { ...request.headers, host: new URL(speech).host, "sec-websocket-protocol": `tts.v1, token.${token}` };
    delete headers.origin;
    delete headers["sec-websocket-extensions"];
    onward.write(`${request.method} ${request.url} HTTP/1.1\r\n${Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`);
    onward.write(head);
    socket.pipe(onward);
    onward.pipe(socket);
    onward.on("data", (data) => account && count(account, data));
  });
  for (const end of [socket, onward]) end.on("error", () => (socket.destroy(), onward.destroy()));
});

// Usage rises with what is said: read off the answer's `turn.done` where it lies whole in one read.
function count(account, data) {
  const done = /"turn.done".*?"audio_ms":(\d+),"chars":(\d+)/.exec(data.toString("latin1"));
  if (!done) return;
  account.used += Number(done[2]);
  account.usage.push({ day: new Date().toISOString().slice(0, 10), voice: "Ananya", language: "hi", key: "studio", chars: Number(done[2]), requests: 1, audio_ms: Number(done[1]) });
}

server.listen(Number(port), "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/studio`));
