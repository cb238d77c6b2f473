// Checks that the module returns the same samples and words as the server's rule-based voices, in every language.
// usage: SHRUTI_BINARY=target/release/shruti node --test tests (check.sh does this)

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";

import { serve } from "../../../checks/harness/server.mjs";
import { LANGUAGES, neededFor } from "../dist/languages.js";
import { VoiceModule } from "../dist/module.js";

const read = (name) => readFileSync(new URL(name, import.meta.url));
const MODULE = new WebAssembly.Module(read("../dist/data/shruti.wasm"));
const SENTENCES = read("sentences.tsv")
  .toString()
  .trim()
  .split("\n")
  .map((line) => line.split("\t"));
const pack = (code) => read(`../dist/data/${code}.bin`);

let server;
before(async () => (server = await serve(process.env.SHRUTI_BINARY)));
after(() => server.stop());

/** Returns the server's samples and words for a text, in the form that the module uses. */
async function native(text, options) {
  const response = await fetch(`${server.url}/v1/tts/timed`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.key}`, "content-type": "application/json" },
    body: JSON.stringify({ text, engine: "rules", output_format: "pcm_24000", ...options }),
  });
  assert.equal(response.status, 200, await response.clone().text());
  const lines = (await response.text()).trim().split("\n").map(JSON.parse);
  assert.equal(lines.at(-1).type, "done");
  const audio = lines.filter(({ type }) => type === "audio");
  const marks = audio
    .flatMap(({ words }) => words)
    .map((word) => ({
      charStart: word.char_start,
      charEnd: word.char_end,
      startMs: word.start_ms,
      endMs: word.end_ms,
      spoken: word.spoken ?? undefined,
    }));
  return { samples: Buffer.concat(audio.map(({ audio }) => Buffer.from(audio, "base64"))), marks };
}

function spoken(module, text, options) {
  module.start(options);
  module.push(text);
  module.finish();
  const [samples, marks] = [[], []];
  for (;;) {
    const block = module.render(2_400);
    samples.push(Buffer.from(block.samples.buffer));
    marks.push(...block.marks);
    if (block.progress === "ended") return { samples: Buffer.concat(samples), marks };
    assert.equal(block.progress, "more");
  }
}

const instance = (text, language) => VoiceModule.instantiate(MODULE, neededFor(text, language).map(pack));

test("every language has sentences", () => {
  for (const code of LANGUAGES) assert.ok(SENTENCES.filter(([language]) => language === code).length >= 3, code);
});

for (const [language, text] of SENTENCES) {
  test(`${language}: ${text}`, async () => {
    const module = await instance(text, language);
    for (const settings of [
      { voice: "Ananya", speed: 1, pitch: 0 },
      { voice: "Arjun", speed: 1.25, pitch: -1.5 },
    ]) {
      const options = { language, ...settings };
      const [wanted, found] = [await native(text, options), spoken(module, text, options)];
      assert.deepEqual(found.marks, wanted.marks);
      assert.equal(found.samples.length, wanted.samples.length);
      assert.ok(found.samples.equals(wanted.samples), "the samples differ");
    }
  });
}

test("audio is independent of the block size, and a dropped text leaves no state", async () => {
  const [language, text] = SENTENCES[0];
  const module = await instance(text, language);
  const whole = spoken(module, text, { language });
  module.start({ language });
  module.push("यह छोड़ा जाएगा। ".repeat(50));
  module.render(480);
  module.cancel();
  assert.equal(module.render(480).progress, "ended");
  module.start({ language });
  const samples = [];
  for (const piece of text.split(/(?<= )/)) {
    module.push(piece);
    for (let block; block?.progress !== "text"; samples.push(Buffer.from(block.samples.buffer)))
      block = module.render(333);
  }
  module.finish();
  for (let block; block?.progress !== "ended"; samples.push(Buffer.from(block.samples.buffer)))
    block = module.render(333);
  assert.ok(Buffer.concat(samples).equals(whole.samples));
});

test("missing or invalid parts are errors with a reason", async () => {
  const english = await VoiceModule.instantiate(MODULE, [pack("en")]);
  assert.throws(() => english.start({ language: "hi" }), /is not loaded/);
  assert.throws(() => english.start({ language: "fr" }), /the language does not exist/);
  assert.throws(() => english.start({ language: "en", voice: "Nobody" }), /the voice does not exist/);
  assert.throws(() => english.push("a"), /no voice was started/);
  const damaged = pack("or").subarray(0, 1_000);
  await assert.rejects(VoiceModule.instantiate(MODULE, [damaged]), /damaged/);
});
