#!/usr/bin/env node
// Checks emails of the Studio in headless Chromium with real clicks and keys: an address that is confirmed by the link
// in an email, a forgotten password, and the limits of an unconfirmed account if the operator requires confirmation.
// Starts the server and a mail server. Prints the results; fails if a step failed. With a folder, writes pictures.
// usage: node mails.mjs path/to/shruti [FOLDER] (run.sh runs all checks)

import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { checkAccessible } from "./axe.mjs";
import { Chromium, pause } from "./chromium.mjs";
import { serve } from "../harness/server.mjs";
import { check, checkQuiet, finish, step, visit } from "./steps.mjs";

const [shruti, pictures] = process.argv.slice(2);
if (!shruti) {
  console.error("usage: node mails.mjs path/to/shruti [FOLDER]");
  process.exit(2);
}
if (pictures) mkdirSync(pictures, { recursive: true });
const EMAIL = "asha.with.a.rather.long.address.for.a.phone@correspondence.example.com";
const PASSWORD = "four small words together";
const PHONE = 390;
const LOOKS = [["desktop-light", 1280, 860, {}], ["desktop-dark", 1280, 860, { dark: true }], ["phone-light", PHONE, 844, { scale: 2 }], ["phone-dark", PHONE, 844, { dark: true, scale: 2 }]];

// Mail server that accepts every message.
const mails = [];
const mailServer = createServer((socket) => {
  let body = null;
  socket.on("error", () => {}); // a client may disconnect at any time
  socket.write("220 mails ESMTP\r\n");
  createInterface({ input: socket, crlfDelay: Infinity }).on("line", (line) => {
    if (body === null && line.toUpperCase() === "DATA") body = [];
    else if (body !== null && line !== ".") return void body.push(line);
    const answer = body === null ? (line.toUpperCase() === "QUIT" ? "221 bye" : "250 ok") : body.length === 0 && line !== "." ? "354 go on" : "250 taken";
    if (line === ".") {
      mails.push(body.join("\n").replace(/=\n/g, "").replace(/=([0-9A-F]{2})/g, (_, code) => String.fromCharCode(parseInt(code, 16))));
      body = null;
    }
    socket.write(`${answer}\r\n`);
  });
});
mailServer.listen(0, "127.0.0.1");
await once(mailServer, "listening");
async function nextMail() {
  for (let tries = 0; tries < 200 && mails.length === 0; tries += 1) await pause(50);
  check(mails.length > 0, "no mail came");
  return mails.shift();
}

const { url, data, link: operatorLink } = await serve(shruti, ["--smtp", `smtp://127.0.0.1:${mailServer.address().port}`,
  "--smtp-from", "Shruti <shruti@example.org>", "--public-url", "https://tts.example", "--require-verified"]);
const promo = execFileSync(shruti, ["promo", "create", "--chars", "100000", "--data-dir", data], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
const base = new URL(operatorLink, url).origin; // a session belongs to one host name

// Returns the link in an email, with the address of this server.
function linkIn(mail, page) {
  const link = new RegExp(`https://tts\\.example(/studio/${page}#\\S+)`).exec(mail);
  check(link, `no link to ${page}: ${mail}`);
  return `${base}${link[1]}`;
}

const browser = await Chromium.start();
const page = await browser.page();
const other = await browser.page();
for (const each of [page, other]) await each.look(1280, 860);

async function look(name, of = page) {
  await checkAccessible(of, name);
  await of.look(PHONE, 844);
  check((await of.run(() => document.documentElement.scrollWidth)) <= PHONE, `${name} is wider than the phone`);
  await checkAccessible(of, `${name} on a phone`);
  if (pictures) {
    for (const [how, width, height, options] of LOOKS) writeFileSync(join(pictures, `${name}-${how}.png`), await of.picture(width, height, options));
  }
  await of.look(1280, 860);
}

let verification = "";

await step("a sign-up sends a mail, and the page shows that the address is not confirmed", async () => {
  await page.goto(`${base}/studio/sign-up`, "Create an account");
  await page.fill("E-mail", EMAIL);
  await page.fill("Password", PASSWORD);
  await page.click("form button");
  await page.heading("Promo code");
  await page.says("Your e-mail address is not confirmed");
  await look("promo-unconfirmed");
  const mail = await nextMail();
  check(mail.includes(`To: ${EMAIL}`) && mail.includes("Confirm that it is yours"), mail);
  verification = linkIn(mail, "verify");
});

await step("if confirmation is required, codes and keys are refused with instructions", async () => {
  await page.fill("Promo code", promo);
  await page.click("form button");
  await page.says("is not confirmed yet");
  await visit(page, "/studio/keys", "Keys");
  await page.says("you cannot create keys");
  await look("keys-unconfirmed");
  await page.click("button", "Create API key");
  await page.fill("Name", "shop");
  await page.click("dialog button", "Create key");
  await page.until("the refusal", () => document.querySelector("dialog [role=alert]")?.innerText.includes("email_not_verified"));
  await page.click("dialog a", "Open the page Account.");
  await page.heading("Account");
});

await step("another mail can be sent after a pause, whose length is shown", async () => {
  await look("account-unconfirmed");
  await page.click("section button", "Send the mail");
  await page.until("the pause", () => /Try again in (9|10) minutes/.test(document.querySelector("[role=alert]")?.innerText));
  await look("account-mail-pause");
});

await step("with the keyboard, in a browser without a session, the link confirms the address after a sign-in", async () => {
  const stranger = await browser.page();
  await stranger.look(1280, 860);
  await stranger.goto(verification, "Confirm your address");
  check((await stranger.run(() => location.hash)) === "", "the secret stays in the address bar");
  await look("verify", stranger);
  await stranger.fill("E-mail", EMAIL);
  await stranger.fill("Password", "another password than that");
  await stranger.press("Enter");
  await stranger.says("password is wrong");
  await stranger.fill("Password", PASSWORD);
  for (let presses = 0; presses < 30; presses += 1) {
    if (await stranger.run(() => document.activeElement.matches(":focus-visible") && document.activeElement.textContent === "Sign in and confirm")) break;
    await stranger.press("Tab");
  }
  await stranger.press("Enter");
  await stranger.says("is confirmed");
  check(await stranger.run(() => document.activeElement.textContent === "Open your account" && document.activeElement.closest(".notice") !== null), "the focus is lost");
  await look("verify-done", stranger);
  await stranger.click("main a", "Open your account");
  await stranger.heading("Account");
  checkQuiet(stranger, base);
});

await step("a used link and one without its secret show instructions", async () => {
  await page.goto(verification, "Confirm your address");
  await page.click("main button", "Confirm");
  await page.says("used or older than a day");
  await look("verify-used");
  await page.click("main [role=alert] a", "Open your account.");
  await page.heading("Account");
  await other.goto(`${base}/studio/verify`, "Confirm your address");
  await other.says("This link is incomplete");
});

await step("after that, the account is confirmed, redeems its code and creates keys", async () => {
  await page.goto(`${base}/studio/account`, "Account");
  await page.says("confirmed");
  check(!(await page.run(() => document.querySelector("main").innerText.includes("not confirmed"))), "it still says so");
  await look("account-confirmed");
  await visit(page, "/studio/promo", "Promo code");
  await page.fill("Promo code", promo);
  await page.click("form button");
  await page.says("Unlocked");
});

await step("a forgotten password is reset with a mailed link", async () => {
  await other.goto(`${base}/studio/sign-in`, "Sign in");
  await other.click("main a", "Forgot your password?");
  await other.heading("Forgotten password");
  await look("forgotten-password", other);
  await other.fill("E-mail", EMAIL);
  await other.press("Enter");
  await other.says("a link was sent to it");
  await look("forgotten-password-sent", other);
  const link = linkIn(await nextMail(), "link");
  await other.goto(link, "Sign in with a link");
  await look("forgotten-password-link", other);
  await other.click("main button", "Sign in");
  await other.heading("Account");
  const again = await browser.page();
  await again.look(1280, 860);
  await again.goto(link, "Sign in with a link");
  await again.click("main button", "Sign in");
  await again.says("Send another mail");
  await look("forgotten-password-used", again);
});

await step("operators see which addresses are confirmed", async () => {
  const boss = await browser.page();
  await boss.look(1280, 860);
  await boss.goto(operatorLink, "Sign in with a link");
  await boss.click("main button", "Sign in");
  await boss.heading("Playground");
  await visit(boss, "/studio/operator", "Accounts");
  const card = (email) => boss.run((of) => document.querySelector(`article[aria-label="${of}"]`)?.innerText ?? "", email);
  check(/Address\s+confirmed/.test(await card(EMAIL)), await card(EMAIL));
  check(!(await card("operator@localhost")).includes("Address"), "no mail reaches the operator's own");
  await look("operator-accounts-confirmed", boss);
  checkQuiet(boss, base);
});

await step("only expected errors in the console, and no requests to other hosts", () => {
  checkQuiet(page, base);
  checkQuiet(other, base);
});

finish(browser);
