// Script of the page. Runs every scenario over the browser's WebSocket, signed in with single-use tokens from the
// page's back end.

import { Conversation, check } from "./conversation.mjs";
import { perform } from "./scenarios.mjs";

const ask = async (path, body) => {
  const response = await fetch(path, { method: "POST", body });
  if (!response.ok) throw new Error(await response.text());
  return response.text();
};
const url = await ask("/url");
const address = `${url.replace("http", "ws")}/v1/tts/stream`;
const fresh = () => ask("/token");

// Returns the outcome of a connection attempt: the chosen subprotocol, or "refused".
const attempt = (address, protocols) =>
  new Promise((resolve) => {
    const socket = new WebSocket(address, protocols);
    socket.onopen = () => {
      resolve(socket.protocol);
      socket.close();
    };
    socket.onerror = () => resolve("refused");
  });

const page = async (token, body) => {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const response = await fetch(`${url}/v1/tts`, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  check(response.headers.get("x-request-id")?.startsWith("req_"), "the headers are exposed");
  return new Uint8Array(await response.arrayBuffer());
};

const stage = {
  open: async () => Conversation.over(new WebSocket(address, ["tts.v1", `token.${await fresh()}`])),
  post: async (body) => page(await fresh(), body),
  players: async (samples) => JSON.parse(await ask("/players", samples)),
  texts: await (await fetch("texts.json")).json(),
};

const results = await perform(stage, {
  async "a token opens one connection"() {
    const token = await fresh();
    check((await attempt(address, ["tts.v1", `token.${token}`])) === "tts.v1", "by subprotocol");
    check((await attempt(address, ["tts.v1", `token.${token}`])) === "refused", "a second time");
    check((await attempt(`${address}?token=${await fresh()}`)) === "", "in the URL");
    check((await attempt(`${address}?token=wrong`)) === "refused", "a wrong one");
    check((await attempt(address, ["tts.v1"])) === "refused", "none");
  },

  async "a key without origins rejects pages"() {
    const stranger = () => ask("/token-for-no-page");
    check((await attempt(address, ["tts.v1", `token.${await stranger()}`])) === "refused", "no conversation");
    const refusal = await page(await stranger(), { text: "a" }).catch(({ message }) => message);
    check(`${refusal}`.includes("origin_not_allowed"), `no clip: ${refusal}`);
  },
}).catch((error) => [{ name: "the page", failure: `${error}`, ms: 0, log: [] }]);
await ask("/results", JSON.stringify(results));
