#!/usr/bin/env node
// Checks long texts of the playground in headless Chromium. A book is opened as a file while the server is restarted
// and killed; its samples must equal those of `shruti say`. Also checks every format, subtitles, stopping and
// continuing, and an allowance that is used up. Starts the server; needs ffmpeg. Prints the results; fails if a step
// failed. With a folder, writes pictures.
// usage: node long-text.mjs path/to/shruti [CHARACTERS [FOLDER]] (run.sh does this with 60,000)

import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkAccessible } from "./axe.mjs";
import { Chromium, pause } from "./chromium.mjs";
import { serve } from "../harness/server.mjs";
import { check, checkQuiet, finish, signUp, step, visit } from "./steps.mjs";

const [shruti, wanted = "60000", pictures] = process.argv.slice(2);
if (!shruti) {
  console.error("usage: node long-text.mjs path/to/shruti [CHARACTERS [FOLDER]]");
  process.exit(2);
}
const CHARACTERS = Number(wanted);
const EMAIL = `reader-${Date.now()}@example.com`;
const PASSWORD = "four small words together";
const SMALL = [1366, 860];
const LOOKS = [["desktop", ...SMALL, {}], ["dark", ...SMALL, { dark: true }], ["phone", 360, 740, {}]];
if (pictures) mkdirSync(pictures, { recursive: true });

const folder = mkdtempSync(join(tmpdir(), "studio-long-text-"));
const downloads = join(folder, "downloads");
mkdirSync(downloads);
const env = { ...process.env, SHRUTI_SERVER: "" };
const run = (...command) => execFileSync(command[0], command.slice(1), { env, encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] });

process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
let server = await serve(shruti, [], { env, folder });
const { url: base, data } = server;
// Ends the server with a signal and starts it again on the same port.
async function restart(signal) {
  process.kill(server.server, signal);
  await server.exited;
  server = await serve(shruti, [], { env, folder, port: server.port });
}
const promo = run(shruti, "promo", "create", "--chars", `${2 * CHARACTERS + 400_000}`, "--data-dir", data).trim();

const SENTENCES = ["वह कल शाम {n} बजे आया, और सबने उसे देखा।", "“आप कौन हैं?” उसने पूछा।", "दाम ₹{n},500 था; वह चुप रहा।", "The train to Pune left at {n}:15.", "फिर बारिश होने लगी!"];
function book(characters) {
  let text = "";
  for (let n = 0; [...text].length < characters && text.length < 2 * characters; n += 1) {
    const sentences = Array.from({ length: 2 + (n % 8) }, (_, at) => SENTENCES[(n * 3 + at) % SENTENCES.length].replace("{n}", 1 + ((n + at) % 12)));
    text += `${n + 1}. ${sentences.join(" ")}\n\n`;
    if (text.length > 100_000 && characters > 200_000) break;
  }
  text = text.repeat(Math.ceil(characters / text.length));
  return [...text].slice(0, characters).join("");
}

const browser = await Chromium.start();
const page = await browser.page();
await page.look(...SMALL);
await browser.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: downloads, browserContextId: browser.contextOf(page) });

async function take(name) {
  if (!pictures) return;
  for (const [look, width, height, options] of LOOKS) writeFileSync(join(pictures, `long-text-${name}-${look}.png`), await page.picture(width, height, options));
  await page.look(...SMALL);
}

const IN = ".long-text";
const visible = (label) => page.run((wanted) => [...document.querySelectorAll(".long-text button")].some((button) => button.textContent.startsWith(wanted) && button.offsetParent), label);
const share = () => page.run(() => document.querySelector(".long-text progress").value);
const says = () => page.run(() => document.querySelector(".long-text").innerText);

// Waits until a condition holds. Fails if the text on the page does not change for 90 s.
async function until(what, holds) {
  let [before, since] = [null, Date.now()];
  while (!(await holds())) {
    const now = await says();
    if (now !== before) [before, since] = [now, Date.now()];
    if (Date.now() - since > 90_000) throw new Error(`never: ${what}\n${now}\n${page.complaints.join("\n")}`);
    await pause(50);
  }
}

async function open(path) {
  const { result } = await page.send("Runtime.evaluate", { expression: 'document.querySelector(".long-text input[type=file]")' });
  await page.send("DOM.setFileInputFiles", { files: [path], objectId: result.objectId });
}

async function choose(kind, rate = null, kbit = null) {
  await page.run((label, ...values) => {
    const [select, ...others] = document.querySelectorAll(".long-text select");
    const set = (control, value) => {
      control.value = value;
      control.dispatchEvent(new Event("change", { bubbles: true }));
    };
    set(select, [...select.options].find(({ textContent }) => textContent === label).value);
    others.forEach((control, at) => values[at] && set(control, values[at]));
  }, kind, rate, kbit);
}

// Returns the file that a button downloads.
async function downloaded(label) {
  for (const name of readdirSync(downloads)) rmSync(join(downloads, name));
  const [button] = await page.run((wanted) => [...document.querySelectorAll(".long-text button")].map(({ textContent }) => textContent).filter((text) => text.startsWith(wanted)), label);
  await page.click(`${IN} button`, button);
  for (;;) {
    const [name] = readdirSync(downloads).filter((each) => !each.endsWith(".crdownload"));
    if (name && statSync(join(downloads, name)).size > 0) return join(downloads, name);
    await pause(50);
  }
}

// Decodes a file completely and returns its length in seconds. Any unexpected message from ffmpeg is a failure.
function lengthOf(file, as) {
  const pcm = join(folder, "decoded");
  const { stderr } = spawnSync("ffmpeg", ["-v", "warning", "-y", ...as, "-i", file, "-f", "s16le", "-ar", "24000", "-ac", "1", pcm], { encoding: "utf8" });
  const odd = stderr.split("\n").filter((line) => line && !/Estimating duration|Guessed Channel/.test(line));
  check(odd.length === 0, `${file}: ${odd.slice(0, 3).join(" | ")}`);
  return statSync(pcm).size / 48_000;
}

const hash = (bytes) => createHash("sha256").update(bytes).digest("hex").slice(0, 16);

// Opens the playground and chooses the tab for long texts.
async function playground() {
  await visit(page, "/studio", "Playground");
  await page.click("[role=tab]", "Long text");
}

await step("an account with a promo code", async () => {
  await signUp(page, base, promo, EMAIL, PASSWORD);
  await playground();
});

const path = join(folder, "book.txt");
writeFileSync(path, book(CHARACTERS));

await step(`a book of ${CHARACTERS} characters, by a server that is restarted and killed, has the samples of \`say\``, async () => {
  await open(path);
  await page.until("its name", () => document.querySelector(".long-text .source").textContent.startsWith("book.txt"));
  await checkAccessible(page, "the panel");
  await take("before");
  const big = CHARACTERS > 200_000;
  await choose(big ? "Opus in Ogg" : "WAV, 16 bits");
  const begun = performance.now();
  await page.click(`${IN} button`, "Synthesize to a file");
  await until("a quarter", async () => (await share()) > 0.25);
  await take("running");
  await restart("SIGTERM");
  await until("a half", async () => (await share()) > 0.5);
  const killed = restart("SIGKILL");
  await until("a word of it", async () => (await says()).includes("It continues automatically"));
  await killed;
  await until("the file", () => visible("Download"));
  const took = (performance.now() - begun) / 1_000;
  const { usedSize } = await page.send("Runtime.getHeapUsage");
  const kept = join(folder, "kept");
  renameSync(await downloaded("Download"), kept);
  await take("ready");
  const vtt = readFileSync(await downloaded("Subtitles, WebVTT"), "utf8");
  const said = join(folder, big ? "said.opus" : "said.wav");
  run(shruti, "say", "--file", path, "-o", said, "--subtitles", join(folder, "said.vtt"));
  const cues = (text) => text.split("\n\n").slice(1).map((cue) => cue.split("\n").slice(1).join(" ").trim());
  const theirs = cues(readFileSync(join(folder, "said.vtt"), "utf8"));
  const ours = cues(vtt);
  const other = ours.findIndex((text, at) => text !== theirs[at]);
  check(ours.join(" ") === theirs.join(" "), `other words: ${ours.length} cues, not ${theirs.length}; cue ${other} is ${JSON.stringify(ours[other])}, not ${JSON.stringify(theirs[other])}`);
  if (!big) {
    const [here, there] = [readFileSync(kept), readFileSync(said)];
    check(hash(here.subarray(44)) === hash(there.subarray(80)), `${here.length - 44} bytes, not ${there.length - 80}`);
    check(here.readUInt32LE(40) === here.length - 44, "its header tells another length");
  }
  return `${took.toFixed(1)} s, ${(statSync(kept).size / 1e6).toFixed(1)} MB, ${ours.length} cues, ${(usedSize / 1e6).toFixed(0)} MB of JavaScript`;
});

await step("every format is one file that ffmpeg can decode, with the length of its subtitles", async () => {
  await page.click(`${IN} button`, "Use the text above");
  await page.fill("Text", book(9_000));
  const kinds = [["WAV, 16 bits", 44_100], ["MP3", 44_100, 64], ["MP3", 16_000, 32], ["Opus in Ogg"], ["Raw samples, 16 bits", 8_000, null, "s16le"], ["Raw samples, 32-bit floats", 24_000, null, "f32le"],
    ["G.711 µ-law", 8_000, null, "mulaw"], ["G.711 A-law", 8_000, null, "alaw"], ["WAV, 32-bit floats", 48_000], ["WAV, µ-law", 8_000], ["WAV, A-law", 8_000]];
  const lengths = [];
  for (const [kind, rate, kbit, bare] of kinds) {
    await choose(kind, rate, kbit);
    await page.click(`${IN} button`, "Synthesize to a file");
    await until(kind, () => visible("Download"));
    const sound = await downloaded("Download");
    const length = lengthOf(sound, bare ? ["-f", bare, "-ar", `${rate}`, "-ac", "1"] : []);
    const copy = readFileSync(await downloaded("Subtitles, SubRip"), "utf8");
    const [, h, m, s] = /.*--> (\d+):(\d+):([\d,]+)[^]*$/.exec(copy.slice(copy.lastIndexOf("-->") - 20)).map((part) => Number(part.replace?.(",", ".")));
    const last = 3_600 * h + 60 * m + s;
    // the last cue is shown for at least a second, even if its word is shorter
    check(length - last > -1 && length - last < 1.5, `${kind}: ${length} s, its last cue ends at ${last}`);
    lengths.push(length);
  }
  check(Math.max(...lengths) - Math.min(...lengths) < 1, lengths.join(", "));
  return lengths.map((length) => length.toFixed(2)).join(", ");
});

await step("a stopped text is continued, or its finished part is saved", async () => {
  // use a part of the book, because the whole book would give gigabytes of raw samples
  const part = join(folder, "part.txt");
  writeFileSync(part, book(Math.min(CHARACTERS, 60_000)));
  await open(part);
  await page.until("its name", () => document.querySelector(".long-text .source").textContent.startsWith("part.txt"));
  await choose("Raw samples, 16 bits", 24_000);
  await page.click(`${IN} button`, "Synthesize to a file");
  await until("some of it", async () => (await share()) > 0.05);
  await page.click(`${IN} button`, "Stop");
  await until("the button Continue", () => visible("Continue"));
  const stopped = await share();
  await take("stopped");
  await checkAccessible(page, "what is stopped");
  await page.click(`${IN} button`, "Continue");
  await until("more of it", async () => (await share()) > stopped);
  await page.click(`${IN} button`, "Stop");
  await until("the button Continue", () => visible("Continue"));
  await page.click(`${IN} button`, "Save the finished part");
  await until("the file", () => visible("Download"));
  const sound = readFileSync(await downloaded("Download"));
  const said = execFileSync(shruti, ["say", "--file", part], { env, maxBuffer: 1 << 30, stdio: ["ignore", "pipe", "ignore"] });
  check(sound.length > 0 && hash(sound) === hash(said.subarray(0, sound.length)), `${sound.length} bytes are not the beginning`);
  return `${sound.length} of ${said.length} bytes`;
});

await step("only lost connections are in the console", async () => {
  page.complaints = page.complaints.filter((text) => !/WebSocket connection to|ERR_CONNECTION|status of 50\d/.test(text));
  checkQuiet(page, base);
});

await step("an exhausted allowance is reported, and the finished part of the file is available", async () => {
  const few = run(shruti, "promo", "create", "--chars", "4000", "--data-dir", data).trim();
  await visit(page, "/studio/account", "Account").catch(() => page.goto(`${base}/studio/account`, "Account"));
  await page.click("button", "Sign out");
  await page.heading("Sign in");
  await signUp(page, base, few, `few-${EMAIL}`, PASSWORD);
  await playground();
  await open(path);
  await page.until("its name", () => document.querySelector(".long-text .source").textContent.startsWith("book.txt"));
  await page.click(`${IN} button`, "Synthesize to a file");
  await until("the refusal", async () => (await says()).includes("quota_exhausted"));
  await take("used-up");
  await page.click(`${IN} button`, "Save the finished part");
  await until("the file", () => visible("Download"));
  const length = lengthOf(await downloaded("Download"), []);
  check(length > 60, `${length} s`);
  return `${length.toFixed(1)} s of sound`;
});

finish(browser);
