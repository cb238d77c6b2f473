#!/usr/bin/env node
// Takes pictures of every page of the Studio for review: desktop and phone, light and dark, with Hindi, Tamil and Odia
// text.
// usage: node screenshots.mjs http://127.0.0.1:8080 PROMO-CODE LINK DATA_DIR FOLDER (pictures.sh does all of this)

import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Chromium, pause } from "./chromium.mjs";
import { openAccount } from "./steps.mjs";

const [base, promo, link, data, folder] = process.argv.slice(2);
if (!folder) {
  console.error("usage: node screenshots.mjs http://127.0.0.1:8080 PROMO-CODE LINK DATA_DIR FOLDER");
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
const LOOKS = [["desktop-light", 1280, 860, { dark: false }], ["desktop-dark", 1280, 860, { dark: true }],
  ["phone-light", 390, 844, { dark: false, scale: 2 }], ["phone-dark", 390, 844, { dark: true, scale: 2 }]];
const SMALL = ["small", 1366, 641, { whole: false }];
const EMAIL = `asha-${Date.now() % 100_000}@example.com`;
const PASSWORD = "four small words together";

const browser = await Chromium.start();
const page = await browser.page();
await page.look(1280, 860);

async function take(name, looks = LOOKS, of = page) {
  for (const [look, width, height, options] of looks) {
    writeFileSync(join(folder, `${name}-${look}.png`), await of.picture(width, height, options));
  }
  await of.look(1280, 860);
}
const visit = async (path, heading) => {
  await page.run((to) => {
    document.querySelector("h1").remove(); // so that the heading of the old page is not mistaken for the next one
    document.querySelector(`header a[href="${to}"]`).click();
  }, path);
  await page.heading(heading);
  await pause(300);
};

await page.goto(`${base}/studio`, "Playground");
await take("playground-signed-out", [...LOOKS, SMALL]);
await page.goto(`${base}/studio/voices`, "Voices");
await take("voices-signed-out", [LOOKS[0], LOOKS[2]]);
await page.goto(`${base}/studio/sign-in`, "Sign in");
await take("sign-in");
await page.goto(`${base}/studio/sign-up`, "Create an account");
await page.fill("E-mail", EMAIL);
await page.fill("Password", "short");
await page.click("form button");
await page.until("trouble", () => document.querySelector(".trouble:not([hidden])"));
await take("sign-up-refused");
await page.fill("Password", PASSWORD);
await page.click("form button");
await page.heading("Promo code");
await take("promo-locked");
await visit("/studio", "Playground");
await page.click(".speak");
await page.until("the failure", () => document.querySelector(".desk [role=alert]"));
await take("playground-locked");
await visit("/studio/promo", "Promo code");
await page.fill("Promo code", promo);
await page.click("form button");
await page.says("Unlocked");
await take("promo-unlocked");
await visit("/studio/keys", "Keys");
await take("keys-none");

for (const code of ["hi", "ta", "or"]) {
  for (const look of LOOKS) {
    await visit("/studio", "Playground");
    await page.look(look[1], look[2], look[3]);
    await page.click(`.chip[lang=${code}]`);
    await page.click(`.chip[lang=${code}]`);
    await page.click(".speak");
    await page.until("a word", () => [...(CSS.highlights.get("spoken") ?? [])][0]?.toString().length > 12);
    await take(`playground-${code}-speaking`, [look]);
    if (code === "or") continue;
    await page.look(look[1], look[2], look[3]);
    await page.press(" ");
    await page.says("Not heard");
    await take(`playground-${code}-interrupted`, [look]);
  }
}
await visit("/studio", "Playground");
await page.click(".chip[lang=ta]");
await page.click("#as-model");
await page.click(".speak");
await page.until("a piece", () => [...(CSS.highlights.get("unsent") ?? [])][0]?.startOffset > 14);
await take("playground-ta-typing", [LOOKS[0]]);

await visit("/studio", "Playground");
await page.click('.voice-card input[value="Test 0"]');
await take("playground-few-languages", [LOOKS[0], LOOKS[2]]);
await page.click(".speak");
await page.until("what speaks", () => document.querySelector(".source:not([hidden])"));
await page.until("the end", () => document.querySelector(".speak").textContent === "Speak");
await take("playground-pack", [...LOOKS, SMALL]);
await visit("/studio/voices", "Voices");
await page.click(".voice:nth-of-type(2) .sample[lang=ta]");
await page.until("its sound", () => document.querySelector(".sample-speech .hint")?.textContent);
await take("voices", [...LOOKS, SMALL]);

await visit("/studio/keys", "Keys");
await page.click("button", "Create API key");
await page.fill("Name", "shop front");
await page.fill("Monthly cap", "50000");
await page.run(() => (document.querySelector("dialog details").open = true));
await take("keys-make");
await page.click("dialog button", "Create key");
await page.until("the key", () => document.querySelector("dialog .secret"));
await page.run(() => (document.querySelector("dialog .secret").value = "sk_onlyAPictureNotARealKey0000000000000000"));
await take("keys-shown-once");
await page.click("dialog button", "I have saved it");
await page.says("shop front");
await page.click("button", "Create API key");
await page.fill("Name", "घर का assistant");
await page.click("dialog button", "Create key");
await page.click("dialog button", "I have saved it");
await page.says("assistant");
await page.click(".key:nth-child(2) button", "Rotate");
await take("keys-rotate", [LOOKS[0]]);
await page.click("dialog button", "Cancel");
await page.click(".key:nth-child(2) button.danger");
await take("keys-revoke");
await page.click("dialog button", "Revoke the key");
await page.says("revoked");
await take("keys");

execFileSync("python3", [new URL("fill.py", import.meta.url).pathname, data, EMAIL]);
await visit("/studio/usage", "Usage");
await page.until("bars", () => document.querySelectorAll(".chart rect[class^=series]").length > 30);
await take("usage");
await page.choose("By", "key");
await take("usage-by-key", [LOOKS[0], LOOKS[2]]);
await visit("/studio/account", "Account");
await take("account");
await visit("/studio/quickstart", "Quick start");
await take("quickstart");

const other = await browser.page();
await other.look(1280, 860);
await other.goto(link, "Sign in with a link");
await take("link", LOOKS, other);
await other.click("main button", "Sign in");
await other.heading("Playground");
await openAccount(other);
await take("account-by-link", LOOKS, other);

const far = new URL("/studio", base);
far.hostname = "far.test";
await page.send("Page.navigate", { url: far.href });
await page.says("--tls-self-signed");
await pause(300);
await take("plain-http");
browser.close();
console.log(`pictures are in ${folder}`);
process.exit(0);
