#!/usr/bin/env node
// Checks the Studio with a trained voice, in headless Chromium. A pack provides Hindi for the voice "Test 0", which
// speaks no other language, and for Ananya. The playground is open. Prints the results; fails if a step failed.
// usage: node voices.mjs http://127.0.0.1:8080 (run.sh runs all checks)

import { checkAccessible } from "./axe.mjs";
import { Chromium } from "./chromium.mjs";
import { check, checkQuiet, finish, step, visit } from "./steps.mjs";
import { tap } from "./tap.js";

const [base] = process.argv.slice(2);
if (!base) {
  console.error("usage: node voices.mjs http://127.0.0.1:8080");
  process.exit(2);
}
const LOOKS = [
  ["desktop", 1366, 641, {}],
  ["phone", 390, 844, {}],
  ["dark", 1366, 641, { dark: true }],
];

const browser = await Chromium.start();
const page = await browser.page({ before: tap });
await page.look(1280, 900);

const form = () =>
  page.run(() => {
    const labelled = (text) =>
      [...document.querySelectorAll(".settings label")].find((label) => label.textContent === text).control;
    const options = (select) => [...select.options].map(({ value }) => value);
    const text = document.querySelector("textarea");
    return {
      voice: document.querySelector(".voice-card input:checked").value,
      voices: [...document.querySelectorAll(".voice-card label")].map((card) => card.innerText.replaceAll("\n", " ")),
      language: labelled("Language").value,
      languages: options(labelled("Language")),
      text: text.value,
      lang: text.lang,
      note: document.querySelector(".voice-note:not([hidden])")?.textContent ?? "",
      request: document.querySelector("[role=tabpanel]:not([hidden]) pre").textContent,
    };
  });

const CARDS = "Ananya Female · trained|Arjun Male · learned|Test 0 trained · Hindi";

const chooseVoice = (name) => page.click(`.voice-card input[value="${name}"]`);

// Returns the data that the page has received and played since the last press of a button that speaks.
const tapped = () => page.run(() => ({ ...window.tap, ear: null }));

// Presses a button that speaks, waits for the end of the speech, and returns the turn.
async function hear(press) {
  await page.run(() => window.freshTap());
  await press();
  await page.until("the clip's end", () => window.tap.ends.length > 0);
  const { started, ends, posted } = await tapped();
  const [{ type, audio_ms: sent }] = ends;
  check(type === "turn.done", `the turn ended with ${JSON.stringify(ends[0])}`);
  check(sent > 300 && Math.abs(posted / 24 - sent) <= 1, `${posted / 24} ms reached the worklet, ${sent} ms were sent`);
  return started[0];
}

// Presses a button that speaks, waits for the first audio, and presses the button again, which ends the speech. Returns
// the turn.
async function hearBeginning(press) {
  await page.run(() => window.freshTap());
  await press();
  await page.until("the first sound", () => window.tap.started.length > 0 && window.tap.posted > 0);
  await press();
  await page.until("the turn's end", () => window.tap.ends.length > 0);
  return (await tapped()).started[0];
}
const over = () => page.until("the button says Speak", () => document.querySelector(".speak").textContent === "Speak");
const source = () => page.until("what speaks", () => document.querySelector(".source:not([hidden])")?.textContent);

await step("each of three voices is a card, with its languages if they are few", async () => {
  await page.goto(`${base}/studio`, "Playground");
  const { voice, voices, languages, note } = await form();
  check(voice === "Ananya" && voices.join("|") === CARDS, `${voice} of ${voices.join("|")}`);
  check(languages.length === 16 && languages[0] === "", languages.join());
  check(!note.includes("speaks"), note);
});

await step("voices of packs show the pack, its licence and its attribution; built-in voices do not", async () => {
  await page.fill("Text", "नमस्ते");
  const turn = await hear(() => page.click(".speak"));
  check(turn.voice === "Ananya" && turn.language === "hi", JSON.stringify(turn));
  const told = await source();
  check(/^Spoken by pack test · licence .+/.test(told), told);
  await over();
  await page.fill("Text", "வணக்கம்");
  const other = await hear(() => page.click(".speak"));
  check(other.voice === "Ananya" && other.language === "ta", JSON.stringify(other));
  check(await page.run(() => document.querySelector(".source").hidden), "the line stands under Tamil, too");
  await over();
  await page.click(".chip[lang=ta]");
  return told;
});

await step(
  "a voice of one language is offered that one, gets a sample in it, and keeps what the visitor wrote",
  async () => {
    await chooseVoice("Test 0");
    const sample = await form();
    check(sample.languages.join() === "hi" && sample.language === "hi" && sample.lang === "hi", JSON.stringify(sample));
    check(sample.note.includes("Test 0 speaks Hindi."), sample.note);
    check(
      sample.request.includes('"voice": "Test 0"') &&
        sample.request.includes('"language": "hi"') &&
        sample.request.includes(sample.text),
      sample.request,
    );
    const turn = await hearBeginning(() => page.click(".speak"));
    check(turn.voice === "Test 0" && turn.language === "hi", JSON.stringify(turn));
    await over();
    await chooseVoice("Arjun");
    check((await form()).language === "hi", "the sample is not spoken in its language");
    await page.fill("Text", "வணக்கம் என் நண்பரே");
    check((await form()).language === "", "the sample's language is asked of another text");
    await chooseVoice("Test 0");
    check((await form()).text === "வணக்கம் என் நண்பரே", "the visitor's text is lost");
  },
);

await step("a sample selects a voice that speaks its language, with a message", async () => {
  await page.click(".chip[lang=te]");
  const { voice, language, languages, note, lang, request } = await form();
  check(
    voice === "Ananya" && language === "te" && languages.length === 16 && lang === "te",
    JSON.stringify({ voice, language, lang }),
  );
  check(note.startsWith("Test 0 does not speak Telugu; Ananya does."), note);
  check(request.includes('"voice": "Ananya"'), request);
  await page.until(
    "announcements for screen readers",
    () => document.getElementById("announcer").textContent === "Test 0 does not speak Telugu; Ananya does.",
  );
});

await step("the chosen language is kept for a voice that speaks it", async () => {
  await page.choose("Language", "hi");
  await chooseVoice("Arjun");
  check((await form()).language === "hi", "it is forgotten");
  await page.choose("Language", "te");
  await chooseVoice("Test 0");
  await chooseVoice("Arjun");
  const { text, language, languages } = await form();
  check(/[\u0900-\u097F]/.test(text) && language === "hi" && languages.length === 16, `${text}: ${language} of ${languages}`);
});

await step("pitch is offered if the back end can shift it", async () => {
  const offered = () =>
    page.run(() => {
      const label = [...document.querySelectorAll(".slider label")].find((each) => each.textContent.startsWith("Pitch"));
      return label.checkVisibility();
    });
  await chooseVoice("Arjun");
  check(await offered(), "Arjun's is not");
  await chooseVoice("Test 0");
  check(!(await offered()), "the pack's is");
  await chooseVoice("Arjun");
  check(await offered(), "Arjun's is not any more");
});

await step("the page of voices shows the back end and the licence of each voice", async () => {
  await visit(page, "/studio/voices", "Voices");
  const cards = await page.run(() =>
    [...document.querySelectorAll(".voice")].map((card) => ({
      name: card.querySelector("h2").textContent,
      about: card.querySelector("dl").innerText,
      sources: [...card.querySelectorAll(".source")].map((each) => ({
        terms: each.querySelector("dl").innerText.replaceAll("\n", " "),
        languages: [...each.querySelectorAll("button")].map(({ lang }) => lang),
      })),
    })),
  );
  check(cards.map(({ name }) => name).join() === "Ananya,Arjun,Test 0", JSON.stringify(cards));
  const [ananya, arjun, test] = cards;
  // languages in beta have no sample sentences
  check(
    arjun.sources.length === 1 &&
      arjun.sources[0].languages.length === 11 &&
      arjun.sources[0].terms.startsWith("Spoken by built in"),
    JSON.stringify(arjun),
  );
  check(
    ananya.sources.length === 2 &&
      ananya.sources
        .map(({ languages }) => languages.length)
        .sort()
        .join() === "1,10",
    JSON.stringify(ananya),
  );
  check(test.sources.length === 1 && test.sources[0].languages.join() === "hi", JSON.stringify(test));
  for (const { terms } of [ananya.sources.find(({ languages }) => languages.length === 1), test.sources[0]]) {
    check(/^Spoken by pack test Licence \S+ .*Commercial use (yes|no|not known)/.test(terms), terms);
  }
  return test.sources[0].terms;
});

await step("a built-in voice has a large button with its recording; a pack has none", async () => {
  const large = () => page.run(() => [...document.querySelectorAll(".hear")].map(({ ariaLabel }) => ariaLabel));
  check((await large()).join() === "Play a recording of Ananya,Play a recording of Arjun", (await large()).join());
  const pressed = (is) =>
    page.until("the large button", (wanted) => document.querySelectorAll(".hear")[1].ariaPressed === `${wanted}`, is);
  await page.run(() => window.freshTap());
  await page.click(".voice:nth-of-type(2) .hear");
  await pressed(true);
  await page.until("its sound", () => window.tap.posted > 0);
  await page.click(".voice:nth-of-type(2) .hear");
  await pressed(false);
  check((await tapped()).started.length === 0, "the server spoke");
});

await step("each language has a button that speaks a sentence with that voice, and stops it", async () => {
  for (const [at, lang, voice] of [
    [3, "hi", "Test 0"],
    [2, "or", "Arjun"],
  ]) {
    const button = `.voice:nth-of-type(${at}) .sample[lang=${lang}]`;
    const turn = await hearBeginning(() => page.click(button));
    check(turn.voice === voice && turn.language === lang, JSON.stringify(turn));
    check(
      (await page.run(
        (css) => document.querySelector(css).closest(".voice").querySelector(".sample-speech [lang]").lang,
        button,
      )) === lang,
      "the sentence is not shown there",
    );
    await page.until(
      "the button's rest",
      (css) => document.querySelector(css).getAttribute("aria-pressed") === "false",
      button,
    );
  }
  const [one, other] = [".voice:nth-of-type(1) .sample[lang=en]", ".voice:nth-of-type(2) .sample[lang=en]"];
  const speaks = (css) =>
    page.until(
      "a voice",
      (wanted) => document.querySelector(wanted).getAttribute("aria-pressed") === "true" && window.tap.posted > 0,
      css,
    );
  await page.run(() => window.freshTap());
  await page.click(one);
  await speaks(one);
  await page.click(other); // switches to another voice
  await page.until("the first one's end", () => window.tap.ends.some(({ type }) => type === "turn.cancelled"));
  await speaks(other);
  check(
    (await page.run(() => document.querySelectorAll(".sample[aria-pressed=true]").length)) === 1,
    "two speak at once",
  );
  await page.press(" "); // the button has the focus
  await page.until("silence", () => document.querySelectorAll(".sample[aria-pressed=true]").length === 0);
});

await step("with the keyboard: from the top of the page of voices to a sentence", async () => {
  await page.goto(`${base}/studio/voices`, "Voices");
  for (let presses = 0; presses < 60; presses += 1) {
    await page.press("Tab");
    if (await page.run(() => document.activeElement.matches(".sample:focus-visible"))) break;
  }
  const name = await page.run(() => document.activeElement.textContent);
  check(/: hear Ananya$/.test(name), `the focus is on ${name}`);
  await hearBeginning(() => page.press("Enter"));
});

await step("a voice that was selected on the page of voices is selected in the playground", async () => {
  await page.click(".voice:nth-of-type(3) a");
  await page.heading("Playground");
  const { voice, lang } = await form();
  check(voice === "Test 0" && lang === "hi", `${voice}, ${lang}`);
});

// Adds seventeen voices to the server's list. Each voice has one or two languages, and some have restrictive licences.
function manyVoices() {
  const real = window.fetch;
  window.fetch = async (address, ...rest) => {
    const answer = await real(address, ...rest);
    if (!`${address}`.endsWith("/v1/voices")) return answer;
    const list = await answer.json();
    const codes = list.voices[1].languages;
    for (let at = 0; at < 17; at += 1) {
      const languages = [...new Set([codes[at % 11], codes[(at * at) % 11]])];
      const licence = {
        spdx: "CC-BY-NC-4.0",
        attribution: "A university, its speakers, and the ministry that paid for it",
        commercial: [true, false, null][at % 3],
      };
      const by_language = languages.map((language) => ({
        language,
        engine: "neural",
        pack: `pack-${at}`,
        deterministic: true,
        pitch: false,
        licence,
      }));
      list.voices.push({ ...list.voices[2], name: `Voice of some length ${at}`, languages, by_language });
    }
    return Response.json(list);
  };
}

await step("twenty voices fit a phone, and can be filtered by language", async () => {
  const other = await browser.page({ before: manyVoices });
  await other.look(390, 844);
  await other.goto(`${base}/studio`, "Playground");
  await other.choose("Voice", "Voice of some length 1");
  check(
    (await other.run(() => document.querySelector(".voice-note").textContent)).endsWith("Not for commercial use."),
    "the terms are not told",
  );
  check((await other.run(() => document.documentElement.scrollWidth)) <= 390, "the playground is wider than the phone");
  await checkAccessible(other, "the playground");
  await visit(other, "/studio/voices", "Voices");
  await other.says("20 voices");
  check(
    (await other.run(() => document.documentElement.scrollWidth)) <= 390,
    "the page of voices is wider than the phone",
  );
  await checkAccessible(other, "the page of voices");
  await other.choose("Voices that speak", "or");
  await other.until("fewer voices", () =>
    / of 20 voices/.test(document.querySelector("[role=status].hint").textContent),
  );
  const left = await other.run(() =>
    [...document.querySelectorAll(".voice:not([hidden])")].map(
      (card) => card.querySelector(".sample[lang=or]") !== null,
    ),
  );
  check(left.length > 2 && left.length < 20 && left.every(Boolean), left.join());
  return `${left.length} speak Odia`;
});

await step("both pages fit large and small desktops and a phone, and axe-core finds no faults", async () => {
  for (const [look, width, height, options] of LOOKS) {
    await page.look(width, height, options);
    for (const [path, heading] of [
      ["/studio", "Playground"],
      ["/studio/voices", "Voices"],
    ]) {
      await visit(page, path, heading);
      check((await page.run(() => document.documentElement.scrollWidth)) <= width, `${path} is wider than the ${look}`);
      await checkAccessible(page, `${path}, ${look}`);
    }
  }
});

await step("nothing in the console, and no requests to other hosts", async () => checkQuiet(page, base));

finish(browser);
