#!/usr/bin/env node
// Checks the page /docs/read-aloud: audio, highlights, keyboard operation, a narrow screen, and axe-core.
// usage: node read-aloud.mjs http://127.0.0.1:8080 control|end|closed (run.sh runs all parts)
// control: starts, pauses, moves and ends reading.
// end: plays the text to its end, on several kinds of screens and browsers. This part runs with its own server,
// because the server allows one address only 10 conversations, and one more every 6 seconds.
// closed: the playground of the server is closed; only the message about this is checked.

import { checkAccessible } from "../studio/axe.mjs";
import { Chromium } from "../studio/chromium.mjs";
import { check, checkQuiet, finish, step } from "../studio/steps.mjs";
import { ear } from "./ear.js";

const [base, part] = process.argv.slice(2);
if (!["control", "end", "closed"].includes(part)) {
  console.error("usage: node read-aloud.mjs http://127.0.0.1:8080 control|end|closed");
  process.exit(2);
}
const DESKTOP = [1280, 900];
const PHONE = [360, 740];

const browser = await Chromium.start();
let page;

async function open({ before = ear } = {}) {
  page = await browser.page({ before });
  await page.look(...DESKTOP);
  await page.goto(`${base}/docs/read-aloud`, "Read a page aloud");
  await page.until("the element", () => document.querySelector("shruti-read-aloud:defined")?.tokenProvider);
}

const state = () => page.run(() => document.querySelector("shruti-read-aloud").state);
const becomes = (wanted) => page.until(`the state ${wanted}`, (to) => document.querySelector("shruti-read-aloud").state === to, wanted);
const said = () => page.run(() => window.words);
const clips = () => page.run(() => window.clips);
const fresh = () => page.run(() => void (window.words = [], window.clips = [], window.scrolls = []));
const sounds = () => page.until("sound", () => window.peak() > 0.01);
const silent = () => page.until("silence", () => window.peak() < 0.001);
const hears = (number) => page.until(`${number} words`, (wanted) => window.words.length >= wanted && window.words, number);

// Checks that a clip was requested for which `isIt` returns true. It need not be the last one, because clips of later
// passages are requested in advance.
async function requested(isIt) {
  const found = await clips();
  check(found.some(isIt), JSON.stringify(found));
}

// Returns the label of the focused button in the element.
const focused = () => page.run(() => {
  const inside = document.querySelector("shruti-read-aloud").shadowRoot.activeElement;
  return inside && (inside.ariaLabel ?? inside.labels?.[0]?.textContent ?? inside.textContent);
});

// Moves the focus with the Tab key to the control of the element with a given name.
async function tabTo(name) {
  for (let presses = 0; presses < 12; presses += 1) {
    if ((await focused())?.startsWith(name)) return;
    await page.press("Tab");
  }
  throw new Error(`the Tab key does not lead to ${name}, but to ${await focused()}`);
}

// Clicks on a control of the element with a real mouse click.
async function press(part) {
  const place = await page.run((name) => {
    const found = document.querySelector("shruti-read-aloud").shadowRoot.querySelector(`[part~=${name}]`);
    found.scrollIntoView({ block: "center", behavior: "instant" });
    const { x, y, width, height } = found.getBoundingClientRect();
    return [x + width / 2, y + height / 2];
  }, part);
  await page.clickAt(...place);
}

// Clicks on a word of the article with a real mouse click.
async function clickWord(language, word) {
  const place = await page.run((lang, wanted) => {
    const texts = document.createTreeWalker(document.querySelector(`#demo [lang=${lang}]`), NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const at = texts.currentNode.data.indexOf(wanted);
      if (at < 0) continue;
      const range = new Range();
      range.setStart(texts.currentNode, at);
      range.setEnd(texts.currentNode, at + wanted.length);
      texts.currentNode.parentElement.scrollIntoView({ block: "center", behavior: "instant" });
      const { x, y, width, height } = range.getClientRects()[0];
      return [x + width / 2, y + height / 2];
    }
  }, language, word);
  await page.clickAt(...place);
}

if (part === "closed") {
  await step("a closed playground is reported", async () => {
    await open();
    await press("play");
    const message = await page.until("a message", () => document.querySelector("shruti-read-aloud").shadowRoot.querySelector("[role=status]").textContent);
    check(message.includes("playground is closed"), message);
    check((await state()) === "idle", await state());
    await checkAccessible(page, "with a message");
    return message;
  });
  finish(browser, "pages");
}

// Moves the focus from the text to the element.
function tabToElement() {
  return page.run(() => document.querySelector("shruti-read-aloud").focus());
}

if (part === "control") {
  await step("the page has the element, and axe-core finds no faults in it", async () => {
    await open();
    await checkAccessible(page, "the page");
    check((await clips()).length === 0, "a clip was requested before anybody asked for it");
  });

  await step("a click before reading is a click", async () => {
    await clickWord("hi", "स्टेशन");
    check((await state()) === "idle", await state());
  });

  await step("with the keyboard: from the top of the page to audio", async () => {
    await open();
    await page.press("Tab");
    await page.press("Enter"); // the link that skips to the main content
    await tabTo("Listen");
    await page.press("Enter");
    await sounds();
    await becomes("playing");
    check((await focused()) === "Pause", await focused());
    const words = await hears(4);
    check(words.map(({ text }) => text).join(" ").startsWith("Tea at the station"), JSON.stringify(words));
  });

  await step("each word is highlighted at its position", async () => {
    const words = await hears(8);
    for (const { text, lit, place } of words) check(text === lit && text === place, `${text} is heard, ${lit} is lit`);
    return words.map(({ text }) => text).join(" ");
  });

  await step("with the keyboard: pause and resume at the same word", async () => {
    await page.press(" ");
    await becomes("paused");
    await page.until("a page that is suspended", () => window.analyser.context.state === "suspended");
    const before = await said();
    check((await focused()) === "Resume", await focused());
    await checkAccessible(page, "paused");
    await page.press(" ");
    await becomes("playing");
    const after = await hears(before.length + 1);
    const text = "The train from Chennai was 45 minutes late, and the tea cost ₹20. Nobody minded.";
    const heard = after.slice(4).map((word) => word.text).join(" ");
    check(text.startsWith(heard), `${heard} is not the beginning of the paragraph`);
    check((await clips()).length <= 3, "a clip was requested anew");
  });

  await step("with the keyboard: paragraphs forwards and backwards; a busy page reports every word", async () => {
    await fresh();
    await page.press("ArrowRight");
    const [{ text, lang }] = await hears(1);
    check(lang === "hi" && text === "स्टेशन", `${lang} ${text}`);
    await page.run(() => {
      const end = performance.now() + 1000;
      while (performance.now() < end);
    });
    const heard = (await hears(3)).map((word) => word.text).join(" ");
    check("स्टेशन पर चाय वाला बोला, “गरम चाय!".startsWith(heard), `${heard} is not the beginning of the paragraph`);
    await fresh();
    await page.press("ArrowLeft");
    const [again] = await hears(1);
    check(again.text === "स्टेशन", `back to the beginning of the paragraph, not to ${again.text}`);
  });

  await step("each passage is spoken in its own language, with English words in the sentence", async () => {
    await requested(({ language, text }) => language === "hi" && text.includes("Online payment भी"));
    await hears(1);
  });

  await step("a click on a word starts reading at the word", async () => {
    await fresh();
    await clickWord("ta", "எல்லோரும்");
    const [{ text }] = await hears(1);
    check(text === "எல்லோரும்", text);
    await requested(({ language, text }) => language === "ta" && text.startsWith("எல்லோரும்"));
    await sounds();
  });

  await step("a new speed takes effect at the current word", async () => {
    const heard = (await hears(2)).at(-1).text;
    await fresh();
    await page.run(() => {
      const select = document.querySelector("shruti-read-aloud").shadowRoot.querySelector("select");
      select.value = "2";
      select.dispatchEvent(new Event("change"));
    });
    const [{ text }] = await hears(1);
    await requested((clip) => clip.speed === 2 && clip.text.startsWith(text));
    return `at ${text}, after ${heard}`;
  });

  await step("Escape ends it", async () => {
    await tabToElement();
    await page.press("Escape");
    await becomes("idle");
    await silent();
    check(await page.run(() => !CSS.highlights.has("shruti-read-aloud")), "a word is still highlighted");
  });

  await step("the console is empty, and there are no requests to other hosts", () => checkQuiet(page, base));
  finish(browser, "pages");
}

await step("the text is played to its end", async () => {
  await open();
  await press("play");
  await becomes("playing");
  await fresh();
  await clickWord("kn", "ಬಿಸಿಯಾಗಿತ್ತು");
  await page.until("the end", () => window.ends === 1);
  check((await state()) === "idle", await state());
  const last = (await said()).at(-1).text;
  check(last === "ಬಿಸಿಯಾಗಿತ್ತು.", last);
});

await step("the console is empty, and there are no requests to other hosts", () => checkQuiet(page, base));

await step("the page fits a narrow screen", async () => {
  await page.look(...PHONE);
  const found = await page.run(() => {
    const reader = document.querySelector("shruti-read-aloud");
    const boxes = [...reader.shadowRoot.querySelectorAll("button, select")].map((each) => each.getBoundingClientRect());
    return { wide: document.documentElement.scrollWidth, right: Math.max(...boxes.map(({ right }) => right)), low: Math.min(...boxes.map(({ height }) => height)) };
  });
  check(found.wide <= PHONE[0], `the page is ${found.wide} pixels wide`);
  check(found.right <= PHONE[0] && found.low >= 44, JSON.stringify(found));
  await checkAccessible(page, "on a narrow screen");
});

await step("with reduced motion the page jumps to the word", async () => {
  await page.look(PHONE[0], 200, { still: true });
  await fresh();
  await press("play");
  await becomes("playing");
  await fresh();
  await page.run(() => document.querySelector("shruti-read-aloud").scrollIntoView());
  await page.run(() => scrollTo(0, 0));
  await page.until("a jump", () => window.scrolls.includes("instant"));
  check(!(await page.run(() => window.scrolls)).includes("smooth"), "the page scrolls");
  await press("stop");
  await becomes("idle");
});

await step("a browser without highlights shows boxes", async () => {
  await page.look(...DESKTOP);
  await open({ before: `() => { (${ear})(); delete window.Highlight; }` });
  await press("play");
  const box = await page.until("a box", () => {
    const found = document.querySelector("body > span[aria-hidden]");
    return found && { width: found.offsetWidth, height: found.offsetHeight };
  });
  check(box.width > 10 && box.height > 10, JSON.stringify(box));
  await press("stop");
  await page.until("no box", () => !document.querySelector("body > span[aria-hidden]"));
});

finish(browser, "pages");
