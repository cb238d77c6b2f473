// Controls headless Chromium over its DevTools pipe, with real clicks and keys and without a library.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PATIENCE_MS = 20_000;
const KEYS = { " ": ["Space", 32, " "], Enter: ["Enter", 13, "\r"], Tab: ["Tab", 9, ""], Escape: ["Escape", 27, ""], ArrowRight: ["ArrowRight", 39, ""], ArrowLeft: ["ArrowLeft", 37, ""], End: ["End", 35, ""], Home: ["Home", 36, ""] };
const CONTROL = 2;

// Errors that the browser reports if it leaves a page while a function runs in that page.
const LEFT = /^(Inspected target navigated or closed|Execution context was destroyed|Cannot find default execution context)/;

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export class Chromium {
  #process;
  #profile;
  #lastId = 0;
  #answers = new Map();
  #pages = new Map(); // by session
  #contexts = new Map();
  #rest = "";

  static async start() {
    const browser = new Chromium();
    browser.#profile = mkdtempSync(join(tmpdir(), "studio-chromium-"));
    browser.#process = spawn("chromium", ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
      "--disable-background-networking", "--hide-scrollbars", "--font-render-hinting=none", "--host-resolver-rules=MAP far.test 127.0.0.1",
      // emulates a mouse, as on a desktop: without a mouse, the pages omit hints about keys
      "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4",
      "--remote-debugging-pipe", `--user-data-dir=${browser.#profile}`, "about:blank"],
    { detached: true, stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    browser.#process.stdio[4].setEncoding("utf8").on("data", (data) => browser.#hear(data));
    process.on("exit", () => browser.close());
    return browser;
  }

  close() {
    if (!this.#process) return;
    // kill the browser with all processes that it started, which would otherwise continue to write to the profile
    try {
      process.kill(-this.#process.pid, "SIGKILL");
    } catch {
      // the browser has already exited
    }
    this.#process = null;
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }

  #hear(data) {
    const messages = (this.#rest + data).split("\0");
    this.#rest = messages.pop();
    for (const text of messages) {
      const message = JSON.parse(text);
      if (message.id) {
        const { resolve, reject } = this.#answers.get(message.id);
        this.#answers.delete(message.id);
        if (message.error) reject(new Error(message.error.message));
        else resolve(message.result);
      } else {
        this.#pages.get(message.sessionId)?.learn(message);
      }
    }
  }

  // Returns the browser's id for the cookies and storage of a page.
  contextOf(page) {
    return this.#contexts.get(page);
  }

  send(method, params = {}, sessionId = undefined) {
    this.#lastId += 1;
    const id = this.#lastId;
    this.#process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return new Promise((resolve, reject) => this.#answers.set(id, { resolve, reject }));
  }

  // Opens a page with its own cookies and storage. `before` is a function that runs in the page before the scripts of
  // the site.
  async page({ before = null } = {}) {
    const { browserContextId } = await this.send("Target.createBrowserContext");
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank", browserContextId });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page((method, params) => this.send(method, params, sessionId));
    this.#contexts.set(page, browserContextId);
    this.#pages.set(sessionId, page);
    for (const domain of ["Page", "Runtime", "Log", "Network"]) await page.send(`${domain}.enable`);
    if (before) await page.send("Page.addScriptToEvaluateOnNewDocument", { source: `(${before})()` });
    return page;
  }
}

export class Page {
  // Messages that a user would see in the console.
  complaints = [];
  received = []; // bytes transferred for each response; responses from the browser's cache are not included
  hosts = new Set();

  constructor(send) {
    this.send = send;
  }

  learn({ method, params }) {
    if (method === "Runtime.exceptionThrown") this.complaints.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    if (method === "Runtime.consoleAPICalled" && params.type === "error") this.complaints.push(params.args.map((arg) => arg.description ?? arg.value).join(" "));
    if (method === "Log.entryAdded" && ["error", "warning"].includes(params.entry.level)) this.complaints.push(`${params.entry.text} ${params.entry.url ?? ""}`);
    if (method === "Network.requestWillBeSent" && /^(http|ws)/.test(params.request.url)) this.hosts.add(new URL(params.request.url).host);
    if (method === "Network.loadingFinished" && params.encodedDataLength > 0) this.received.push(params.encodedDataLength);
    if (method === "Network.webSocketCreated") this.hosts.add(new URL(params.url).host);
  }

  // Runs a function in the page and returns its result. Arguments and result are passed as JSON.
  async run(work, ...given) {
    const expression = `(${work})(${given.map((value) => JSON.stringify(value)).join(",")})`;
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  // Waits until a function in the page returns a truthy value, and returns that value. If the page is left in the
  // meantime, the function runs in the next page.
  async until(what, work, ...given) {
    const end = Date.now() + PATIENCE_MS;
    for (;;) {
      const value = await this.run(work, ...given).catch((error) => {
        if (!LEFT.test(error.message)) throw error;
      });
      if (value) return value;
      if (Date.now() > end) throw new Error(`never seen: ${what}\n${await this.run(() => document.body?.innerText.slice(0, 1_500))}\n${this.complaints.join("\n")}`);
      await pause(25);
    }
  }

  // Opens an address and waits for a heading that contains a text.
  async goto(url, heading) {
    await this.send("Page.navigate", { url });
    await this.heading(heading);
  }

  heading(text) {
    return this.until(`the heading ${text}`, (wanted) => [...document.querySelectorAll("h1")].some((h1) => h1.textContent.includes(wanted)), text);
  }

  says(text) {
    return this.until(`the text ${text}`, (wanted) => document.body?.innerText.includes(wanted), text);
  }

  // Clicks on the visible element that matches a selector and, if given, a text. Searches an open dialog first.
  async click(selector, text = null) {
    const { x, y } = await this.until(`${selector} ${text ?? ""} to click`, (css, wanted) => {
      const scope = document.querySelector("dialog[open]") ?? document;
      const found = [...scope.querySelectorAll(css)].find((element) => !element.disabled && element.checkVisibility() && (wanted === null || element.textContent.trim() === wanted));
      if (!found) return null;
      found.scrollIntoView({ block: "center", behavior: "instant" });
      // for a link that wraps, the middle of the bounding box may be outside its lines
      const box = found.getClientRects()[0] ?? found.getBoundingClientRect();
      const place = `${box.x} ${box.y}`;
      const still = found.place === place; // a click would miss an element that moves
      found.place = place;
      return still && { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    }, selector, text);
    await this.clickAt(x, y);
  }

  // Clicks at a position of the window.
  async clickAt(x, y) {
    for (const type of ["mousePressed", "mouseReleased"]) await this.send("Input.dispatchMouseEvent", { type, x, y, button: "left", clickCount: 1 });
  }

  // Presses a key, together with the Control key if `control` is true.
  async press(key, { control = false } = {}) {
    const [code, windowsVirtualKeyCode, text] = KEYS[key];
    const common = { key, code, windowsVirtualKeyCode, modifiers: control ? CONTROL : 0 };
    await this.send("Input.dispatchKeyEvent", { type: "keyDown", ...common, ...(text && !control ? { text } : {}) });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", ...common });
  }

  // Clears the field with the given label, and types a text.
  async fill(label, text) {
    await this.until(`a field ${label}`, (wanted) => {
      const scope = document.querySelector("dialog[open]") ?? document;
      const found = [...scope.querySelectorAll("label")].find((each) => each.textContent.trim().startsWith(wanted));
      if (!found?.control) return false;
      found.control.focus();
      found.control.select?.();
      return true;
    }, label);
    await this.send("Input.insertText", { text });
  }

  // Selects an option of a select element by the option's value.
  choose(label, value) {
    return this.until(`${value} of ${label}`, (wanted, option) => {
      const scope = document.querySelector("dialog[open]") ?? document;
      const select = [...scope.querySelectorAll("label")].find((each) => each.textContent.trim().startsWith(wanted))?.control;
      if (!select) return false;
      select.value = option;
      for (const type of ["input", "change"]) select.dispatchEvent(new Event(type, { bubbles: true }));
      return select.value === option;
    }, label, value);
  }

  async picture(width, height, { dark = false, whole = true, scale = 1, still = false } = {}) {
    await this.look(width, height, { dark, scale, still });
    const size = whole ? await this.run(() => document.documentElement.scrollHeight) : height;
    if (whole) await this.look(width, Math.max(height, size), { dark, scale, still });
    await pause(150);
    const { data } = await this.send("Page.captureScreenshot", { format: "png" });
    return Buffer.from(data, "base64");
  }

  // Sets the size and the preferences of the window. `still` means that the visitor prefers reduced motion.
  async look(width, height, { dark = false, scale = 1, still = false } = {}) {
    await this.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: scale, mobile: false });
    await this.send("Emulation.setEmulatedMedia", { features: [
      { name: "prefers-color-scheme", value: dark ? "dark" : "light" },
      { name: "prefers-reduced-motion", value: still ? "reduce" : "no-preference" },
    ] });
  }
}
