#!/usr/bin/env node
// Checks the playground in headless Chromium with real clicks and keys: detected and corrected languages, keyboard
// shortcuts, playing a clip again from any position, files in other formats, the clips of this browser, and state that
// survives a reload. Prints the results; fails if a step failed. With a folder, writes pictures.
// usage: node playground.mjs http://127.0.0.1:8080 PROMO-CODE [FOLDER] (run.sh runs all checks)

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkAccessible } from "./axe.mjs";
import { Chromium, pause } from "./chromium.mjs";
import { check, checkQuiet, finish, openAccount, signUp, step, visit } from "./steps.mjs";
import { tap } from "./tap.js";

const [base, promo, pictures] = process.argv.slice(2);
if (!promo) {
  console.error("usage: node playground.mjs http://127.0.0.1:8080 PROMO-CODE [FOLDER]");
  process.exit(2);
}
if (pictures) mkdirSync(pictures, { recursive: true });
const EMAIL = `player-${Date.now()}@example.com`;
const PASSWORD = "four small words together";
const SMALL = [1366, 641];
const PHONE = [360, 740];
const LOOKS = [["desktop", 1280, 860, {}], ["small", ...SMALL, { whole: false }], ["dark", 1280, 860, { dark: true }], ["phone", ...PHONE, {}], ["phone-dark", ...PHONE, { dark: true }]];

const browser = await Chromium.start();
const page = await browser.page({ before: tap });
await page.look(...SMALL);
const downloads = mkdtempSync(join(tmpdir(), "studio-playground-"));
process.on("exit", () => rmSync(downloads, { recursive: true, force: true }));

async function take(name, looks = LOOKS) {
  if (!pictures) return;
  for (const [look, width, height, options] of looks) writeFileSync(join(pictures, `${name}-${look}.png`), await page.picture(width, height, options));
  await page.look(...SMALL);
}

const idle = () => page.until("the button says Speak", () => document.querySelector(".speak").textContent === "Speak");
const lit = (number) => page.until(`${number} words lit`, (wanted) => window.tap.lights.length >= wanted, number);
const heard = () => page.run(() => ({ ...window.tap, ear: null }));
const fresh = () => page.run(() => void window.freshTap());
const write = (text) => page.fill("Text", text);
const language = () => page.run(() => [...document.querySelectorAll("label")].find((label) => label.textContent === "Language").control.value);
const code = () => page.run(() => document.querySelector(".same pre").textContent);
const clips = () => page.run(() => [...document.querySelectorAll(".clips li .clip-text")].map(({ textContent }) => textContent));
// Waits until the newest clip has the given text. The list of clips is updated only after the end of the audio.
const newest = (text) => page.until(`the clip "${text}" before all others`, (wanted) => document.querySelector(".clips li .clip-text")?.textContent === wanted, text);
const place = () => page.run(() => document.querySelector(".clip-controls input").valueAsNumber);
const playLabel = () => page.run(() => document.querySelector(".play").textContent);
const rests = () => page.until("the clip rests", () => document.querySelector(".play").textContent !== "Pause");

// Speaks the text in the form to its end.
async function speak() {
  await fresh();
  await page.click(".speak");
  await page.until("the clip's end", () => window.tap.ends.length > 0);
  await idle();
  return heard();
}

// Signs out, and signs in again with the account of this check.
async function signOutAndIn() {
  await openAccount(page);
  await page.click(".row button", "Sign out"); // signs out this browser; the buttons in the list above sign out others
  await page.heading("Sign in");
  await page.fill("E-mail", EMAIL);
  await page.fill("Password", PASSWORD);
  await page.click("form button");
  await page.heading("Playground");
}

const SHORT = "नमस्ते दुनिया, फिर मिलेंगे।";
const LONG = "आज सुबह मौसम बहुत अच्छा था, इसलिए हम सब नदी के किनारे टहलने गए। वहाँ बच्चों ने पतंग उड़ाई, और हमने चाय पी। शाम को बारिश होने लगी।";

await step("visitors hear the recorded sample of each voice without synthesis", async () => {
  for (const voice of ["Ananya", "Arjun"]) {
    await page.goto(`${base}/studio?voice=${voice}`, "Playground");
    await page.says(`Sample: ${voice}, Hindi`);
    await fresh();
    await page.click(".play");
    await page.until("that it plays", () => document.querySelector(".play").textContent === "Pause" && window.tap.posted > 0);
    await page.until("its end", () => document.querySelector(".play").textContent === "Play");
    const { posted, loud, started } = await heard();
    check(posted > 24_000 && loud > 10_000 && started.length === 0, `${posted} samples, ${loud} loud, ${started.length} turns`);
    check(await page.run(() => document.querySelector(".reading").textContent.includes("₹1,25,000")), "its text is not shown");
    check(await page.run(() => document.querySelector(".history").hidden), "it is listed as spoken");
  }
});

await step("an account with a promo code", async () => {
  await signUp(page, base, promo, EMAIL, PASSWORD);
  await visit(page, "/studio", "Playground");
});

await step("the player is at the bottom of the window and covers no content, at any width", async () => {
  for (const [width, height] of [SMALL, [768, 1024], PHONE]) {
    await page.look(width, height);
    for (const end of [0, 1e6]) {
      const { top, bottom, last, own } = await page.run((to) => {
        scrollTo({ top: to, behavior: "instant" });
        const player = document.querySelector(".player").getBoundingClientRect();
        return { top: player.top, bottom: player.bottom, last: document.querySelector(".foot").getBoundingClientRect().bottom, own: innerHeight };
      }, end);
      check(Math.abs(bottom - own) < 1, `${width} px: it ends at ${bottom} of ${own}`);
      if (end > 0) check(last <= top + 1, `${width} px: it covers the foot, ${last} of ${top}`);
    }
  }
  await page.look(...SMALL);
});

await step("at 1366 × 641, samples, text, errors, Speak and the keys are visible", async () => {
  await write(" ");
  await page.click(".speak");
  await page.says("Write something to speak");
  await page.run(() => scrollTo(0, 0));
  const below = await page.run(() => [".samples", "textarea", ".trouble:not([hidden])", ".speak", ".keys", ".wave", ".clip-controls"]
    .filter((css) => {
      const { top, bottom, height } = document.querySelector(css).getBoundingClientRect();
      return height === 0 || top < 0 || bottom > innerHeight;
    }));
  check(below.length === 0, `out of sight: ${below.join()}`);
  const covered = await page.run(() => document.querySelector(".keys").getBoundingClientRect().bottom > document.querySelector(".player").getBoundingClientRect().top);
  check(!covered, "the player covers the keys");
});

await step("each voice is a card with its engine and a recording in the chosen language, which a second press stops", async () => {
  const cards = () => page.run(() => [...document.querySelectorAll(".voice-card")].map((card) => card.querySelector("label").innerText.replaceAll("\n", " ")));
  check((await cards()).join("|") === "Ananya Female · learned|Arjun Male · learned", (await cards()).join("|"));
  await page.choose("Language", "ta");
  const pressed = (is) => page.until(`a button that ${is ? "plays" : "rests"}`, (wanted) => document.querySelector("button[aria-label='Hear Arjun']").ariaPressed === `${wanted}`, is);
  await fresh();
  await page.click("button[aria-label='Hear Arjun']");
  await pressed(true);
  check(await page.run(() => document.querySelector(".reading").lang === "ta" && document.querySelector(".reading").textContent.includes("வணக்கம்")), "another language");
  check(await page.run(() => document.querySelector("input[value=Ananya]").checked), "hearing a voice has chosen it");
  await page.click("button[aria-label='Hear Arjun']");
  await pressed(false);
  check((await heard()).started.length === 0, "the server spoke");
  check(await page.run(() => [...document.querySelectorAll(".player button")].find(({ textContent }) => textContent.startsWith("Other")).disabled), "the server would speak it");
  await page.choose("Language", "");
});

await step("a sample selects its language, until its text is replaced", async () => {
  await page.click(".chip[lang=mr]");
  check((await language()) === "mr" && (await code()).includes('"language": "mr"'), `${await language()}: ${await code()}`);
  const { started } = await speak();
  check(started[0].language === "mr", started[0].language);
  await write(SHORT);
  check((await language()) === "" && !(await code()).includes('"language"'), await code());
});

await step("the detected language is shown and can be corrected, also in the code", async () => {
  await write("आज पाऊस आहे, घरी थांबा.");
  const { started } = await speak();
  const { code: other, name } = started[0].language === "hi" ? { code: "mr", name: "Hindi" } : { code: "hi", name: "Marathi" };
  check((await page.run(() => document.querySelector(".found-language strong").textContent)) === name, "another one is told");
  await take("found", [LOOKS[1], LOOKS[3]]);
  await page.click(`.found-language button[lang=${other}]`);
  check((await language()) === other && (await code()).includes(`"language": "${other}"`), await code());
  check(await page.run(() => document.activeElement.matches(".speak")), "the focus is lost");
  const again = await speak();
  check(again.started[0].language === other, again.started[0].language);
  check(await page.run(() => document.querySelector(".found-language").hidden), "what was chosen is called found");
  await page.choose("Language", "");
  return `${started[0].language}, then ${other}`;
});

await step("Escape interrupts, also in the text field, and leaves the text unchanged", async () => {
  await write(LONG);
  await fresh();
  await page.press("Enter", { control: true });
  await lit(3);
  await page.press("Escape");
  await page.says("Not heard");
  await pause(150);
  const before = await heard();
  check(before.ends[0].type === "turn.cancelled", before.ends[0].type);
  await pause(300);
  check((await heard()).loud === before.loud, "sound goes on");
  check(await page.run((text) => document.activeElement.matches("textarea") && document.activeElement.value === text, LONG), "the text changed, or lost the focus");
  await take("interrupted");
});

await step("an interrupted clip continues from its position, and has no other formats", async () => {
  check((await playLabel()) === "Play on", await playLabel());
  const from = await place();
  check(from > 0, "it rests at its beginning");
  await fresh();
  await page.click(".play");
  await lit(3); // the first word is highlighted before the audio starts
  await page.click(".play");
  await rests();
  const { started, words } = await heard();
  check(started.length === 0 && words.length === 0, "the server was asked");
  check((await place()) > from, "it did not go on");
  check(await page.run(() => [...document.querySelectorAll(".player button")].find(({ textContent }) => textContent.startsWith("Other")).disabled), "the server would speak all of it");
});

await step("a clip is replayed without the server: same samples, highlighted words", async () => {
  await write(LONG);
  const first = await speak();
  await fresh();
  await page.click(".play");
  check((await playLabel()) === "Pause", await playLabel());
  await rests();
  await pause(100);
  const again = await heard();
  check(again.started.length === 0, "a turn was asked for");
  check(again.posted === first.posted, `${again.posted} samples of ${first.posted}`);
  check(Math.abs(again.loud - first.loud) < 0.02 * first.loud, `${again.loud} loud samples, ${first.loud} before`);
  check(again.lights.length >= first.lights.length - 1, `${again.lights.length} words lit, ${first.lights.length} before`);
  return `${again.posted} samples, ${again.lights.length} words`;
});

await step("Pause and Space stop the audio", async () => {
  await fresh();
  await page.click(".play");
  await lit(3);
  await page.run(() => document.activeElement.blur());
  await page.press(" ");
  await rests();
  await pause(100);
  const before = await heard();
  await pause(300);
  check((await heard()).loud === before.loud, "sound goes on");
  check((await playLabel()) === "Play on", await playLabel());
});

await step("the waveform, a word, the slider and the arrow keys select a position", async () => {
  const length = await page.run(() => Number(document.querySelector(".clip-controls input").max));
  await fresh();
  const wave = await page.run(() => {
    const { x, y, width, height } = document.querySelector(".wave").getBoundingClientRect();
    return { x: x + width / 2, y: y + height / 2 };
  });
  await page.clickAt(wave.x, wave.y);
  check((await playLabel()) === "Pause", "it does not play");
  const reached = await place();
  check(Math.abs(reached - length / 2) < 0.1 * length + 300, `${reached} of ${length} ms`);
  await page.click(".play");
  await rests();

  await fresh();
  const spot = await page.run(() => {
    const panel = document.querySelector(".reading");
    panel.scrollIntoView({ block: "center", behavior: "instant" }); // the waveform stays visible while scrolling
    panel.scrollTop = 0;
    const node = panel.firstChild;
    const at = node.data.indexOf("नदी");
    const range = new Range();
    range.setStart(node, at);
    range.setEnd(node, at + 3);
    const { x, y, width, height } = range.getBoundingClientRect();
    return { x: x + width / 2, y: y + height / 2 };
  });
  await page.clickAt(spot.x, spot.y);
  await lit(1);
  await page.click(".play");
  await rests();
  const [first] = (await heard()).lights;
  check(first.text === "नदी", `lit: ${first.text}`);

  await page.run(() => document.querySelector(".reading").focus());
  const before = await place();
  await page.press("ArrowRight");
  const next = await place();
  await page.press("ArrowLeft");
  check(next > before && (await place()) < next, `${before}, ${next}, ${await place()} ms`);
  await page.run(() => document.querySelector(".clip-controls input").focus());
  await page.press("Home");
  check((await place()) === 0, `${await place()} ms`);
  await page.press("End");
  check((await place()) >= length - 10, `${await place()} of ${length} ms`);
});

await step("the clip is downloaded in other formats", async () => {
  await write(SHORT);
  await speak();
  await browser.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: downloads, browserContextId: browser.contextOf(page) });
  const file = async (kind, ending) => {
    await page.click(".player button", "Other formats…");
    await page.until("the dialog", () => document.querySelector("dialog[open] select"));
    await page.run((wanted) => {
      const select = document.querySelector("dialog[open] select");
      select.value = [...select.options].find(({ textContent }) => textContent.startsWith(wanted)).value;
      select.dispatchEvent(new Event("change", { bubbles: true }));
    }, kind);
    if (kind === "MP3") {
      await checkAccessible(page, "the choice of a format");
      await take("formats", [LOOKS[1], LOOKS[3]]);
    }
    await page.click("dialog button", "Download");
    await page.until("the dialog's end", () => !document.querySelector("dialog"));
    for (let tries = 0; tries < 100; tries += 1) {
      const name = readdirSync(downloads).find((each) => each.endsWith(`.${ending}`));
      if (name) return readFileSync(join(downloads, name));
      await pause(50);
    }
    throw new Error(`no file .${ending}`);
  };
  const mp3 = await file("MP3", "mp3");
  const opus = await file("Opus", "opus");
  const ulaw = await file("G.711 µ", "ulaw");
  check(mp3[0] === 0xff && (mp3[1] & 0xe0) === 0xe0, "no frame of MP3");
  check(opus.toString("latin1", 0, 4) === "OggS", "no page of Ogg");
  check(ulaw.length > 20_000, `${ulaw.length} bytes of µ-law`);
  return `${mp3.length} bytes of MP3, ${opus.length} of Opus, ${ulaw.length} of µ-law`;
});

await step("tabs show speech, long text, pronunciation and code; arrow keys switch tabs", async () => {
  await write("₹1,25,000 मिले");
  await page.look(...PHONE);
  const open = () => page.run(() => document.querySelector(".stage > .tabs > [role=tabpanel]:not([hidden]) > *").className);
  const fits = async (what) => {
    check((await page.run(() => document.documentElement.scrollWidth)) <= PHONE[0], `${what} makes the page wider than a phone`);
    for (const dark of [false, true]) {
      await page.look(...PHONE, { dark });
      await checkAccessible(page, `${what}${dark ? ", dark" : ""}`);
    }
    await page.look(...PHONE);
  };
  await page.click("[role=tab]", "Long text");
  check((await open()) === "long-text", await open());
  await fits("the long text");
  await page.press("ArrowRight");
  await page.until("its table", () => document.querySelector(".stage table.normalization tbody tr"));
  await page.says("लाख");
  check((await open()) === "normalization-panel", await open());
  await fits("the table of readings");
  await page.look(...SMALL);
  await take("read", [LOOKS[0], LOOKS[3]]);
  await page.look(...PHONE);
  await page.press("ArrowRight");
  check((await open()) === "same" && (await page.run(() => document.querySelector(".same pre").checkVisibility())), await open());
  await fits("the code");
  await page.look(...SMALL);
  await speak();
  check((await open()).includes("speech-view"), "what is spoken is not in sight");
});

await step("voice, language, speed, clarity, text and clips survive a reload", async () => {
  await page.run(() => document.querySelector('input[value="Arjun"]').click());
  await page.choose("Language", "te");
  await page.choose("Clarity", "room");
  await page.run(() => {
    const speed = [...document.querySelectorAll("label")].find((label) => label.textContent.startsWith("Speed")).control;
    speed.value = 1.2;
    speed.dispatchEvent(new Event("input", { bubbles: true }));
  });
  await write(LONG);
  const [before, spoken] = [await code(), await clips()];
  check(spoken.length >= 5 && before.includes("Arjun") && before.includes("1.2") && before.includes('"te"') && before.includes("room"), `${spoken.length} clips; ${before}`);
  await page.run(() => (window.isOld = true));
  await page.send("Page.reload");
  await page.until("the page again", () => !window.isOld && document.querySelector(".same pre")?.textContent.includes("Arjun"));
  check((await code()) === before, await code());
  check((await clips()).join() === spoken.join(), `${(await clips()).length} clips`);
  return `${spoken.length} clips`;
});

await step("a clip of the list is played and deleted", async () => {
  const before = await clips();
  await fresh();
  await page.click(".clips li:nth-child(2) button", "Play");
  await lit(1);
  check((await heard()).started.length === 0, "the server was asked");
  check((await page.run(() => document.querySelector(".reading").textContent)).startsWith(before[1].replace("…", "")), "another text is shown");
  await page.press("Escape");
  await rests();
  await page.click(".clips li:nth-child(2) button", "Delete");
  await page.until("one clip less", (count) => document.querySelectorAll(".clips li").length === count - 1, before.length);
  check((await clips()).join() === before.toSpliced(1, 1).join(), (await clips()).join());
});

await step("only the newest twenty clips are kept", async () => {
  await page.choose("Language", "");
  for (let number = 1; number <= 21; number += 1) {
    await write(`${number}`);
    await speak();
  }
  await page.until("twenty clips", () => document.querySelectorAll(".clips li").length === 20);
  await newest("21");
  check((await clips()).at(-1) === "2", (await clips()).join());
  const kept = await page.run(() => new Promise((resolve) => {
    indexedDB.open("shruti").onsuccess = ({ target }) => (target.result.transaction("clips").objectStore("clips").count().onsuccess = (count) => resolve(count.target.result));
  }));
  check(kept === 20, `${kept} in the database`);
});

await step("with reduced motion, the waveform changes page by page and is complete", async () => {
  await page.look(...SMALL, { still: true });
  await write(SHORT);
  const { lights } = await speak();
  check(lights.length >= 3, `${lights.length} words lit`);
  await take("still", [["small", ...SMALL, { whole: false, still: true }]]);
  await page.look(...SMALL);
});

await step("the page fits a phone, every option is readable, and axe-core finds no faults, light and dark", async () => {
  for (const dark of [false, true]) {
    await page.look(...PHONE, { dark });
    check((await page.run(() => document.documentElement.scrollWidth)) <= PHONE[0], "it is wider than the phone");
    const cut = await page.run(() => [...document.querySelectorAll(".settings select")].filter((select) => select.offsetParent !== null).filter((select) => {
      const brush = document.createElement("canvas").getContext("2d");
      brush.font = getComputedStyle(select).font;
      return Math.max(...[...select.options].map(({ textContent }) => brush.measureText(textContent).width)) > select.clientWidth - 16;
    }).map(({ value }) => value));
    check(cut.length === 0, `cut: ${cut.join()}`);
    await checkAccessible(page, dark ? "dark" : "light");
  }
  await page.look(...SMALL);
  await take("clips");
});

await step("on a phone, Interrupt stays visible while the page is scrolled", async () => {
  await page.look(...PHONE);
  await write(LONG);
  await fresh();
  await page.click(".speak");
  await lit(2);
  const box = await page.run(() => {
    scrollTo({ top: 1e6, behavior: "instant" });
    const button = document.querySelector(".player .play");
    const { x, y, width, height, bottom } = button.getBoundingClientRect();
    const top = document.elementFromPoint(x + width / 2, y + height / 2);
    return { x: x + width / 2, y: y + height / 2, width, height, bottom, own: innerHeight, says: button.innerText.trim(), isFree: button.contains(top) };
  });
  check(box.says === "Interrupt" && box.isFree && box.bottom <= box.own, JSON.stringify(box));
  check(box.width >= 120 && box.height >= 44, `${box.width} × ${box.height} px`);
  await take("interrupt", [["phone", ...PHONE, { whole: false }]]);
  await page.look(...PHONE);
  await page.clickAt(box.x, box.y);
  await page.says("Not heard");
  const { ends } = await heard();
  check(ends[0].type === "turn.cancelled", ends[0].type);
  await page.look(...SMALL);
});

await step("with the keyboard: from Speak to the clip, a position in it, another format and back, a word", async () => {
  await write(LONG);
  await page.run(() => document.querySelector(".speak").focus());
  await fresh();
  await page.press("Enter");
  await page.until("the clip's end", () => window.tap.ends.length > 0);
  await idle();
  const to = async (css) => {
    for (let presses = 0; presses < 40; presses += 1) {
      await page.press("Tab");
      if (await page.run((wanted) => document.activeElement.matches(`${wanted}:focus-visible`), css)) return;
    }
    throw new Error(`${css} was not reached`);
  };
  await to(".play");
  await page.press(" ");
  await page.until("it plays", () => document.querySelector(".play").textContent === "Pause");
  await page.press("Escape");
  await rests();
  await to(".clip-controls input");
  await page.press("Home");
  check((await place()) === 0, `${await place()} ms`);
  await to(".player .row button:last-child");
  await page.press("Enter");
  await page.until("the dialog", () => document.querySelector("dialog[open]"));
  await page.press("Escape");
  await page.until("the dialog's end", () => !document.querySelector("dialog"));
  check(await page.run(() => document.activeElement.matches(".player .row button:last-child")), "the focus is lost");
  await to(".reading");
  await page.press("ArrowRight");
  await page.press("ArrowRight");
  check((await place()) > 0, "it stays at its beginning");
});

await step("texts and clips of an account are not shown to the next one, even without a sign-out", async () => {
  await write("केवल मेरे लिए");
  await speak();
  await newest("केवल मेरे लिए");
  await page.send("Network.clearBrowserCookies");
  await page.goto(`${base}/studio/sign-up`, "Create an account");
  await page.fill("E-mail", `next-${EMAIL}`);
  await page.fill("Password", PASSWORD);
  await page.click("form button");
  await page.heading("Promo code");
  await visit(page, "/studio", "Playground");
  const seen = await page.run(() => document.querySelector("main").innerText + document.querySelector("textarea").value);
  check(!seen.includes("केवल") && (await clips()).length === 0, seen);
  await signOutAndIn();
  await newest("केवल मेरे लिए");
});

await step("a sign-out deletes the clips", async () => {
  await signOutAndIn();
  check((await clips()).length === 0, (await clips()).join());
  check(await page.run(() => document.querySelector(".history").hidden), "an empty list is shown");
});

await step("one button deletes all clips", async () => {
  await write(SHORT);
  await speak();
  await page.click(".history button", "Delete all");
  await page.until("no clips", () => document.querySelector(".history").hidden);
  await page.send("Page.reload");
  await page.until("the page again", () => document.querySelector(".speak"));
  check((await clips()).length === 0, (await clips()).join());
});

await step("no page logs errors to the console, and axe-core finds no faults", async () => {
  const links = await page.run(() => [...document.querySelectorAll("header a")].map((link) => link.getAttribute("href")));
  await page.goto(`${base}/docs`, "Shruti");
  const linked = await page.run(() => [...new Set([...document.querySelectorAll("a[href^='/docs']")].map((link) => link.getAttribute("href").split("#")[0]))]);
  const docs = linked.filter((path) => !path.endsWith(".md")); // Markdown documents are plain text, not pages
  for (const path of [...links, "/studio/sign-in", "/studio/sign-up", "/studio/nowhere", ...docs]) {
    await page.goto(`${base}${path}`, "");
    await page.until(`all of ${path}`, () => document.readyState === "complete" && !document.getElementById("loading"));
    await checkAccessible(page, path);
  }
  checkQuiet(page, base);
  return `${links.length + docs.length + 3} pages`;
});

finish(browser);
