#!/usr/bin/env node
// Measures a first visit on a slow connection (30 kB per second, round trip of 100 ms) in headless Chromium: requests,
// transferred bytes, first contentful paint, long tasks and layout shift. Requests, bytes and layout shift must stay
// within budgets.json; times are only printed. If FOLDER is given, writes pictures of the page while it loads.
// usage: node budgets.mjs http://127.0.0.1:8080 [FOLDER] (run.sh runs all checks)

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Chromium, pause } from "./chromium.mjs";
import { check, checkQuiet, finish, step } from "./steps.mjs";

const [base, pictures] = process.argv.slice(2);
if (!base) {
  console.error("usage: node budgets.mjs http://127.0.0.1:8080 [FOLDER]");
  process.exit(2);
}
const budgets = JSON.parse(readFileSync(new URL("budgets.json", import.meta.url)));
const BYTES_A_SECOND = 30_000;
const ROUND_TRIP_MS = 100;

// Runs in the page before its scripts. Records the layout shifts and long tasks that the browser reports.
function watch() {
  const seen = { shift: 0, longMs: [] };
  window.loading = seen;
  const each = (type, note) => new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true });
  each("layout-shift", (entry) => entry.hadRecentInput || (seen.shift += entry.value));
  each("longtask", (entry) => seen.longMs.push(Math.round(entry.duration)));
}

const browser = await Chromium.start();
const page = await browser.page({ before: watch });
await page.look(1366, 641);
await page.send("Network.emulateNetworkConditions", { offline: false, latency: ROUND_TRIP_MS, downloadThroughput: BYTES_A_SECOND, uploadThroughput: BYTES_A_SECOND });

async function load(path, ready, name) {
  const before = page.received.length;
  const begun = performance.now();
  const loaded = page.goto(`${base}${path}`, ready);
  if (pictures && name) {
    mkdirSync(pictures, { recursive: true });
    await pause(1_000);
    const { data } = await page.send("Page.captureScreenshot", { format: "png" });
    writeFileSync(join(pictures, `${name}-after-1-s.png`), Buffer.from(data, "base64"));
  }
  await loaded;
  const readyMs = performance.now() - begun;
  await pause(300); // the browser reports its last figures late
  const received = page.received.slice(before);
  const told = await page.run(() => ({ ...window.loading, firstMs: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? null }));
  return { requests: received.length, bytes: received.reduce((sum, bytes) => sum + bytes, 0), readyMs, ...told };
}

const words = ({ requests, bytes, firstMs, readyMs, shift, longMs }) =>
  `${requests} requests, ${bytes} bytes, something to see after ${Math.round(firstMs)} ms, the page after ${Math.round(readyMs)} ms, shift ${shift.toFixed(3)}, long tasks ${longMs.join(" ") || "none"} ms`;

function hold(found, budget) {
  check(found.requests <= budget.requests, `${found.requests} requests, at most ${budget.requests}`);
  check(found.bytes <= budget.bytes, `${found.bytes} bytes, at most ${budget.bytes}`);
  check(found.shift <= budgets["layout shift"], `things jump by ${found.shift}`);
  return words(found);
}

await step("the first visit to the Studio", async () => hold(await load("/studio", "Playground", "studio"), budgets.shell));
await step("the second visit uses the cached script and style", async () => hold(await load("/studio/voices", "Voices"), budgets["shell again"]));
await step("the documents", async () => hold(await load("/docs", "Shruti", "docs"), budgets["/docs"]));
await step("nothing in the console", async () => checkQuiet(page, base));

finish(browser);
