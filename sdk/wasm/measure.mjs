#!/usr/bin/env node
// Plays the package in headless Chromium and prints sizes and times: load, first audio, real-time factor, cancel and
// memory. Fails if no audio is played. Build the package first.
// usage: node measure.mjs [LANGUAGE…]

import { createReadStream, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";

import { Chromium, pause } from "../../checks/studio/chromium.mjs";

const PATIENCE_MS = 180_000;
const LANGUAGES = process.argv.length > 2 ? process.argv.slice(2) : "hi bn ta te gu kn ml mr pa or en".split(" ");
const TYPES = {
  js: "text/javascript",
  mjs: "text/javascript",
  wasm: "application/wasm",
  html: "text/html; charset=utf-8",
};
const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PAGE = `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><h1>wasm</h1><button>Speak</button>
<script type="importmap">{ "imports": { "@shruti/client/speech": "/typescript/dist/speech/index.js" } }</script>
<script type="module" src="/wasm/tests/page.mjs"></script>`;
const SENTENCES = readFileSync(new URL("tests/sentences.tsv", import.meta.url), "utf8")
  .trim()
  .split("\n");
const textOf = (code) =>
  SENTENCES.filter((line) => line.startsWith(`${code}\t`))
    .map((line) => line.slice(3))
    .slice(0, 2)
    .join(" ");

const site = createServer(({ url }, response) => {
  if (url === "/") return response.writeHead(200, { "content-type": TYPES.html }).end(PAGE);
  response.setHeader("content-type", TYPES[url.split(".").at(-1)] ?? "application/octet-stream");
  return createReadStream(ROOT + url.slice(1))
    .on("error", () => response.writeHead(404).end())
    .pipe(response);
});
await new Promise((resolve) => site.listen(0, "127.0.0.1", resolve));
const address = `http://127.0.0.1:${site.address().port}/`;
const browser = await Chromium.start();

/** Waits until the page has played to its end and returns the page's measurements. */
async function figuresOf(page) {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = await page.run(() => globalThis.measured());
    if (found) return found;
    if (Date.now() > end) throw new Error(`no figures\n${page.complaints.join("\n")}`);
    await pause(100);
  }
}

console.log("file          raw       gzip     brotli");
for (const name of [
  "shruti.wasm",
  ...LANGUAGES.map((code) => `${code}.bin`),
  ...(LANGUAGES.includes("en") ? [] : ["en.bin"]),
]) {
  const path = new URL(`dist/data/${name}`, import.meta.url);
  const bytes = readFileSync(path);
  const sizes = [statSync(path).size, gzipSync(bytes, { level: 9 }).length, brotliCompressSync(bytes).length];
  console.log(name.padEnd(11), ...sizes.map((size) => String(size).padStart(9)));
}

console.log("\nlanguage  load ms  first block ms  first sound ms  x real time  cancel ms  memory MiB");
let failures = 0;
for (const code of LANGUAGES) {
  const page = await browser.page();
  await page.goto(address, "wasm");
  await page.until("the script of the page", () => globalThis.measured);
  await page.run((language, text) => void Object.assign(globalThis.wanted, { language, text }), code, textOf(code));
  await page.click("button");
  const found = await figuresOf(page);
  const { load, block, sound, factor, cancel, memory, peak, words, error } = found;
  console.log(
    code.padEnd(8),
    ...[load, block, sound, factor, cancel, memory].map((figure) => figure?.toFixed(1).padStart(12)),
  );
  const isRight = !error && peak > 0.01 && words > 2 && page.complaints.length === 0;
  if (!isRight) {
    failures += 1;
    console.log("  FAILED", JSON.stringify(found), page.complaints.join("\n"));
  }
  await page.send("Page.close");
}
browser.close();
site.close();
site.closeAllConnections();
process.exit(failures === 0 ? 0 : 1);
