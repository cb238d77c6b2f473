// Tests of the Studio's modules that need no browser. Run with: node --test checks/studio/units.test.mjs

import assert from "node:assert/strict";
import { formatName, kbitsOf, ratesOf } from "../../studio/clip-download.js";
import { clipMs, clipOf, samplesFrom } from "../../studio/clip.js";
import { MOST_CLIPS, ofVersion1, surplus } from "../../studio/clip-store.js";
import { csv } from "../../studio/csv.js";
import { languageName } from "../../studio/dom.js";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ago, duration, waiting } from "../../studio/format.js";
import { alternatives } from "../../studio/found-language.js";
import { Clusters } from "../../studio/clusters.js";
import { characterCount } from "../../studio/length.js";
import { joinOf } from "../../studio/joined-formats.js";
import { isSameEntry, lexiconToml } from "../../studio/lexicon-toml.js";
import { linesOf } from "../../studio/operator/sparkline.js";
import { between } from "../../studio/operator/trends.js";
import { GREETINGS } from "../../studio/recordings.js";
import { languageOfSample, SAMPLES } from "../../studio/samples.js";
import { snippets } from "../../studio/snippets.js";
import { pieces } from "../../studio/token-stream.js";
import { canShift, caution, choiceName, credit, engineNames, range, sourceOf, sources, speakerOf } from "../../studio/voices.js";
import { wav } from "../../studio/wav.js";

test("a range is widened to whole grapheme clusters", () => {
  const cases = [
    ["क्षि", 1, 2, "क्षि"],
    ["x👨‍👩‍👧y", 3, 4, "👨‍👩‍👧"],
    ["கொ", 1, 2, "கொ"],
    ["a 𑀅𑀆 b", 2, 6, "𑀅𑀆"],
    ["नमस्ते दुनिया", 7, 13, "दुनिया"],
    ["ab", 0, 99, "ab"],
    ["", 0, 0, ""],
  ];
  for (const [text, start, end, whole] of cases) assert.equal(text.slice(...new Clusters(text).range(start, end)), whole, text);
});

test("a stored clip of the first version gets positions in UTF-16 units", () => {
  const word = { text: "𑀅", start_ms: 10, end_ms: 20, char_start: 2, char_end: 3 };
  const clip = { id: "1", text: "😀 𑀅 b", words: [word], heardEnd: 3 };
  assert.deepEqual(ofVersion1(clip), {
    id: "1",
    text: "😀 𑀅 b",
    words: [{ text: "𑀅", startMs: 10, endMs: 20, charStart: 3, charEnd: 5, spoken: undefined }],
    heardEnd: 5,
  });
  assert.equal(ofVersion1({ ...clip, heardEnd: null }).heardEnd, null);
});

test("lengths are counted as the server counts them", () => {
  for (const [text, length] of [["", 0], ["abc", 3], ["😀", 1], ["हिन्दी", 6]]) assert.equal(characterCount(text), length, text);
});

test("the header of a WAV file describes its content", async () => {
  const file = Buffer.from(await wav([Int16Array.of(1, -2), Int16Array.of(300)]).arrayBuffer());
  assert.equal(file.length, 44 + 6);
  assert.equal(file.toString("latin1", 0, 4) + file.toString("latin1", 8, 16), "RIFFWAVEfmt ");
  assert.equal(file.readUInt32LE(4), 42);
  assert.deepEqual([file.readUInt16LE(20), file.readUInt16LE(22), file.readUInt32LE(24), file.readUInt32LE(28), file.readUInt16LE(34)], [1, 1, 24_000, 48_000, 16]);
  assert.deepEqual([file.readUInt32LE(40), file.readInt16LE(44), file.readInt16LE(46), file.readInt16LE(48)], [6, 1, -2, 300]);
});

test("the pieces of the simulated model add up to the text, and end at their declared positions", () => {
  for (const text of ["नमस्ते 😀 दुनिया", "a", "𑀅𑀆𑀇"]) {
    const all = [...pieces(text)];
    assert.equal(all.map((piece) => piece.text).join(""), text);
    assert.deepEqual(all.map(({ end }) => end), all.map((_, at) => all.slice(0, at + 1).map((piece) => piece.text).join("").length));
    assert.deepEqual(all.map(({ final }) => final), all.map((_, at) => at === all.length - 1));
    assert.ok(all.every(({ text: piece }) => piece.isWellFormed?.() ?? true));
  }
});

const NASTY = `it's "quoted" $HOME \`id\` \\ ! 50% \${x}\nनमस्ते 😀 </script>`;

test("the examples contain any text unchanged, and no key", () => {
  const [curl, python, javascript, openai] = snippets("https://tts.example", { text: NASTY, voice: "Ananya", speed: 1.25, language: "hi" }).map(({ code }) => code);
  const sent = execFileSync("bash", ["-c", `curl() { for argument; do last=$argument; done; printf %s "$last"; }\n${curl}`], { encoding: "utf8" });
  assert.deepEqual(JSON.parse(sent), { text: NASTY, voice: "Ananya", speed: 1.25, language: "hi" });
  const body = /json\.dumps\((.*)\)\.encode/.exec(python)[1];
  assert.equal(execFileSync("python3", ["-c", `import sys; sys.stdout.write(${body}["text"])`], { encoding: "utf8" }), NASTY);
  execFileSync("python3", ["-c", "import sys; compile(sys.stdin.read(), 'speak.py', 'exec')"], { input: python });
  assert.equal(new Function(`return ${/JSON\.stringify\((.*)\),$/m.exec(javascript)[1]}`)().text, NASTY);
  execFileSync("python3", ["-c", "import sys; compile(sys.stdin.read(), 'speak.py', 'exec')"], { input: openai });
  const input = /^ +input=(".*"), extra_body=({.*})\) as response:$/m.exec(openai);
  assert.deepEqual([JSON.parse(input[1]), JSON.parse(input[2])], [NASTY, { language: "hi" }]);
  for (const code of [curl, python, javascript, openai]) assert.ok(!/sk_\w/.test(code) && code.includes("SHRUTI_API_KEY"));
});

test("times are formatted for readers", () => {
  assert.deepEqual([3_210, 119_700, 250_000, 7_500_000, 7_199_000].map(duration), ["3.2 s", "2 min 0 s", "4 min 10 s", "2 h 5 min", "2 h 0 min"]);
  assert.deepEqual([waiting(300), waiting(61_000), waiting(5_400_000)], ["in 1 second", "in 2 minutes", "in 2 hours"]);
  assert.deepEqual([ago(0, 5_000), ago(0, 60_000), ago(0, 7_200_000)], ["just now", "1 minute ago", "2 hours ago"]);
});

test("every language has sentences to try", () => {
  assert.deepEqual(Object.keys(SAMPLES).sort(), ["bn", "en", "gu", "hi", "kn", "ml", "mr", "or", "pa", "ta", "te"]);
  for (const [code, sentences] of Object.entries(SAMPLES)) assert.ok(sentences.length >= 3 && sentences.every((text) => text.length > 20), code);
});

test("a language in beta is marked", () => {
  assert.equal(languageName({ name: "Nepali", native_name: "नेपाली", beta: true }), "Nepali (beta)");
  assert.equal(languageName({ name: "Hindi", native_name: "हिन्दी", beta: false }), "Hindi");
});

test("the back end of a voice is named for one language, and for all", () => {
  const voice = { by_language: [{ language: "hi", engine: "neural" }, { language: "ta", engine: "learned" }, { language: "te", engine: "learned" }] };
  const cases = [["hi", "trained"], ["ta", "learned"], ["", "trained or learned"], ["bn", ""]];
  for (const [code, names] of cases) assert.equal(engineNames(voice, code), names, code);
});

test("each recording is shown with its text", () => {
  const lines = readFileSync(new URL("../greetings.tsv", import.meta.url), "utf8").trim().split("\n");
  assert.deepEqual(GREETINGS, Object.fromEntries(lines.map((line) => line.split("\t"))));
});

test("CSV is quoted where necessary, and contains no formulas", async () => {
  const file = csv(["day", "name"], [["2026-11-22", 'a "b", c'], ["2026-11-23", "=1+1"], [3, null]]);
  assert.equal(await file.text(), 'day,name\r\n2026-11-22,"a ""b"", c"\r\n2026-11-23,\'=1+1\r\n3,\r\n');
});

test("a sample is identified by its text, and belongs to one language", () => {
  for (const [code, sentences] of Object.entries(SAMPLES))
    for (const text of sentences) assert.equal(languageOfSample(text), code, text);
  assert.equal(languageOfSample(`${SAMPLES.hi[0]} `), null);
});

// Returns an entry of `GET /v1/voices`. `spoken` maps each language to the licence of its pack, or to null for a
// built-in voice.
const voice = (name, spoken) => ({
  name,
  languages: Object.keys(spoken),
  by_language: Object.entries(spoken).map(([language, licence]) =>
    licence
      ? { language, engine: "neural", pack: `pack-${licence.spdx}`, pitch: false, licence }
      : { language, engine: "parametric", pack: null, pitch: true, licence: null },
  ),
});
const FREE = { spdx: "CC-BY-4.0", attribution: "IndicVoices-R", commercial: true };
const BARRED = { spdx: "CC-BY-NC-4.0", attribution: "MMS", commercial: false };
const UNSTATED = { spdx: "LicenseRef-none", attribution: "", commercial: null };
const LANGUAGES = [
  ["hi", "Hindi"],
  ["te", "Telugu"],
  ["ta", "Tamil"],
  ["kn", "Kannada"],
  ["ml", "Malayalam"],
  ["or", "Odia"],
].map(([code, name]) => ({ code, name }));
const nameOf = (code) => LANGUAGES.find((language) => language.code === code).name;
const EVERY = Object.fromEntries(LANGUAGES.map(({ code }) => [code, null]));
const VOICES = [
  voice("Ananya", { ...EVERY, te: BARRED, ml: UNSTATED }),
  voice("Arjun", EVERY),
  voice("Maya", { te: BARRED, hi: BARRED }),
  voice("Asha", { hi: FREE }),
];

test("a language uses the chosen voice if possible, otherwise the first that speaks it", () => {
  const [ananya, , maya, asha] = VOICES;
  for (const [chosen, code, name] of [
    [asha, "hi", "Asha"],
    [asha, "te", "Ananya"],
    [maya, "te", "Maya"],
    [maya, "ta", "Ananya"],
  ]) {
    assert.equal(speakerOf(VOICES, chosen, code).name, name, `${chosen.name} ${code}`);
  }
  assert.equal(speakerOf(VOICES, ananya, "fr"), null);
  assert.equal(speakerOf([maya, asha], asha, "te"), maya);
});

test("pitch is offered if the back end can shift it", () => {
  const [ananya, , maya] = VOICES;
  assert.deepEqual([canShift(ananya, ""), canShift(ananya, "hi"), canShift(ananya, "te")], [true, true, false]);
  assert.deepEqual([canShift(maya, ""), canShift(maya, "hi")], [false, false]);
});

test("the option of a voice names its special properties", () => {
  assert.deepEqual(
    VOICES.map((each) => choiceName(each, LANGUAGES)),
    ["Ananya", "Arjun", "Maya · Hindi and Telugu · not for commercial use", "Asha · Hindi"],
  );
  assert.equal(range(voice("Most", { hi: null, te: null, ta: null, kn: null, ml: null }), LANGUAGES), "5 languages");
});

test("the languages of a voice are grouped by back end", () => {
  assert.deepEqual(
    sources(VOICES[0]).map(({ engine, pack, codes }) => [engine, pack, codes.join()]),
    [
      ["parametric", null, "hi,ta,kn,or"],
      ["neural", "pack-CC-BY-NC-4.0", "te"],
      ["neural", "pack-LicenseRef-none", "ml"],
    ],
  );
});

test("a voice warns if commercial use is not allowed, and names the languages", () => {
  assert.deepEqual(
    VOICES.map((each) => caution(each, nameOf)),
    [
      "In Telugu: not for commercial use. In Malayalam: not known whether commercial use is allowed.",
      null,
      "Not for commercial use.",
      null,
    ],
  );
});

test("voices of packs show the pack, its licence and its attribution", () => {
  const [ananya, arjun, , asha] = VOICES;
  assert.equal(credit(sourceOf(asha, "hi")), "Spoken by pack pack-CC-BY-4.0 · licence CC-BY-4.0 · IndicVoices-R");
  assert.equal(
    credit(sourceOf(ananya, "te")),
    "Spoken by pack pack-CC-BY-NC-4.0 · licence CC-BY-NC-4.0 · MMS · not for commercial use",
  );
  assert.equal(
    credit(sourceOf(ananya, "ml")),
    "Spoken by pack pack-LicenseRef-none · licence LicenseRef-none · not known whether commercial use is allowed",
  );
  assert.equal(
    credit({ engine: "remote", pack: "maya", licence: FREE }),
    "Spoken by pack maya, on another server · licence CC-BY-4.0 · IndicVoices-R",
  );
  for (const source of [sourceOf(arjun, "hi"), sourceOf(arjun, "fr"), sourceOf(null, "hi")])
    assert.equal(credit(source), null);
});

test("a lexicon with any words is written as TOML", () => {
  const entry = (word, reading, language = null) => ({ language, word, reading });
  assert.equal(lexiconToml([]), "");
  assert.equal(
    lexiconToml([entry("Ooty", "/uːʈiː/", "ta"), entry("AIIMS", "एम्स"), entry('a"\\\n\u007f', "'#")]),
    '[words]\n"AIIMS" = "एम्स"\n"a\\"\\\\\\n\\u007f" = "\'#"\n\n[ta]\n"Ooty" = "/uːʈiː/"\n',
  );
  assert.ok(isSameEntry(entry("AIIMS ", "a"), entry("aiims", "b")));
  assert.ok(!isSameEntry(entry("AIIMS", "a"), entry("AIIMS", "a", "hi")));
});

test("a clip has all samples of its turn in order", () => {
  const turn = { text: "a", voice: "Arjun", language: "hi", settings: {}, words: [], blocks: [Int16Array.of(1, 2), Int16Array.of(3)], sentWhole: true, heard: null };
  const clip = clipOf(turn);
  assert.deepEqual([[...clip.samples], clip.whole, clip.heardEnd], [[1, 2, 3], true, null]);
  const long = { samples: Int16Array.from({ length: 240 }, (_, at) => at) };
  assert.equal(clipMs(long), 10);
  assert.equal(samplesFrom(long, 5)[0], 120);
  assert.equal(samplesFrom(long, 10).length, 0);
});

test("the oldest clips are deleted if there are too many or too much audio", () => {
  const clips = (number, bytes) => Array.from({ length: number }, (_, at) => ({ id: `${at}`, spokenAt: at, samples: { byteLength: bytes } }));
  assert.deepEqual(surplus(clips(MOST_CLIPS, 1)), []);
  assert.deepEqual(surplus(clips(MOST_CLIPS + 2, 1)), ["0", "1"]);
  assert.deepEqual(surplus(clips(4, 10), 20, 25), ["0", "1"]);
  assert.deepEqual(surplus(clips(1, 30), 20, 25), ["0"], "a clip that is too long is not kept");
});

test("formats have the names of the API", () => {
  assert.equal(formatName({ prefix: "pcm_f32" }, 16_000, 64), "pcm_f32_16000");
  assert.equal(formatName({ prefix: "mp3", kbits: true }, 44_100, 192), "mp3_44100_192");
  assert.deepEqual(ratesOf({ prefix: "opus" }), [48_000]);
  assert.deepEqual(kbitsOf({ prefix: "mp3" }, 8000), [32, 48, 64]);
  assert.deepEqual(kbitsOf({ prefix: "mp3" }, 24_000).at(-1), 128);
  assert.deepEqual(kbitsOf({ prefix: "opus" }, 48_000).at(-1), 192);
});

test("a text can be in each language of its script, and in any language if it has only Latin letters", () => {
  const languages = [["hi", "हिन्दी"], ["mr", "मराठी"], ["ta", "தமிழ்"], ["en", "English"]].map(([code, native_name]) => ({ code, native_name }));
  const codes = (text, found) => alternatives(text, found, languages).map(({ code }) => code).join();
  assert.equal(codes("आज OTP आया", "hi"), "mr");
  assert.equal(codes("வணக்கம்", "ta"), "");
  assert.deepEqual(alternatives("آپ", "ur", [...languages, { code: "ur", native_name: "اردو" }]), []);
  assert.equal(codes("aaj kya hai", "hi"), "mr,ta,en");
  assert.equal(codes("123", "hi"), "mr,ta,en");
});

test("turns are joined after one header, which contains the length", () => {
  const join = joinOf("wav_mulaw_8000");
  assert.equal(join.asked, "mulaw_8000");
  assert.equal(join.begin().length, 58);
  assert.deepEqual([join.add(new Uint8Array(800)).ms, join.add(new Uint8Array(801)).ms], [0, 100]);
  const { bytes, first } = join.finish();
  const header = new DataView(first.buffer);
  assert.deepEqual([bytes.length, header.getUint32(4, true), header.getUint16(20, true), header.getUint32(46, true), header.getUint32(54, true)], [1, 1_652, 7, 1_601, 1_601]);
  const mp3 = joinOf("mp3_24000_64");
  assert.deepEqual([mp3.asked, mp3.begin(), mp3.add(new Uint8Array(1_920)).ms, mp3.add(new Uint8Array(1)).ms], ["mp3_24000_64", null, 0, 240]);
  assert.deepEqual(["wav_24000", "wav_f32_44100", "pcm_f32_8000", "opus_48000_32"].map((name) => joinOf(name).asked), ["pcm_24000", "pcm_f32_44100", "pcm_f32_8000", "opus_48000_32"]);
});

test("a sparkline has the newest value at the right, the largest at the top, and gaps where nothing was measured", () => {
  assert.deepEqual(linesOf([], 4), []);
  assert.deepEqual(linesOf([0, 5, 10], 3), ["3.0,41.0 120.0,22.0 237.0,3.0"]);
  assert.deepEqual(linesOf([4, null, 2, 4], 4), ["3.0,3.0 3.0,3.0", "159.0,22.0 237.0,3.0"]);
  assert.deepEqual(linesOf([0], 3), ["237.0,41.0 237.0,41.0"]);
});

test("first audio between two responses is a mean, and absent without speech or after a restart", () => {
  assert.equal(between({ count: 2, total_ms: 10 }, { count: 4, total_ms: 40 }), 15);
  assert.equal(between({ count: 2, total_ms: 10 }, { count: 2, total_ms: 10 }), null);
  assert.equal(between({ count: 2, total_ms: 10 }, { count: 0, total_ms: 0 }), null);
});
