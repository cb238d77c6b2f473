#!/usr/bin/env node
// Checks the error messages of the Studio in headless Chromium with real clicks and keys: an address that is taken, a
// session that has ended, an unreachable server, unknown codes, and plain HTTP from another machine. Prints the
// results; fails if a step failed. With a folder, writes pictures.
// usage: node refusals.mjs http://127.0.0.1:8080 [FOLDER] (run.sh runs all checks)

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkAccessible } from "./axe.mjs";
import { Chromium } from "./chromium.mjs";
import { check, checkQuiet, finish, step, visit } from "./steps.mjs";

const [base, pictures] = process.argv.slice(2);
if (!base) {
  console.error("usage: node refusals.mjs http://127.0.0.1:8080 [FOLDER]");
  process.exit(2);
}
const EMAIL = `refused-${Date.now()}@example.com`;
const PASSWORD = "four small words together";
const PROMO_TRIES = 5;
const LOOKS = [
  ["desktop", 1366, 641, {}],
  ["phone", 360, 740, {}],
  ["dark", 1366, 641, { dark: true }],
];
const DOCS = ["", "/http", "/websocket", "/errors", "/voices", "/languages", "/performance", "/security", "/clients"];

const browser = await Chromium.start();
const page = await browser.page();
await page.look(1366, 641);

async function look(name) {
  await checkAccessible(page, name);
  if (!pictures) return;
  for (const [how, width, height, options] of LOOKS) {
    writeFileSync(join(pictures, `${name}-${how}.png`), await page.picture(width, height, { ...options, whole: false }));
  }
  await page.look(1366, 641);
}
const alerts = () => page.run(() => [...document.querySelectorAll("[role=alert], .trouble:not([hidden])")].map((each) => each.innerText));
const online = (isOnline) =>
  page.send("Network.emulateNetworkConditions", { offline: !isOnline, latency: 0, downloadThroughput: -1, uploadThroughput: -1 });
// Ends the account's sessions, including that of this page, as another browser of the same user would.
const endElsewhere = async () => {
  const headers = { "x-studio": "1", "content-type": "application/json", origin: base };
  const signedIn = await fetch(`${base}/studio/api/sign-in`, {
    method: "POST",
    headers,
    body: JSON.stringify({ email: EMAIL, password: PASSWORD }),
  });
  const [cookie] = signedIn.headers.getSetCookie()[0].split(";");
  const ended = await fetch(`${base}/studio/api/sign-out`, {
    method: "POST",
    headers: { ...headers, cookie },
    body: JSON.stringify({ everywhere: true }),
  });
  check(signedIn.ok && ended.ok, `${signedIn.status}, ${ended.status}`);
};

await step("field errors are shown as text, without a request ID", async () => {
  await page.goto(`${base}/studio/sign-up`, "Create an account");
  await page.fill("E-mail", EMAIL);
  await page.fill("Password", "short");
  await page.click("form button");
  await page.until("trouble", () => document.querySelector(".trouble:not([hidden])"));
  const said = await alerts();
  check(said.length === 1 && !said[0].includes("req_"), said.join(" | "));
  await page.fill("Password", PASSWORD);
  await page.click("form button");
  await page.heading("Promo code");
});

await step("the remaining attempts and the length of the pause are shown", async () => {
  const said = [];
  for (let tries = 0; tries <= PROMO_TRIES; tries += 1) {
    await page.fill("Promo code", `NO-SUCH-CODE-${tries}`);
    await page.click("form button");
    await page.until(
      "another refusal",
      (before) => {
        const trouble = document.querySelector(".trouble:not([hidden])");
        return trouble && trouble.textContent !== before && !document.querySelector("form button").disabled;
      },
      said.at(-1) ?? "",
    );
    said.push((await alerts()).join(" | "));
  }
  check(said.at(-3).includes("1 attempt is left within"), said.at(-3));
  check(said.at(-2).includes("no attempts are left within the hour"), said.at(-2));
  check(/Try again in (\d+ minutes|1 hour)\.$/.test(said.at(-1)), said.at(-1));
  await look("promo-pause");
  return said.at(-1);
});

await step("a filter hides inactive keys", async () => {
  await visit(page, "/studio/keys", "Keys");
  for (const name of ["old", "new"]) {
    await page.click("button", "Create API key");
    await page.fill("Name", name);
    await page.click("dialog button", "Create key");
    await page.click("dialog button", "I have saved it");
    await page.until(`the key ${name}`, (wanted) => document.querySelector(`.key[aria-label="${wanted}"]`), name);
  }
  const shown = (number) => page.until(`${number} keys`, (wanted) => document.querySelectorAll(".key").length === wanted, number);
  await page.click('button[aria-label="Revoke old"]');
  await page.click("dialog button", "Revoke the key");
  await shown(1);
  await page.says("Show 1 inactive key");
  await page.click("main .check");
  await shown(2);
  await look("keys-with-ended");
  await page.click("main .check");
  await shown(1);
});

await step("an expired session redirects to the sign-in, with one message, and back", async () => {
  await endElsewhere();
  await page.click("button", "Create API key");
  await page.fill("Name", "too late");
  await page.click("dialog button", "Create key");
  await page.heading("Sign in");
  await page.says("Your session has ended");
  const seen = await page.run(() => ({
    dialogs: document.querySelectorAll("dialog").length,
    notices: document.querySelectorAll(".notice").length - document.querySelectorAll("#insecure .notice").length,
    who: document.getElementById("who").innerText,
  }));
  check(seen.dialogs === 0 && seen.notices === 1 && seen.who.includes("Sign in"), JSON.stringify(seen));
  await look("session-over");
  await page.fill("E-mail", EMAIL);
  await page.fill("Password", PASSWORD);
  await page.click("form button");
  await page.heading("Keys");
});

await step("the same applies when the playground requests a token", async () => {
  await visit(page, "/studio", "Playground");
  await endElsewhere();
  await page.click(".speak");
  await page.heading("Sign in");
  await page.says("Your session has ended");
});

await step("a sign-up with an existing address shows an error and a link to the sign-in", async () => {
  await page.goto(`${base}/studio/sign-up`, "Create an account");
  await page.fill("E-mail", EMAIL);
  await page.fill("Password", "quite another four words");
  await page.click("form button");
  await page.says("An account with this address already exists");
  const said = await alerts();
  check(!said.join("").includes("req_"), said.join(" | "));
  await look("address-taken");
  await page.click(".board a", "Sign in");
  await page.heading("Sign in");
  check((await page.run(() => document.querySelector("input[type=email]").value)) === EMAIL, "the address is lost");
  await page.fill("Password", PASSWORD);
  await page.click("form button");
  await page.heading("Playground");
});

// the third page needs a script of its own, which cannot be loaded either
for (const [path, heading, what] of [["/studio/usage", "Usage", ".figures"], ["/studio/keys", "Keys", ".key"], ["/studio/pronunciation", "Not loaded", "textarea"]]) {
  await step(`${path} reports an unreachable server, and loads automatically when the server is back`, async () => {
    await visit(page, "/studio", "Playground");
    await online(false);
    await visit(page, path, heading);
    await page.says("cannot be reached");
    await page.says("continues automatically");
    await page.until("a button", () => [...document.querySelectorAll("main button")].some((each) => each.textContent === "Try again"));
    await look(`gone${path.replaceAll("/", "-")}`);
    await online(true);
    await page.until(what, (css) => document.querySelector(css) && !document.querySelector("main [role=alert]"), what);
  });
}

await step("sign-up over plain HTTP from another machine is impossible", async () => {
  const other = await browser.page();
  const far = new URL("/studio/sign-up", base);
  far.hostname = "far.test"; // only the browser resolves this name to this machine
  await other.send("Page.navigate", { url: far.href });
  await other.heading("Create an account");
  await other.says("You cannot sign in over plain HTTP");
  await other.fill("E-mail", `far-${EMAIL}`);
  await other.fill("Password", PASSWORD);
  await other.press("Enter");
  check(await other.run(() => document.querySelector("form button").disabled), "it may be pressed");
  const asked = await other.run(() => performance.getEntriesByType("resource").some(({ name }) => name.endsWith("/sign-up")));
  check(!asked, "the server was asked");
});

await step("axe-core finds no faults in the documents", async () => {
  const other = await browser.page();
  for (const [width, height] of [[1366, 641], [360, 740]]) {
    await other.look(width, height);
    for (const path of DOCS) {
      await other.send("Page.navigate", { url: `${base}/docs${path}` });
      await other.until(`/docs${path}`, (wanted) => document.readyState === "complete" && location.pathname === wanted && document.querySelector("h1"), `/docs${path}`);
      await checkAccessible(other, `/docs${path} at ${width} px`);
    }
  }
});

page.complaints = page.complaints.filter((text) => !text.includes("net::ERR_INTERNET_DISCONNECTED"));
await step("the console is empty, and no requests were sent to other hosts", () => checkQuiet(page, base));
finish(browser);
