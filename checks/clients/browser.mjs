#!/usr/bin/env node
// Runs every scenario over the WebSocket of headless Chromium. Serves a page to Chromium, creates tokens for the page,
// as the back end of a web application would, and receives the results.

import { spawn } from "node:child_process";
import { createReadStream, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commandLine, players, report } from "./report.mjs";

const PATIENCE_MS = 120_000;
const FILES = { "/": "page.html", "/page.mjs": "page.mjs", "/scenarios.mjs": "scenarios.mjs",
  "/conversation.mjs": "conversation.mjs", "/texts.json": "texts.json" };
const TYPES = { html: "text/html", js: "text/javascript", mjs: "text/javascript", json: "application/json" };

const { url, key, logs } = commandLine("browser.mjs http://127.0.0.1:8080 sk_… [FOLDER FOR LOGS]; PORT: where the key lets pages come from; STRANGER: a key that lets in no page; CHROMIUM_FLAGS: more of them");
const port = Number(process.env.PORT ?? 0);
const body = async (request) => Buffer.concat(await request.toArray());

async function token(key) {
  const response = await fetch(`${url}/v1/tokens`, { method: "POST", headers: { authorization: `Bearer ${key}` } });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()).token;
}

const results = await new Promise((resolve, reject) => {
  const answers = {
    "/url": () => url,
    "/token": () => token(key),
    "/token-for-no-page": () => token(process.env.STRANGER),
    "/players": async (request) => JSON.stringify(await players(await body(request))),
    "/results": async (request) => {
      resolve(JSON.parse(await body(request)));
      return "";
    },
  };
  const server = createServer(async (request, response) => {
    const file = FILES[request.url];
    if (file) {
      response.setHeader("content-type", TYPES[file.split(".").at(-1)]);
      createReadStream(new URL(file, import.meta.url)).pipe(response);
      return;
    }
    try {
      response.end(await (answers[request.url] ?? (() => ""))(request));
    } catch (error) {
      response.writeHead(500).end(`${error}`);
    }
  });
  server.listen(port, "127.0.0.1", () => {
    const profile = mkdtempSync(join(tmpdir(), "clients-chromium-"));
    const chromium = spawn("chromium", ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
      "--no-first-run", "--disable-background-networking", "--enable-logging=stderr", `--user-data-dir=${profile}`,
      ...(process.env.CHROMIUM_FLAGS ?? "").split(" ").filter(Boolean),
      `http://127.0.0.1:${server.address().port}/`], { detached: true });
    let said = "";
    chromium.stderr.on("data", (data) => (said = (said + data).slice(-4_000)));
    chromium.on("error", reject);
    const timer = setTimeout(() => reject(new Error(`the page reported nothing\n${said}`)), PATIENCE_MS);
    process.on("exit", () => {
      clearTimeout(timer);
      // kill Chromium with all processes that it started, which would otherwise continue to write to the profile
      process.kill(-chromium.pid, "SIGKILL");
      rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    });
  });
});
report("browser", results, logs);
