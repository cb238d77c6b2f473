// Example of a user's page. It opens a conversation after a click and exposes functions to the test.

import { Client } from "@shruti/client";
import { Player, WorkletSink } from "@shruti/client/player";

const sent = [];
const send = WebSocket.prototype.send;
WebSocket.prototype.send = function (data) {
  sent.push(JSON.parse(data));
  return send.call(this, data);
};

const ask = async (path) => (await fetch(path, { method: "POST" })).text();
const baseUrl = await ask("/server");
const client = new Client({ baseUrl, token: () => ask("/token") });

async function errorOf(work) {
  try {
    await work();
    return "nothing was thrown";
  } catch ({ name, code, message }) {
    return { name, code, message };
  }
}

const samples = new Float32Array(2048);
let session;
let analyser;
let player;
// functions that the test calls
globalThis.page = {
  async open() {
    session = await client.connect();
    const context = new AudioContext(globalThis.rate ? { sampleRate: globalThis.rate } : {});
    analyser = new AnalyserNode(context, { fftSize: samples.length });
    analyser.connect(context.destination);
    player = new Player(session, new WorkletSink({ context, destination: analyser }));
  },
  say: (text) => void player.say(text),
  playedMs: () => player.playedMs,
  peak() {
    analyser.getFloatTimeDomainData(samples);
    return Math.max(...samples.map(Math.abs));
  },
  async interrupt() {
    const before = player.playedMs;
    return { before, cut: await player.interrupt() };
  },
  async sayAll(text) {
    const turn = player.say(text);
    await player.finished();
    return { outcome: turn.outcome, playedMs: player.playedMs };
  },
  // compares the audio of a turn with the audio of a clip, which must be equal
  async same(text) {
    const chunks = [];
    for await (const chunk of session.say(text).audio()) chunks.push(...chunk);
    const { audio, info } = await client.tts(text);
    return { bytes: audio.length, same: `${[...audio]}` === `${chunks}`, voice: info.voice };
  },
  refusals: async () => ({
    token: await errorOf(() => new Client({ baseUrl, token: () => "tok_old" }).connect()),
    key: await errorOf(() => new Client({ baseUrl, token: () => "sk_wrong" }).connect()),
    nobody: await errorOf(() => new Client({ baseUrl: "http://127.0.0.1:9", token: () => "tok_" }).connect()),
    none: await errorOf(async () => new Client()),
  }),
  reports: () => sent.filter(({ type }) => type === "played").length,
  async close() {
    await player.close();
    await session.close();
    return (await errorOf(async () => session.say("नहीं"))).name;
  },
};
document.querySelector("button").onclick = async () => {
  await globalThis.page.open();
  document.querySelector("button").textContent = "Open";
};
document.querySelector("h1").textContent = "client is there";
