#!/usr/bin/env node
// Checks the pages for operators and the sessions and deletion of a user's account, in headless Chromium with real
// clicks and keys: on a desktop, on a phone, with the keyboard only, and with axe-core. Prints the results; fails if a
// step failed. With a folder, writes pictures.
// usage: node operator.mjs http://127.0.0.1:8080 PROMO-CODE LINK [FOLDER] (run.sh runs all checks)

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkAccessible } from "./axe.mjs";
import { Chromium, pause } from "./chromium.mjs";
import { check, checkQuiet, finish, signUp, step, visit as visitPage } from "./steps.mjs";

const [given, promo, link, pictures] = process.argv.slice(2);
if (!link) {
  console.error("usage: node operator.mjs http://127.0.0.1:8080 PROMO-CODE LINK [FOLDER]");
  process.exit(2);
}
const base = new URL(link, given).origin; // one host name for all pages, because a session belongs to one host name
if (pictures) mkdirSync(pictures, { recursive: true });
const EMAIL = `asha-${Date.now() % 100_000}@example.com`;
const PASSWORD = "four small words together";
const PHONE = 360;
const LOOKS = [["desktop-light", 1280, 860, {}], ["desktop-dark", 1280, 860, { dark: true }], ["phone-light", PHONE, 740, { scale: 2 }], ["phone-dark", PHONE, 740, { dark: true, scale: 2 }]];
const PAGES = { "/studio/operator": "Accounts", "/studio/operator/promos": "Promo codes", "/studio/operator/usage": "Usage of the server", "/studio/operator/health": "Health" };
const downloads = mkdtempSync(join(tmpdir(), "studio-downloads-"));
process.on("exit", () => rmSync(downloads, { recursive: true, force: true }));

const browser = await Chromium.start();
const page = await browser.page();
const holder = await browser.page();
for (const each of [page, holder]) await each.look(1280, 860);

// Checks a page with axe-core and at the width of a phone, and writes pictures of it.
async function look(name, of = page) {
  await checkAccessible(of, name);
  await of.look(PHONE, 740);
  check((await of.run(() => document.documentElement.scrollWidth)) <= PHONE, `${name} is wider than the phone`);
  if (pictures) {
    for (const [how, width, height, options] of LOOKS) writeFileSync(join(pictures, `${name}-${how}.png`), await of.picture(width, height, options));
  }
  await of.look(1280, 860);
}
const visit = (path, heading) => visitPage(page, path, heading);
const goTo = async (path) => {
  await page.run((to) => {
    document.querySelector("h1").remove();
    document.querySelector(`.operator-links a[href="${to}"]`).click();
  }, path);
  await page.heading(PAGES[path]);
};
const scripts = (of) => of.run(() => performance.getEntriesByType("resource").map(({ name }) => name).filter((name) => name.includes("/assets/operator-")));
const card = (of = EMAIL) => page.run((email) => document.querySelector(`article[aria-label="${email}"]`)?.innerText ?? "", of);
const press = async (name) => {
  await page.click(`article[aria-label="${EMAIL}"] button`, name);
  await page.until("the dialog", () => document.querySelector("dialog[open]"));
};
const closed = () => page.until("the dialog's end", () => !document.querySelector("dialog"));
const search = async (text) => {
  await page.fill("Search", text);
  await page.press("Enter");
};

async function signIn(of) {
  await of.goto(`${base}/studio/sign-in`, "Sign in");
  await of.fill("E-mail", EMAIL);
  await of.fill("Password", PASSWORD);
  await of.click("form button");
  await of.heading("Playground");
}

await signUp(holder, base, promo, EMAIL, PASSWORD);

await step("other users cannot open these pages, and their script is not loaded", async () => {
  check(!(await holder.run(() => document.querySelector("header").innerText.includes("Operator"))), "there is a link");
  for (const path of Object.keys(PAGES)) await holder.goto(`${base}${path}`, "No such page");
  check((await scripts(holder)).length === 0, "it was loaded");
});

await step("an operator opens the pages with the link at the top", async () => {
  await page.goto(link, "Sign in with a link");
  await page.click("main button", "Sign in");
  await page.heading("Playground");
  check((await scripts(page)).length === 0, "the script came before it was asked for");
  await visit("/studio/operator", "Accounts");
  check((await scripts(page)).length === 1, "once");
  await page.says(EMAIL);
  // each page can also be opened directly by its address
  await page.goto(`${base}/studio/operator/health`, "Health");
  await page.goto(`${base}/studio/operator`, "Accounts");
});

await step("an account is found by a part of its address, with its rights and usage", async () => {
  await search("nobody-has-this");
  await page.says("No account has a matching address");
  await search("ASHA-");
  await page.until("its card", (email) => document.querySelectorAll("article").length === 1 && document.querySelector("article").ariaLabel === email, EMAIL);
  const told = await card();
  check(told.includes("1,00,000 per month") && told.includes("0 characters"), told);
  await look("operator-accounts");
});

await step("the account is locked and unlocked", async () => {
  await press("Lock");
  await look("operator-lock");
  await page.click("dialog button", "Lock the account");
  await closed();
  await page.until("that it is locked", (email) => document.querySelector(`article[aria-label="${email}"] .tag`)?.textContent === "locked", EMAIL);
  await press("Unlock");
  await page.click("dialog button", "Unlock the account");
  await closed();
  await page.until("that it is open", (email) => document.querySelector(`article[aria-label="${email}"]`) && !document.querySelector(`article[aria-label="${email}"] .tag`), EMAIL);
});

await step("the account gets more characters", async () => {
  await press("Add characters");
  await page.fill("Additional characters per month", "50000");
  await page.click("dialog button", "Add them");
  await closed();
  await page.until("the sum", (email) => document.querySelector(`article[aria-label="${email}"]`)?.innerText.includes("1,50,000 per month"), EMAIL);
});

await step("a promo code is created, shown once, and disabled", async () => {
  await goTo("/studio/operator/promos");
  await page.click("button", "Make a code");
  await page.fill("Characters per month", "7000");
  await look("operator-promo-make");
  await page.click("dialog button", "Create the code");
  const code = await page.until("the code", () => document.querySelector("dialog[open] .secret")?.value);
  check(/^\w{4}-\w{4}-\w{4}-\w{4}$/.test(code), "that is not a code");
  await page.click("dialog button", "I have saved it");
  await closed();
  const beginning = code.slice(0, 4);
  await page.says(`${beginning}`);
  check(!(await page.run((secret) => document.documentElement.outerHTML.includes(secret), code)), "the code is still in the page");
  await look("operator-promos");
  await page.run((name) => [...document.querySelectorAll("article button")].find((button) => button.ariaLabel.includes(name)).click(), beginning);
  await page.click("dialog button", "Disable the code");
  await closed();
  await page.until("that it is disabled", (name) => [...document.querySelectorAll("article.over")].some((each) => each.innerText.includes(name) && each.innerText.includes("disabled")), beginning);
});

await step("the usage of the server is downloaded as CSV", async () => {
  // sign in again, because locking the account ended its session
  await signIn(holder);
  await holder.click(".speak");
  await holder.until("the end", () => document.querySelector(".figures")?.innerText.includes("First audio") && document.querySelector(".speak").textContent === "Speak");
  await goTo("/studio/operator/usage");
  await page.until("bars", () => document.querySelectorAll(".chart rect[class^=series]").length > 0);
  await browser.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: downloads, browserContextId: browser.contextOf(page) });
  await page.click("button", "Download CSV");
  let name;
  for (let tries = 0; tries < 100 && !name; tries += 1) {
    await pause(50);
    name = readdirSync(downloads).find((each) => each.endsWith(".csv"));
  }
  const [head, row] = readFileSync(join(downloads, name), "utf8").split("\r\n");
  check(head === "day,voice,language,api,chars,requests,audio_ms" && row.includes("turn"), `${head} / ${row}`);
  await look("operator-usage");
  return name;
});

await step("the health page shows the store, the streams and the back ends", async () => {
  await goTo("/studio/operator/health");
  await page.says("Healthy");
  const told = await page.run(() => document.querySelector("main").innerText);
  check(told.includes("SQLite") && told.includes("GiB") && told.includes("parametric"), told);
  const line = (name) => page.run((wanted) => {
    const found = [...document.querySelectorAll(".sparkline")].find((each) => each.querySelector("dt").textContent.startsWith(wanted));
    return { now: found.querySelector("dd").textContent, points: found.querySelector("polyline")?.getAttribute("points").split(" ") ?? [], label: found.querySelector("svg").ariaLabel };
  }, name);
  check(/ ms$/.test((await line("First audio")).now), (await line("First audio")).now);
  await page.click("button", "Refresh");
  await page.until("a second value", () => new Set(document.querySelectorAll(".sparkline polyline")[0]?.getAttribute("points").split(" ")).size > 1);
  check(/between \d+ and \d+$/.test((await line("Streams")).label), (await line("Streams")).label);
  await holder.click(".speak");
  await page.until("a value of first audio, by itself", () => document.querySelectorAll(".sparkline").length === 2 && /between .+ ms and .+ ms$/.test(document.querySelector(".sparkline svg").ariaLabel));
  await look("operator-health");
});

await step("with the keyboard: from the top of the page to a password that is reset", async () => {
  await goTo("/studio/operator");
  await page.run(() => document.querySelector("input[type=search]").focus());
  await search(EMAIL);
  await page.until("its card alone", () => document.querySelectorAll("article").length === 1);
  const reach = async (what) => {
    for (let presses = 0; presses < 40; presses += 1) {
      if (await page.run((label) => document.activeElement.matches(":focus-visible") && (document.activeElement.ariaLabel ?? document.activeElement.textContent).startsWith(label), what)) return;
      await page.press("Tab");
    }
    throw new Error(`${what} was not reached`);
  };
  await reach("Reset password");
  await page.press("Enter");
  await page.until("the question", () => document.querySelector("dialog[open]"));
  await page.press("Escape");
  await closed();
  await reach("Reset password");
  await page.press("Enter");
  await reach("Reset the password");
  await page.press("Enter");
  await page.until("the link", () => document.querySelector("dialog[open] .secret")?.value.includes("/studio/link#link_"));
  await page.press("Escape");
  check(await page.run(() => document.querySelector("dialog[open] .secret") !== null), "Escape threw the link away");
  await page.run(() => (document.querySelector("dialog .secret").value = "https://tts.example/studio/link#link_onlyAPicture"));
  await look("operator-link-once");
  const opened = await page.run(() => document.activeElement.closest("dialog") !== null);
  check(opened, "the focus left the dialog");
  await reach("I have saved it");
  await page.press("Enter");
  await closed();
});

await step("search terms and addresses are treated as text", async () => {
  await search("<img src=x onerror=alert(1)>");
  await page.says("No account has a matching address");
});

await step("a new search replaces an unanswered one", async () => {
  await page.run(() => {
    const ask = window.fetch;
    window.fetch = async (...request) => {
      window.fetch = ask;
      const answer = await ask(...request);
      await new Promise((resolve) => (window.answerFirst = resolve));
      setTimeout(() => (window.firstAnswered = true));
      return answer;
    };
  });
  await search("nobody-has-this");
  await page.until("the first answer held back", () => window.answerFirst);
  await search(EMAIL);
  await page.until("its card alone", () => document.querySelectorAll("article").length === 1);
  await page.run(() => window.answerFirst());
  await page.until("the first answer", () => window.firstAnswered);
  check((await card()) !== "", "the first search's answer took the place of the second's");
});

await step("the sessions of an account are listed, and one is signed out", async () => {
  // an earlier step reset the password and left this page, so search for the account again and create a new sign-in
  // link
  await page.run(() => document.querySelector("input[type=search]").focus());
  await search(EMAIL);
  await page.until("its card alone", () => document.querySelectorAll("article").length === 1);
  await press("Reset password");
  await page.click("dialog button", "Reset the password");
  const fresh = await page.until("the link", () => document.querySelector("dialog[open] .secret")?.value);
  await page.click("dialog button", "I have saved it");
  await holder.goto(fresh, "Sign in with a link");
  await holder.click("main button", "Sign in");
  await holder.heading("Account");
  await holder.fill("New password", PASSWORD);
  await holder.click("button", "Set the password");
  await holder.until("the page that asks for the current one", () => [...document.querySelectorAll("label")].some((label) => label.textContent === "Current password"));
  const other = await browser.page();
  await other.look(1280, 860);
  await signIn(other);
  await holder.goto(`${base}/studio/account`, "Account");
  await holder.until("both", () => document.querySelectorAll(".sessions li").length === 2);
  check((await holder.run(() => document.querySelector(".sessions").innerText)).includes("on Linux"), "the browser is not named");
  await look("account-sessions", holder);
  await holder.click(".sessions button", "Sign out");
  await holder.until("one", () => document.querySelectorAll(".sessions li").length === 1);
  await other.goto(`${base}/studio/account`, "Sign in");
});

await step("an account is deleted after its password was entered", async () => {
  await holder.click("button", "Delete the account…");
  await look("account-delete", holder);
  await holder.run(() => document.querySelector("dialog input[type=password]").focus());
  await holder.run(() => (document.querySelector("dialog input[type=password]").value = "not this one"));
  await holder.click("dialog button", "Delete the account");
  await holder.until("the refusal", () => document.querySelector("dialog .trouble:not([hidden])")?.innerText.includes("wrong"));
  await holder.run((password) => (document.querySelector("dialog input[type=password]").value = password), PASSWORD);
  await holder.click("dialog button", "Delete the account");
  await holder.heading("Sign in");
  await search(EMAIL);
  await page.says("No account has a matching address");
});

await step("an operator creates an account, and deletes it after its address was entered", async () => {
  await page.click("button", "Create an account");
  await page.fill("E-mail", EMAIL);
  await page.click("dialog button", "Create the account");
  await page.until("the link", () => document.querySelector("dialog[open] .secret")?.value.includes("link_"));
  await page.click("dialog button", "I have saved it");
  await page.until("its card", (email) => document.querySelector(`article[aria-label="${email}"]`), EMAIL);
  await press("Delete");
  await page.fill("E-mail address of the account, as confirmation", "asha");
  await page.click("dialog button", "Delete the account");
  await page.until("the refusal", () => document.querySelector("dialog .trouble:not([hidden])"));
  await look("operator-delete");
  await page.fill("E-mail address of the account, as confirmation", EMAIL);
  await page.click("dialog button", "Delete the account");
  await closed();
  await page.says("No account has a matching address");
});

await step("only expected errors in the console, and no requests to other hosts", () => {
  checkQuiet(page, base);
  checkQuiet(holder, base);
});

finish(browser);
