// Checks the page that make.py creates, opened from its files in headless Chromium: keys, votes, the download, the text
// for screen readers, and that the page makes no network request. It votes on the pairs of one language.
//
// usage: node measure/voice/listen/check.mjs OUT [LANGUAGE [PICTURE.png]]    after `npm ci --prefix checks/studio`;
// needs chromium

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { checkAccessible } from "../../../checks/studio/axe.mjs";
import { Chromium } from "../../../checks/studio/chromium.mjs";
import { check } from "../../../checks/studio/steps.mjs";

const [folder, language = "en", picture = null] = process.argv.slice(2);
if (!folder) {
  console.error("usage: check.mjs OUT [LANGUAGE [PICTURE.png]]");
  process.exit(2);
}
const downloads = mkdtempSync(join(tmpdir(), "votes-"));
const browser = await Chromium.start();
try {
  const page = await browser.page();
  await browser.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: downloads, browserContextId: browser.contextOf(page) });
  await page.goto(pathToFileURL(resolve(folder, "index.html")).href, "Compare by ear");
  await checkAccessible(page, "the start");
  await page.run(() => document.querySelectorAll("#languages input").forEach((box) => (box.checked = false)));
  await page.click("#begin");
  check(await page.run(() => !document.querySelector("#start").hidden), "it begins without a language");
  await page.click(`#languages input[value="${language}"]`);
  await page.fill("A name", "Mina");
  await page.click("#begin");
  const count = await page.run((code) => window.listening.pairs.filter((pair) => pair.language === code).length, language);
  const keys = ["a", "d", "s"];
  for (let number = 1; number <= count; number += 1) {
    await page.says(`Pair ${number} of ${count}`);
    check((await page.run(() => document.activeElement.id)) === "pair-title", "the focus is not on the new pair");
    check((await page.run(() => document.querySelector("#text").lang)) === language, "the text does not say its language");
    if (number === 1) {
      await checkAccessible(page, "a pair");
      await press(page, "a");
      check(await page.run(() => document.querySelector("#votes").disabled), "a vote before both were heard");
      await page.says("Pair 1 of");
    }
    for (const key of ["1", "2"]) {
      await press(page, key);
      await page.until(`sound ${key} heard`, (place) => document.querySelector(`#play-${place}`).dataset.state === "heard", key);
    }
    if (number === 1) {
      await page.look(900, 760);
      if (picture) writeFileSync(picture, await page.picture(900, 760));
      await checkAccessible(page, "a pair that was heard");
      await page.look(900, 760, { dark: true });
      await checkAccessible(page, "a pair that was heard, in the dark");
    }
    await press(page, keys[(number - 1) % keys.length]);
  }
  await page.says("Thank you");
  await checkAccessible(page, "the end");
  await page.click("#end .download");
  await page.says(`${count} of ${count} pairs are voted on.`);
  const file = await downloaded();
  const votes = JSON.parse(readFileSync(file, "utf8"));
  check(votes.listener === "Mina" && Object.keys(votes.votes).length === count, `the file holds other votes: ${JSON.stringify(votes)}`);
  const given = Object.values(votes.votes).map(({ choice }) => choice);
  check(given[0] === "first" && (count < 2 || given.includes("second")), `the file holds other choices: ${given}`);
  await page.goto(pathToFileURL(resolve(folder, "index.html")).href, "Compare by ear");
  await page.says("Your votes so far are kept");
  check(page.hosts.size === 0, `it asked ${[...page.hosts]}`);
  check((await page.run(() => getComputedStyle(document.querySelector("main")).maxWidth)) !== "none", "it has no style");
  // axe fetches the style sheet again, which the page's policy forbids, so ignore that complaint
  const complaints = page.complaints.filter((complaint) => !complaint.includes("listen.css"));
  check(complaints.length === 0, complaints.join("\n"));
  console.log(readFileSync(file, "utf8"));
} finally {
  browser.close();
  rmSync(downloads, { recursive: true, force: true });
}

function press(page, key) {
  const code = /\d/.test(key) ? `Digit${key}` : `Key${key.toUpperCase()}`;
  const common = { key, code, windowsVirtualKeyCode: key.toUpperCase().charCodeAt(0) };
  return page
    .send("Input.dispatchKeyEvent", { type: "keyDown", ...common, text: key })
    .then(() => page.send("Input.dispatchKeyEvent", { type: "keyUp", ...common }));
}

// Waits until the download is complete, and returns the path of the file.
async function downloaded() {
  for (let tries = 0; tries < 400; tries += 1) {
    const found = readdirSync(downloads).find((name) => name.endsWith(".json"));
    if (found) return join(downloads, found);
    await new Promise((done) => setTimeout(done, 25));
  }
  throw new Error("no file was downloaded");
}
