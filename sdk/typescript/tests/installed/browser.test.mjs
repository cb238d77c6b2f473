// Tests of the installed package in a real browser, unbundled and bundled: WebSocket, audio thread and real clicks.

import { build as esbuild } from "esbuild";
import { copyFileSync, createReadStream, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { build as vite } from "vite";
import { afterAll, beforeAll, expect, test } from "vitest";

import { Chromium } from "../../../../checks/studio/chromium.mjs";
import { Client } from "../../src/node.ts";
import { Server } from "../server.ts";

const LONG = "यह एक लंबा जवाब है, जिसे कोई बीच में काट देगा। 😀 इसमें कई वाक्य हैं। ".repeat(20);
const { INSTALLED } = process.env;
const PACKAGE = join(INSTALLED, "node_modules/@shruti/client/dist");
/** Functions that bundle page.mjs into a folder, by the name of the bundler and of the folder. */
const BUNDLERS = {
  esbuild: (outdir) =>
    // the script of the audio thread is a separate entry point next to the page's script
    esbuild({
      absWorkingDir: INSTALLED,
      entryPoints: { page: "page.mjs", worklet: "@shruti/client/worklet" },
      bundle: true,
      minify: true,
      format: "esm",
      outdir,
      logLevel: "warning",
    }),
  vite: (outDir) =>
    vite({
      root: INSTALLED,
      base: "./",
      logLevel: "warn",
      build: { outDir, rolldownOptions: { input: "page.mjs", output: { entryFileNames: "page.js" } } },
    }),
};

let server, site, browser, address;
beforeAll(async () => {
  server = await Server.start();
  site = createServer((request, response) => void answer(request, response));
  await new Promise((resolve) => site.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${site.address().port}`;
  browser = await Chromium.start();
  copyFileSync(new URL("page.mjs", import.meta.url), join(INSTALLED, "page.mjs"));
  for (const [bundler, build] of Object.entries(BUNDLERS)) {
    await build(join(INSTALLED, bundler));
    const page = '<!doctype html><link rel="icon" href="data:," /><h1></h1><button>Speak</button>';
    writeFileSync(join(INSTALLED, bundler, "index.html"), `${page}<script type="module" src="page.js"></script>`);
  }
});
afterAll(async () => {
  browser.close();
  site.close();
  site.closeAllConnections();
  await server.stop();
});

let issuer;
async function answer({ url }, response) {
  if (url === "/server") return response.end(server.url);
  if (url === "/token") {
    issuer ??= new Client({
      baseUrl: server.url,
      apiKey: server.keys("create", "--name", "page", "--origin", address),
    });
    return response.end((await issuer.createToken()).token);
  }
  const file = fileOf(url.endsWith("/") && url !== "/" ? `${url}index.html` : url);
  response.setHeader("content-type", url.endsWith("/") ? "text/html" : "text/javascript");
  return createReadStream(file)
    .on("error", () => response.writeHead(404).end())
    .pipe(response);
}

function fileOf(path) {
  const folder = path.split("/")[1];
  if (folder === "client") return join(PACKAGE, path.slice("/client/".length));
  if (folder in BUNDLERS) return join(INSTALLED, path);
  return new URL(path === "/" ? "page.html" : `.${path}`, import.meta.url);
}

async function opened(rate, at = "/") {
  const page = await browser.page();
  await page.goto(address + at, "client is there");
  await page.run((rate) => void (globalThis.rate = rate), rate);
  await page.click("button", "Speak");
  await page.until("an open conversation", () => document.querySelector("button").textContent === "Open");
  return page;
}

test.each([24_000, 48_000])("an interruption of the playback of a page, at %i Hz", async (rate) => {
  const page = await opened(rate);
  await page.run((text) => globalThis.page.say(text), LONG);
  await page.until("some sound", () => globalThis.page.playedMs() > 1200 && globalThis.page.peak() > 0.01);
  const { before, cut } = await page.run(() => globalThis.page.interrupt());
  expect(cut.state).toBe("cancelled");
  expect(cut.heard.basis).toBe("played_ms");
  expect(cut.heard.ms).toBeGreaterThanOrEqual(Math.floor(before));
  expect(cut.heard.text).not.toBe("");
  expect(cut.heard.text + cut.unheardText).toBe(LONG);
  await page.until("silence", () => globalThis.page.peak() === 0);
  expect(await page.run(() => globalThis.page.reports())).toBeGreaterThan(1);
  // the next turn starts at its beginning and is heard to its end
  const { outcome, playedMs } = await page.run(() => globalThis.page.sayAll("जी, बताइए।"));
  expect(outcome.type).toBe("done");
  expect(Math.abs(playedMs - outcome.audioMs)).toBeLessThanOrEqual(1);
  expect(await page.run(() => globalThis.page.close())).toBe("ConversationEndedError");
  expect(page.complaints).toEqual([]);
});

test.each(Object.keys(BUNDLERS))("a page that %s has made speaks, and is interrupted", async (bundler) => {
  const page = await opened(24_000, `/${bundler}/`);
  await page.run((text) => globalThis.page.say(text), LONG);
  await page.until("some sound", () => globalThis.page.playedMs() > 500 && globalThis.page.peak() > 0.01);
  const { cut } = await page.run(() => globalThis.page.interrupt());
  expect(cut.heard.text + cut.unheardText).toBe(LONG);
  await page.until("silence", () => globalThis.page.peak() === 0);
  await page.run(() => globalThis.page.close());
  expect(page.complaints).toEqual([]);
});

test("a turn in a page matches the clip", async () => {
  const page = await opened(24_000);
  const { bytes, same, voice } = await page.run((text) => globalThis.page.same(text), "நன்றி, வணக்கம்!");
  expect({ same, voice }).toEqual({ same: true, voice: "Ananya" });
  expect(bytes).toBeGreaterThan(20_000);
  await page.run(() => globalThis.page.close());
  expect(page.complaints).toEqual([]);
});

test("a page receives the reason of its rejection", async () => {
  const page = await opened(24_000);
  const { token, key, nobody, none } = await page.run(() => globalThis.page.refusals());
  expect(token).toMatchObject({ name: "AuthenticationError", code: "invalid_token" });
  expect(key).toMatchObject({ name: "ShrutiError", message: expect.stringContaining("must not contain one") });
  expect(nobody).toMatchObject({ name: "ConnectionFailedError" });
  expect(none).toMatchObject({ name: "ShrutiError", message: expect.stringContaining("token") });
});
