#!/usr/bin/env node
// Runs every scenario over Node's `ws`, with a key in the header.

import WebSocket from "ws";
import { Conversation, check } from "./conversation.mjs";
import { commandLine, players, post, report, texts } from "./report.mjs";
import { perform } from "./scenarios.mjs";

const { url, key, logs } = commandLine("node.mjs http://127.0.0.1:8080 sk_… [FOLDER FOR LOGS]");
const address = `${url.replace("http", "ws")}/v1/tts/stream`;

const refusal = (query, headers) =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(address + query, { headers });
    socket.on("unexpected-response", (_, response) => {
      let body = "";
      response.on("data", (data) => (body += data));
      response.on("end", () => resolve([response.statusCode, JSON.parse(body).error.code].join(" ")));
    });
    socket.on("open", () => reject(new Error("it was let in")));
    socket.on("error", () => {});
  });

const stage = {
  open: () => Conversation.over(new WebSocket(address, ["tts.v1"], { headers: { authorization: `Bearer ${key}` } })),
  post: (body) => post(url, key, body),
  players,
  texts,
};

const results = await perform(stage, {
  async "requests without a key are refused"() {
    check((await refusal("", {})) === "401 missing_api_key", "no key");
    check((await refusal("", { authorization: "Bearer sk_wrong" })) === "401 invalid_api_key", "a wrong key");
    check((await refusal(`?api_key=${key}`, {})) === "401 invalid_api_key", "a key in the URL");
  },
});
report("node", results, logs);
