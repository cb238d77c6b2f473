#!/usr/bin/env node
// Checks the pronunciation page of the Studio in headless Chromium with real clicks and keys: how a text is read, the
// pronunciation dictionary of an account and its effect on the audio, two editors, import and export. Prints the
// results; fails if a step failed. With a folder, writes pictures.
// usage: node pronunciation.mjs http://127.0.0.1:8080 PROMO-CODE [FOLDER] (run.sh runs all checks)

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkAccessible } from "./axe.mjs";
import { Chromium } from "./chromium.mjs";
import { check, checkQuiet, finish, signUp, step, visit } from "./steps.mjs";
import { tap } from "./tap.js";

const [base, promo, pictures] = process.argv.slice(2);
if (!promo) {
  console.error("usage: node pronunciation.mjs http://127.0.0.1:8080 PROMO-CODE [FOLDER]");
  process.exit(2);
}
const EMAIL = `lexicon-${Date.now()}@example.com`;
const PASSWORD = "four small words together";
const LOOKS = [
  ["desktop", 1366, 641, {}],
  ["phone", 360, 740, {}],
  ["dark", 1366, 641, { dark: true }],
  ["dark-phone", 360, 740, { dark: true }],
];

const browser = await Chromium.start();
const page = await browser.page({ before: tap });
await page.look(1366, 641);
const files = mkdtempSync(join(tmpdir(), "studio-lexicon-"));
process.on("exit", () => rmSync(files, { recursive: true, force: true }));

const rows = (table) =>
  page.run(
    (css) =>
      [...document.querySelectorAll(`${css} tbody tr`)].map((row) =>
        [...row.children].map((cell) => cell.textContent.trim()),
      ),
    table,
  );
const readings = () => rows("table.lexicon");
const some = (what, number) =>
  page.until(what, (wanted) => document.querySelectorAll("table.lexicon tbody tr").length === wanted, number);
const add = async (word, reading, submit = "Add") => {
  await page.fill("Word", word);
  await page.fill("Read as", reading);
  await page.click(".lexicon-form button", submit);
};
// Changes the dictionary as another page of the same account would.
const elsewhere = (change) =>
  page.run(async (toml) => {
    const headers = { "x-studio": "1", "content-type": "application/json" };
    const { version } = await (await fetch("/studio/api/lexicon")).json();
    const body = JSON.stringify({ toml, version });
    return (await fetch("/studio/api/lexicon", { method: "PUT", headers, body })).status;
  }, change);

// Presses a button that speaks, waits for the end of the turn, and returns its words.
async function hear(press) {
  await page.run(() => window.freshTap());
  await press();
  // if a turn was still playing, it is reported as cancelled
  await page.until("the end of what is said", () => window.tap.ends.some(({ type }) => type !== "turn.cancelled"));
  const { words, ends, posted } = await page.run(() => ({ ...window.tap, ear: null }));
  check(ends.at(-1).type === "turn.done" && posted > 2_400, JSON.stringify(ends));
  return words;
}

await step("visitors are asked to sign in, and no lexicon is shown", async () => {
  await page.goto(`${base}/studio/pronunciation`, "Pronunciation");
  await page.says("to store readings of words");
  check((await page.run(() => document.querySelector(".lexicon-form"))) === null, "there is an editor");
  await checkAccessible(page, "the visitor's page");
});

await step("a signed-in user sees how each part of a text is read", async () => {
  await signUp(page, base, promo, EMAIL, PASSWORD);
  await visit(page, "/studio/pronunciation", "Pronunciation");
  await page.fill("Text", "AIIMS में ₹1,500 लगे <b>x</b>");
  await page.click(".look button", "Show the pronunciation");
  await page.until("the table", () => document.querySelector("table.normalization tbody tr"));
  const told = await rows("table.normalization");
  const money = told.find(([written]) => written === "₹1,500");
  check(money[1] === "एक हज़ार पाँच सौ रुपए" && money[4] === "money" && money[5].startsWith("hi/"), JSON.stringify(money));
  check((await page.run(() => document.querySelector(".found b"))) === null, "the text is read as markup");
  return JSON.stringify(told[0]);
});

await step("an entry is created from a token, played before it is saved, and saved", async () => {
  await page.click("button[aria-label='Change how AIIMS is read']");
  await page.until("the word", () => document.querySelector(".lexicon-form input").value === "AIIMS");
  await page.fill("Read as", "एम्स");
  const [so] = await hear(() => page.click(".lexicon-form button", "Play the reading"));
  check(so.spoken === "एम्स", JSON.stringify(so));
  const [plain] = await hear(() => page.click(".lexicon-form button", "Play without the reading"));
  check(plain.spoken !== "एम्स", JSON.stringify(plain));
  await page.click(".lexicon-form button", "Add");
  await some("an entry", 1);
  const [[word, reading, where]] = await readings();
  check(`${word} ${reading} ${where}` === "AIIMS एम्स every language", `${word} ${reading} ${where}`);
  await page.click(".look button", "Show the pronunciation");
  await page.until("the reading", () => document.querySelector("table.normalization tbody td").textContent === "एम्स");
});

await step("the playground works after that", async () => {
  await visit(page, "/studio", "Playground");
  await page.fill("Text", "AIIMS");
  const [word] = await hear(() => page.click(".speak"));
  check(word.spoken === "एम्स", JSON.stringify(word));
  await visit(page, "/studio/pronunciation", "Pronunciation");
});

await step("an invalid reading is reported with the reason, and the input is kept", async () => {
  await add("Ooty", "/%/");
  await page.until("the reason", () => document.querySelector("main [role=alert]")?.textContent.includes("not IPA"));
  check((await page.run(() => document.querySelector(".lexicon-form input").value)) === "Ooty", "the form is empty");
  await page.fill("Read as", "/uːʈiː/");
  await page.choose("In texts of", "ta");
  await page.click(".lexicon-form button", "Add");
  await some("two entries", 2);
  const [word] = await hear(() => page.click("button[aria-label='Hear Ooty']"));
  check(word.text === "Ooty", JSON.stringify(word));
});

await step("quotes, backslashes, directional marks and TOML syntax are unchanged", async () => {
  const odd = 'a" = \'b\' # [x] \\';
  await add(odd, "kit");
  await some("three entries", 3);
  check((await readings()).some(([word]) => word === odd), JSON.stringify(await readings()));
  await add("\u202ekat", "kit");
  await some("four entries", 4);
});

await step("an entry is edited and removed with the keyboard", async () => {
  await page.run(() => document.querySelector("button[aria-label='Edit AIIMS']").focus());
  await page.press("Enter");
  await page.until("the form", () => document.activeElement.value === "AIIMS");
  await page.press("Tab");
  check((await page.run(() => document.activeElement.value)) === "एम्स", "Tab leads elsewhere");
  await page.run(() => document.activeElement.select());
  await page.send("Input.insertText", { text: "ऐम्स" });
  await page.press("Enter");
  await page.until("the change", () => document.querySelector("table.lexicon").textContent.includes("ऐम्स"));
  check((await readings()).length === 4, "there is another entry");
  await page.run(() => [...document.querySelectorAll("button[aria-label^='Remove']")].at(-1).focus());
  await page.press("Enter");
  await some("three entries", 3);
  check((await page.run(() => document.activeElement.tagName)) === "INPUT", "the focus is lost");
});

await step("a concurrent change is reported and shown, and the input is kept", async () => {
  check((await elsewhere("[words]\nshared = 'theirs'\n")) === 200, "the other page was refused");
  await add("mine", "kit");
  await page.until("the notice", () =>
    document.querySelector("main [role=alert]")?.textContent.includes("changed elsewhere"),
  );
  check((await readings()).map(([word]) => word).join() === "shared", JSON.stringify(await readings()));
  check((await page.run(() => document.querySelector(".lexicon-form input").value)) === "mine", "the form is empty");
  await page.click(".lexicon-form button", "Add");
  await some("both", 2);
});

await step("a lexicon is exported as TOML, and replaced with a file", async () => {
  await page.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: files, browserContextId: browser.contextOf(page) });
  await page.click("button", "Export as TOML");
  const until = Date.now() + 10_000;
  while (!readdirSync(files).includes("lexicon.toml") && Date.now() < until) await page.run(() => new Promise((done) => requestAnimationFrame(done)));
  const exported = readFileSync(join(files, "lexicon.toml"), "utf8");
  check(exported.includes('"mine" = "kit"') && exported.startsWith("[words]"), exported);
  const give = async (name, content) => {
    writeFileSync(join(files, name), content);
    const { root } = await page.send("DOM.getDocument");
    const { nodeId } = await page.send("DOM.querySelector", { nodeId: root.nodeId, selector: "input[type=file]" });
    await page.send("DOM.setFileInputFiles", { nodeId, files: [join(files, name)] });
  };
  await give("bad.toml", "[words]\nx = '/'\n");
  await page.until("the line", () => document.querySelector("main [role=alert]")?.textContent.includes("ine 2: 'x'"));
  check((await readings()).length === 2, "something was taken");
  await give("good.toml", `${exported}\n[hi]\nkit = "किट"\n`);
  await page.says("good.toml is now the lexicon");
  await some("three", 3);
  return JSON.stringify(exported);
});

await step("the page fits light, dark and phone layouts, and axe-core finds no faults", async () => {
  await page.fill("Text", "AIIMS में ₹1,500 लगे, Dr. Rao 15/08/2026 को 10:30 बजे मिलेंगे 🙏");
  await page.click(".look button", "Show the pronunciation");
  await page.until("the table", () => document.querySelectorAll("table.normalization tbody tr").length > 8);
  for (const [look, width, height, options] of LOOKS) {
    await page.look(width, height, options);
    const wide = await page.run(() => document.documentElement.scrollWidth);
    const widest = await page.run(
      (most) =>
        [...document.querySelectorAll("main *")]
          .filter((each) => !each.closest(".scroll") && each.getBoundingClientRect().right > most)
          .map((each) => each.outerHTML.slice(0, 80)),
      width,
    );
    check(wide <= width, `${wide} pixels on a ${look}: ${widest.join("; ")}`);
    await checkAccessible(page, look);
    if (!pictures) continue;
    const { data } = await page.send("Page.captureScreenshot", { captureBeyondViewport: true, format: "png" });
    writeFileSync(join(pictures, `pronunciation-${look}.png`), Buffer.from(data, "base64"));
  }
  await page.look(1366, 641);
});

await step("nothing in the console, and no requests to other hosts", async () => checkQuiet(page, base));

finish(browser);
