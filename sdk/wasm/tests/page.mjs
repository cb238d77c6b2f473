// Page that speaks without a server and measures its speech. measure.mjs clicks its button.

import { SpeechPlayer } from "@shruti/client/speech";
import { WasmSource } from "/wasm/dist/index.js";
import { VoiceModule } from "/wasm/dist/module.js";

globalThis.wanted = {};
let figures;
globalThis.measured = () => figures;

const never = new AbortController().signal;

/**
 * Speaks in a worker without playback. Returns the time to the first samples in milliseconds, and the speed relative to
 * real time.
 */
async function rendered(source, language, text) {
  const begun = performance.now();
  let [first, samples] = [0, 0];
  for await (const piece of source.speak(text, { language }, never)) {
    first ||= performance.now() - begun;
    samples += piece.samples.length;
  }
  return { first, factor: samples / 24 / (performance.now() - begun) };
}

/** Returns the milliseconds from an abort to the end of the audio. */
async function cancelled(source, language, text) {
  const ending = new AbortController();
  let begun = 0;
  try {
    for await (const piece of source.speak(text, { language }, ending.signal)) {
      if (piece.samples.length === 0 || begun > 0) continue;
      begun = performance.now();
      ending.abort(new Error("enough"));
    }
  } catch {
    // the abort throws this error
  }
  return performance.now() - begun;
}

/** Returns the memory that the module needs for a text, in MiB, without its code. */
async function memory(language, text) {
  const data = async (name) => new Uint8Array(await (await fetch(`/wasm/dist/data/${name}`)).arrayBuffer());
  const packs = await Promise.all([...new Set(["en", language])].map((code) => data(`${code}.bin`)));
  const module = await VoiceModule.instantiate(await WebAssembly.compile(await data("shruti.wasm")), packs);
  module.start({ language });
  module.push(text);
  module.finish();
  while (module.render(2_400).progress !== "ended");
  return module.memoryBytes / 2 ** 20;
}

async function measure() {
  const { language, text } = globalThis.wanted;
  const begun = performance.now();
  const source = new WasmSource();
  await source.load(language);
  const load = performance.now() - begun;
  // the first text includes the time to build the tables of its language
  const { first } = await rendered(source, language, text);
  const { factor } = await rendered(source, language, text.repeat(5));
  const cancel = await cancelled(source, language, text.repeat(5));
  source.close();

  const context = new AudioContext({ sampleRate: 24_000 });
  const ear = new AnalyserNode(context);
  ear.connect(context.destination);
  const fresh = new WasmSource();
  await fresh.load(language);
  const player = new SpeechPlayer(fresh, { context, destination: ear });
  let words = 0;
  const ended = new Promise((resolve, reject) => {
    player.on("ended", resolve);
    player.on("error", reject);
  });
  const clicked = performance.now();
  const sounding = new Promise((resolve) => {
    player.on("state", (state) => state === "playing" && resolve(performance.now() - clicked));
  });
  let peak = 0;
  player.on("word", () => {
    words += 1;
    const samples = new Float32Array(2_048);
    ear.getFloatTimeDomainData(samples);
    peak = Math.max(peak, ...samples.map(Math.abs));
  });
  void player.play([{ text, language }]);
  const sound = await sounding;
  await ended;
  await player.close();
  fresh.close();
  return { load, block: first, sound, factor, cancel, memory: await memory(language, text), peak, words };
}

document.querySelector("button").onclick = () => {
  measure().then(
    (found) => (figures = found),
    (error) => (figures = { error: error.stack }),
  );
};
