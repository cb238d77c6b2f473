#!/usr/bin/env node
// Checks the Studio as a new user, in headless Chromium with real clicks and keys: signs up, is locked, redeems a code,
// speaks, interrupts, creates a key, uses it, sees the usage rise, and revokes the key. Prints the results; fails if a
// step failed.
// usage: node check.mjs http://127.0.0.1:8080 PROMO-CODE LINK [visitor] (run.sh runs all checks)
// visitor: the playground is open, and only the functions for visitors are checked.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkAccessible } from "./axe.mjs";
import { Chromium, pause } from "./chromium.mjs";
import { check, checkQuiet, finish, step, visit as visitPage } from "./steps.mjs";
import { slowLine, stubbornRate, tap } from "./tap.js";

const [base, promo, link, visitor] = process.argv.slice(2);
if (!link) {
  console.error("usage: node check.mjs http://127.0.0.1:8080 PROMO-CODE LINK [visitor]");
  process.exit(2);
}
const EMAIL = `newcomer-${Date.now()}@example.com`;
const PASSWORD = "four small words together";
const CHANGED = "another four small words";
const PHONE = [390, 844];
const DESKTOP = [1280, 900];
const REVOCATION_MS = 3_000;

const browser = await Chromium.start();
const page = await browser.page({ before: tap });
await page.look(...DESKTOP);
const downloads = mkdtempSync(join(tmpdir(), "studio-downloads-"));
process.on("exit", () => rmSync(downloads, { recursive: true, force: true }));

const visit = (path, heading) => visitPage(page, path, heading);
const fresh = () => page.run(() => void window.freshTap());
const heard = () => page.run(() => {
  const { ear, ...seen } = window.tap;
  return seen;
});
const idle = () => page.until("the button says Speak", () => document.querySelector(".speak").textContent === "Speak");
const speaking = () => page.until("the button says Interrupt", () => document.querySelector(".speak").textContent === "Interrupt");
const write = (text) => page.fill("Text", text);
const lit = (number) => page.until(`${number} words lit`, (wanted) => window.tap.lights.length >= wanted, number);

// Speaks the text in the form to its end.
async function speak() {
  await fresh();
  await page.click(".speak");
  await page.until("the clip's end", () => window.tap.ends.length > 0);
  await idle();
  await pause(100); // the audio recorder is one block late
  return heard();
}

// Checks the recorded audio of a clip, after the worklet has played it.
function checkSound({ posted, loud, energy, firstLoud, lastLoud, contextRate, ends: [end] }) {
  check(end.type === "turn.done", `the turn ended with ${end.type}`);
  check(Math.abs(posted / 24 - end.audio_ms) <= 1, `${posted / 24} ms reached the worklet, ${end.audio_ms} ms were sent`);
  const soundingMs = ((lastLoud - firstLoud) / contextRate) * 1000;
  check(Math.abs(soundingMs - end.audio_ms) < 0.1 * end.audio_ms + 100, `${soundingMs} ms left the worklet, ${end.audio_ms} ms were sent`);
  const level = 10 * Math.log10(energy / loud);
  check(level > -40 && level < -3, `the level is ${level} dB`);
  return `${Math.round(soundingMs)} ms at ${level.toFixed(1)} dB of full scale`;
}

// Checks the attributes of text fields that phones use for the label of the Enter key and for autofill.
const checkFields = async () => {
  const bare = await page.run(() => [...document.querySelectorAll("main input, dialog input")]
    .filter((input) => /^(text|email|password|number|search)$/.test(input.type) && !input.hidden && !(input.enterKeyHint && input.autocomplete))
    .map((input) => input.labels[0]?.textContent ?? input.outerHTML));
  check(bare.length === 0, `nothing for phones: ${bare.join()}`);
};

// Checks that the highlighted words are those that the server reported, in order.
function checkLights({ lights, words }) {
  const wanted = words.map(({ text }) => text).filter((text, at) => at === 0 || words[at].char_start !== words[at - 1].char_start);
  check(lights.length >= wanted.length * 0.8, `${lights.length} of ${wanted.length} words lit up`);
  check(lights.every(({ start }, at) => at === 0 || start > lights[at - 1].start), "words light up out of order");
  check(lights.every(({ text }) => wanted.includes(text)), `lit: ${lights.map(({ text }) => text).join("|")}; words: ${wanted.join("|")}`);
  let next = 0;
  const found = lights.map(({ text, at }) => {
    next = words.findIndex((word, index) => index >= next && word.text === text) + 1;
    return at - words[next - 1].start_ms;
  }).sort((left, right) => left - right);
  return `${lights.length} words, spread of their moments ${Math.round(found.at(-1) - found[0])} ms`;
}

if (visitor) {
  await step("visitors can use an open playground, which offers accounts", async () => {
    await page.goto(`${base}/studio`, "Playground");
    const sound = checkSound(await speak());
    await page.says("create an account");
    return sound;
  });
  await step("the clips of a visitor are deleted when the page is closed, because the next user may also be a visitor", async () => {
    await page.says("until this page is left");
    check((await page.run(() => document.querySelectorAll(".clips li").length)) === 1, "the clip is not listed");
    await page.send("Page.reload");
    await page.until("the page again", () => document.querySelector(".speak") && window.tap.posted === 0);
    check(await page.run(() => document.querySelector(".history").hidden), "the server is back");
    const kept = await page.run(async () => (await indexedDB.databases()).map(({ name }) => name));
    check(kept.length === 0, `in the browser: ${kept.join()}`);
  });
  finish(browser);
}

await step("visitors who press the button or the keys get instructions", async () => {
  await page.goto(`${base}/studio`, "Playground");
  await page.says("create an account");
  const told = () => document.querySelector(".desk [role=alert] a[href='/studio/sign-up']") !== null;
  await page.click(".speak");
  await page.until("the notice", told);
  await page.run(() => document.querySelector(".desk .board").replaceChildren());
  await page.run(() => document.querySelector("textarea").focus());
  await page.press("Enter", { control: true });
  await page.until("the notice", told);
});

await step("pages for signed-in users redirect to the sign-in and back", async () => {
  await page.goto(`${base}/studio/keys`, "Sign in");
  check((await page.run(() => location.search)) === "?next=%2Fstudio%2Fkeys", "where to go next");
});

await step("a rejected sign-up names the field", async () => {
  await page.click("main a", "Create an account");
  await page.heading("Create an account");
  await checkFields();
  await page.fill("E-mail", EMAIL);
  await page.fill("Password", "short");
  await page.click("form button");
  await page.until("trouble at the password", () => document.activeElement.type === "password" && document.querySelector(".trouble:not([hidden])")?.innerText.includes("password"));
});

await step("a new user signs up, and is asked for a promo code", async () => {
  await page.fill("Password", PASSWORD);
  await page.click("form button");
  await page.heading("Promo code");
  await page.says("Your account is locked");
});

await step("the playground reports a locked account", async () => {
  await visit("/studio", "Playground");
  await page.click(".speak");
  await page.until("the failure", () => document.querySelector(".desk [role=alert] a[href='/studio/promo']"));
});

await step("a wrong promo code is refused, a right one unlocks", async () => {
  await visit("/studio/promo", "Promo code");
  await page.fill("Promo code", "NO-SUCH-CODE");
  await page.click("form button");
  await page.until("the refusal", () => document.querySelector(".trouble:not([hidden])")?.innerText.includes("no such code"));
  await page.fill("Promo code", promo.toLowerCase());
  await page.click("form button");
  await page.says("Unlocked");
});

await step("Speak: samples pass through the AudioWorklet, words are highlighted in order", async () => {
  await page.click("main a", "Open the playground");
  await page.heading("Playground");
  const sound = await speak();
  check((await page.run(() => document.querySelector(".figures").innerText)).includes("First audio"), "no first-audio time");
  return `${checkSound(sound)}; ${checkLights(sound)}`;
});

await step("highlights are correct after emoji, and text in pieces is spoken as one text", async () => {
  await write("😀 👨‍👩‍👧 வணக்கம்! உங்கள் கணக்கில் ₹1,25,000 உள்ளது 😀 நன்றி.");
  await page.click("#as-model");
  const sound = await speak();
  check(sound.started[0].language === "ta", `spoken as ${sound.started[0].language}`);
  await page.click("#as-model");
  return `${checkSound(sound)}; ${checkLights(sound)}`;
});

const LONG = "आज सुबह मौसम बहुत अच्छा था, इसलिए हम सब नदी के किनारे टहलने गए। वहाँ बच्चों ने पतंग उड़ाई, और हमने चाय पी। शाम को बारिश होने लगी।";

// Ends the current speech with `interrupt`, and checks the result.
async function bargeIn(interrupt) {
  await write(LONG);
  await fresh();
  await page.click(".speak");
  await speaking();
  await lit(4);
  await interrupt();
  await page.says("Not heard");
  await pause(150);
  const before = await heard();
  await pause(500);
  const after = await heard();
  check(after.loud === before.loud, "sound goes on after the barge-in");
  const [end] = after.ends;
  check(end.type === "turn.cancelled" && end.heard.basis === "played_ms", `${end.type}, by ${end.heard?.basis}`);
  const soundedMs = ((after.lastLoud - after.firstLoud) / after.contextRate) * 1000;
  check(Math.abs(soundedMs - end.heard.ms) < 200, `${soundedMs} ms sounded, ${end.heard.ms} ms were reported as heard`);
  const [was, not] = await page.run(() => [...document.querySelectorAll(".heard dd")].map((each) => each.textContent));
  check(was.length > 0 && not.length > 0 && `${was} ${not}` === LONG.replace(/\s+/g, " "), `heard: ${was}; not heard: ${not}`);
  check((await page.run(() => [...CSS.highlights.get("unheard")][0].toString().trim())) === not, "what was not heard is not struck out");
  return `${Math.round(soundedMs)} ms sounded, ${end.heard.ms} ms reported, ${end.sent_ms} ms had been sent`;
}

await step("the space bar interrupts: audio stops, heard and unheard text are shown", () => bargeIn(() => page.press(" ")));
await step("the button interrupts", () => bargeIn(() => page.click(".speak")));

await step("a space in the text is only a space", async () => {
  await write(LONG);
  await fresh();
  await page.run(() => document.querySelector("textarea").focus());
  await page.press("Enter", { control: true });
  await lit(2);
  await page.press(" ");
  await pause(200);
  const { ends } = await heard();
  check(!ends.some(({ type }) => type === "turn.cancelled"), "it interrupted");
  check((await page.run(() => document.querySelector("textarea").value)) === `${LONG} `, "it was not typed");
  await page.click(".speak");
  await idle();
});

await step("the clip is downloaded as WAV", async () => {
  await page.click(".chip[lang=or]");
  const { posted } = await speak();
  await browser.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: downloads, browserContextId: browser.contextOf(page) });
  await page.click("button", "Download WAV");
  let name;
  for (let tries = 0; tries < 100 && !name; tries += 1) {
    await pause(50);
    name = readdirSync(downloads).find((each) => each.endsWith(".wav"));
  }
  const file = readFileSync(join(downloads, name));
  check(file.toString("latin1", 0, 4) === "RIFF" && file.readUInt32LE(24) === 24_000, "no WAV header");
  check(file.length === 44 + posted * 2, `${file.length} bytes of ${posted} samples`);
  return `${name}, ${file.length} bytes`;
});

await step("text without words and text that is too long are reported", async () => {
  await write("   ");
  await page.click(".speak");
  await page.says("Write something to speak");
  await write("क".repeat(6_000));
  await page.click(".speak");
  await page.says("at most");
  await write("😀");
  await page.click(".speak");
  await page.says("nothing in this text");
});

const say = (key) => fetch(`${base}/v1/tts`, { method: "POST", body: JSON.stringify({ text: "नमस्ते" }),
  headers: { authorization: `Bearer ${key}`, "content-type": "application/json" } });
const NAME = `<img src=x onerror="document.title='broken'">`;
const secretShown = async () => {
  const secret = await page.until("the key", () => document.querySelector("dialog[open] .secret")?.value);
  check(/^sk_\w{20,}$/.test(secret), "that is not a key");
  await page.press("Escape");
  check(await page.run(() => document.querySelector("dialog[open] .secret") !== null), "Escape threw the key away");
  await page.click("dialog button", "I have saved it");
  await page.until("the dialog's end", () => !document.querySelector("dialog"));
  check(!(await page.run((shown) => document.documentElement.outerHTML.includes(shown) || [...document.querySelectorAll("input, textarea")].some(({ value }) => value.includes(shown)), secret)), "the key is still in the page");
  return secret;
};
let key;

await step("a key is created, shown once, and works", async () => {
  await visit("/studio/keys", "Keys");
  await page.click("button", "Create API key");
  await page.fill("Name", NAME);
  await page.fill("Monthly cap", "5000");
  await page.choose("Expires", "90");
  await page.run(() => (document.querySelector("dialog details").open = true));
  await checkFields();
  await page.fill("Allowed web pages", "shop.example");
  await page.click("dialog button", "Create key");
  await page.until("trouble at the origin", () => document.activeElement.matches("textarea") && document.activeElement.closest(".field").innerText.includes("https://"));
  await page.fill("Allowed web pages", "https://shop.example");
  await page.click("dialog button", "Create key");
  key = await secretShown();
  await page.says(NAME);
  const answer = await say(key);
  check(answer.ok, `refused with ${answer.status}`);
  return `${(await answer.arrayBuffer()).byteLength} bytes of speech`;
});

await step("a key is renamed", async () => {
  await page.click(".key button", "Rename");
  await page.fill("Name", "shop");
  await page.click("dialog button", "Rename");
  await page.until("the new name", () => document.querySelector(".key .key-name").textContent.trim() === "shop");
});

await step("a key is rotated: both keys work during the overlap", async () => {
  await page.click(".key button", "Rotate");
  await page.choose("The old key", "24");
  await page.click("dialog button", "Create the new key");
  const old = key;
  key = await secretShown();
  check(key !== old, "it is the old one");
  for (const each of [old, key]) check((await say(each)).ok, "refused");
});

await step("a key is revoked after confirmation, and then refused", async () => {
  // position of the key in the list, starting at 1
  const prefixed = (key) => [...document.querySelectorAll(".key code")].findIndex((each) => key.startsWith(each.textContent.slice(0, -1))) + 1;
  const place = await page.until("its prefix in the list", prefixed, key);
  await page.click(`.key:nth-child(${place}) button.danger`);
  await page.click("dialog button", "Cancel");
  check((await say(key)).ok, "cancelled, and refused all the same");
  await page.click(`.key:nth-child(${place}) button.danger`);
  await page.click("dialog button", "Revoke the key");
  await page.says("inactive key");
  const end = Date.now() + REVOCATION_MS;
  let answer = await say(key);
  while (answer.ok && Date.now() < end) {
    await pause(100);
    answer = await say(key);
  }
  const { error } = await answer.json();
  check(answer.status === 401 && error.code === "revoked_api_key", `${answer.status} ${error.code}`);
});

await step("the usage has increased", async () => {
  await visit("/studio/usage", "Usage");
  await page.until("bars", () => document.querySelectorAll(".chart rect[class^=series]").length > 1);
  check(await page.run(() => document.querySelectorAll(".chart table tbody tr").length >= 1), "no table");
  await page.run(() => {
    const by = document.querySelector('option[value="api"]').parentElement;
    by.value = "api";
    by.dispatchEvent(new Event("change"));
  });
  const heads = () => [...document.querySelectorAll(".chart table thead th")].map((cell) => cell.textContent);
  const apis = (await page.run(heads)).slice(1, -1).sort().join();
  check(apis === "/v1/tts/stream,POST /v1/tts", `by API: ${apis}`);
  return page.run(() => document.querySelector(".figures dd").textContent);
});

await step("no example contains a key", async () => {
  await visit("/studio/quickstart", "Quick start");
  check(await page.run(() => [...document.querySelectorAll("pre")].every(({ textContent }) => !/sk_\w/.test(textContent) && textContent.includes("SHRUTI_API_KEY"))), "there is one");
});

await step("pages fit a phone, every control has a name, and axe-core finds no faults", async () => {
  await page.look(...PHONE);
  await page.send("Accessibility.enable");
  const pages = { "/studio": "Playground", "/studio/voices": "Voices", "/studio/pronunciation": "Pronunciation", "/studio/keys": "Keys",
    "/studio/promo": "Promo code", "/studio/usage": "Usage", "/studio/quickstart": "Quick start", "/studio/account": "Account" };
  for (const [path, heading] of Object.entries(pages)) {
    await visit(path, heading);
    check((await page.run(() => document.documentElement.scrollWidth)) <= PHONE[0], `${path} is wider than the phone`);
    await checkFields();
    if (path === "/studio/usage") await page.until("the last days", () => {
      const chart = document.querySelector(".chart .scroll");
      return chart && chart.scrollWidth > chart.clientWidth && chart.scrollLeft + chart.clientWidth > chart.scrollWidth - 2;
    });
    const { nodes } = await page.send("Accessibility.getFullAXTree");
    const nameless = nodes.filter((node) => !node.ignored && /^(button|link|textbox|combobox|slider|checkbox|radio|tab|searchbox|spinbutton|Date|meter|dialog)$/.test(node.role?.value) && !node.name?.value);
    check(nameless.length === 0, `${path}: ${nameless.length} controls without a name, the first a ${nameless[0]?.role.value}`);
    await checkAccessible(page, path);
  }
  await page.look(...DESKTOP);
});

await step("the account menu works with the keyboard, fits 360 px light and dark, and signs out", async () => {
  const isOpen = () => page.run(() => document.getElementById("menu").matches(":popover-open"));
  await page.run(() => document.querySelector("header .avatar").focus());
  await page.press("Enter");
  check(await isOpen(), "Enter does not open it");
  for (const dark of [false, true]) {
    await page.look(360, 740, { dark });
    check((await page.run(() => document.documentElement.scrollWidth)) <= 360, "it is wider than the phone");
    await checkAccessible(page, `the menu${dark ? ", dark" : ""}`);
  }
  await page.look(...DESKTOP);
  await page.press("Tab");
  check((await page.run(() => document.activeElement.textContent)) === "Account", "its first link does not follow");
  await page.press("Escape");
  check(!(await isOpen()) && (await page.run(() => document.activeElement.matches(".avatar"))), "Escape does not close it, or the focus is lost");
  await page.click("header .avatar");
  await page.click("#menu button", "Sign out");
  await page.heading("Sign in");
  check(await page.run(() => document.querySelector("header .avatar") === null && document.querySelector("header #theme").checkVisibility()), "the visitor's header is not there");
  await page.fill("E-mail", EMAIL);
  await page.fill("Password", PASSWORD);
  await page.click("form button");
  await page.heading("Playground");
});

await step("the password is changed, every session is ended, and the old password is refused", async () => {
  await visit("/studio/account", "Account");
  await page.fill("Current password", "not this one");
  await page.fill("New password", CHANGED);
  await page.click("button", "Change password");
  await page.until("the refusal", () => document.querySelector("main [role=alert], .trouble:not([hidden])"));
  await page.fill("Current password", PASSWORD);
  await page.fill("New password", CHANGED);
  await page.click("button", "Change password");
  await page.says("password was changed");
  await page.click("button", "Sign out everywhere");
  await page.heading("Sign in");
  await page.fill("E-mail", EMAIL);
  await page.fill("Password", PASSWORD);
  await page.click("form button");
  await page.until("the refusal", () => document.querySelector("main [role=alert]")?.innerText.includes("req_"));
  await page.fill("Password", CHANGED);
  await page.click("form button");
  await page.heading("Playground");
});

await step("only expected errors in the console, and no requests to other hosts", () => checkQuiet(page, base));

// Signs in as the same user in another browser. The function `oddity` runs in each page of that browser first.
async function elsewhere(oddity) {
  const other = await browser.page({ before: `() => { (${oddity})(); (${tap})(); }` });
  await other.look(...DESKTOP);
  await other.goto(`${base}/studio/sign-in`, "Sign in");
  await other.fill("E-mail", EMAIL);
  await other.fill("Password", CHANGED);
  await other.click("form button");
  await other.heading("Playground");
  return other;
}

await step("on a slow connection, the next turn begins before the answer to the cancel, and contains no audio of the old turn", async () => {
  const other = await elsewhere(slowLine);
  await other.fill("Text", LONG);
  await other.click(".speak");
  await other.until("3 words lit", () => window.tap.lights.length >= 3);
  await other.press(" ");
  await other.run(() => {
    document.querySelector("textarea").value = "नमस्ते दुनिया, फिर मिलेंगे।";
    window.freshTap();
    document.querySelector(".speak").click();
  });
  await other.until("both ends", () => window.tap.ends.some(({ type }) => type === "turn.done") && document.querySelector(".speak").textContent === "Speak");
  await pause(100);
  const sound = await other.run(() => ({ ...window.tap, ear: null }));
  check(sound.lights.length >= 3 && sound.lights[0].start === 0, `lit: ${sound.lights.map(({ text }) => text)}`);
  const second = { ...sound, ends: sound.ends.filter(({ type }) => type === "turn.done"), words: sound.words.filter(({ text }) => !LONG.split(" ").includes(text)) };
  return `${checkSound(second)}; ${checkLights(second)}`;
});

await step("with the keyboard: from the top of the page to speech, and to silence", async () => {
  const other = await elsewhere(() => {});
  await other.run(() => document.activeElement.blur());
  for (let presses = 0; presses < 60; presses += 1) {
    await other.press("Tab");
    if (await other.run(() => document.activeElement.classList.contains("speak"))) break;
  }
  check(await other.run(() => document.activeElement.matches(".speak:focus-visible")), "Speak was not reached");
  await other.press("Enter");
  await other.until("2 words lit", () => window.tap.lights.length >= 2);
  await other.press(" ");
  await other.says("Not heard");
  check(await other.run(() => document.activeElement.classList.contains("speak") && document.querySelector(".speak").textContent === "Speak"), "the focus went, or the same press began again");
  await other.until("announcements for screen readers", () => document.getElementById("announcer").textContent.startsWith("Interrupted. Heard:"));
});

await step("a browser without 24 kHz plays the same samples", async () => {
  const other = await elsewhere(stubbornRate);
  await other.click(".speak");
  await other.until("the clip's end", () => window.tap.ends.length > 0 && document.querySelector(".speak").textContent === "Speak");
  await pause(100);
  const { ear, ...sound } = await other.run(() => ({ ...window.tap, ear: null }));
  check(sound.contextRate === 44_100, `the context runs at ${sound.contextRate}`);
  return `${checkSound(sound)}; ${checkLights(sound)}`;
});

await step("the operator signs in with a link, chooses a password and signs in with it", async () => {
  const other = await browser.page();
  await other.look(...DESKTOP);
  await other.goto(link, "Sign in with a link");
  check((await other.run(() => location.hash)) === "", "the secret stays in the address");
  await other.click("main button", "Sign in");
  await other.heading("Playground");
  await visitPage(other, "/studio/account", "Account");
  await other.says("has no limit");
  await other.fill("New password", CHANGED);
  await other.click("button", "Set the password");
  await other.until("the page that asks for the current one", () => [...document.querySelectorAll("label")].some((label) => label.textContent === "Current password"));
  await other.click("button", "Sign out");
  await other.heading("Sign in");
  await other.fill("E-mail", "operator@localhost");
  await other.fill("Password", CHANGED);
  await other.click("form button");
  await other.heading("Playground");
  await other.goto(link, "Sign in with a link");
  await other.click("main button", "Sign in");
  await other.until("that it was used", () => document.querySelector("main [role=alert]")?.innerText.includes("invalid_link"));
});

await step("over plain HTTP from another machine, the page shows instructions", async () => {
  const other = await browser.page();
  const far = new URL("/studio", base);
  far.hostname = "far.test"; // only the browser resolves this name to this machine
  await other.send("Page.navigate", { url: far.href });
  await other.says("--tls-self-signed");
});

finish(browser);
