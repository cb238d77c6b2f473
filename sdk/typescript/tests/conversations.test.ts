/** Tests of clips and conversations with a real server. */

import { setImmediate as soon, setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { BaseClient } from "../src/client.js";
import * as shruti from "../src/node.js";
import { Client, type Session, type Turn } from "../src/node.js";
import { openNodeSocket } from "../src/socket-node.js";
import { chance, Relay, Server, startTwo } from "./server.js";

const TEXT = "आपका order ₹1,25,000 का है। यह कल पहुँचेगा 😀। और क्या मैं आपकी मदद कर सकता हूँ?";
const LONG = "यह एक लंबा जवाब है, जिसे कोई बीच में काट देगा। इसमें कई वाक्य हैं, और हर वाक्य में कुछ शब्द। ".repeat(20);

let server: Server;
let client: Client;
beforeAll(async () => {
  server = await Server.start();
  client = new Client({ baseUrl: server.url, apiKey: server.key });
});
afterAll(() => server.stop());

async function heard(turn: Turn): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of turn.audio()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function firstSound(turn: Turn, atLeastMs = 1): Promise<void> {
  let bytes = 0;
  for await (const chunk of turn.audio()) {
    bytes += chunk.length;
    if (bytes >= atLeastMs * 48) return;
  }
}

async function reconnected(session: Session): Promise<void> {
  for await (const event of session) if (event.type === "reconnected") return;
}

async function clip(text: string, voice?: string): Promise<Buffer> {
  return Buffer.from((await client.tts(text, { voice })).audio);
}

async function errorOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

test("a timed clip matches the clip", async () => {
  const text = `\n🙂 ${TEXT}`;
  const whole = await clip(text, "Arjun");
  const timed = await client.ttsTimed(text, { voice: "Arjun" });
  expect(Buffer.from(timed.audio)).toEqual(whole);
  expect(timed.info.contentType).toBe("audio/L16; rate=24000; channels=1");
  expect(timed.words.map((word) => text.slice(word.charStart, word.charEnd))).toEqual(
    timed.words.map((word) => word.text),
  );
  expect(timed.words.map((word) => word.text)).toEqual(TEXT.split(" ").filter((word) => /\p{L}|\d/u.test(word)));
  const stream = await client.ttsTimedStream(text, { voice: "Arjun" });
  const pieces: Uint8Array[] = [];
  for await (const piece of stream) pieces.push(piece.data);
  expect(Buffer.concat(pieces)).toEqual(whole);
  expect(pieces.length).toBeGreaterThan(10);
  expect(await errorOf(client.ttsTimed(text, { voice: "nobody" }))).toBeInstanceOf(shruti.InvalidRequestError);
});

test("a clip streams, has its properties, and ends when its consumer stops", async () => {
  const stream = await client.ttsStream(TEXT, { voice: "Arjun", outputFormat: "wav_24000" });
  expect(stream.info).toMatchObject({ voice: "Arjun", language: "hi", chars: [...TEXT].length, encoding: "pcm_s16le" });
  expect(stream.info.ttfaMs).toBeGreaterThan(0);
  const bytes = Buffer.from(await stream.bytes());
  expect(bytes.subarray(0, 4).toString()).toBe("RIFF");
  expect(bytes.subarray(-1000)).toEqual((await clip(TEXT, "Arjun")).subarray(-1000));
  for await (const chunk of await client.ttsStream(LONG)) {
    expect(chunk.length).toBeGreaterThan(0);
    break;
  }
});

test("an abort signal ends a clip, a conversation and a turn", async () => {
  const reason = new Error("enough");
  expect(await errorOf(client.tts(LONG, { signal: AbortSignal.abort(reason) }))).toBe(reason);
  const clips = new AbortController();
  const stream = await client.ttsStream(LONG, { signal: clips.signal });
  clips.abort(reason);
  expect(await errorOf(stream.bytes())).toBe(reason);
  expect(await errorOf(client.connect({ signal: AbortSignal.abort(reason) }))).toBe(reason);
  const [talk, turns] = [new AbortController(), new AbortController()];
  const session = await client.connect({ signal: talk.signal });
  const turn = session.say(LONG, { signal: turns.signal });
  await firstSound(turn);
  turns.abort(reason);
  expect(await errorOf(heard(turn))).toBe(reason);
  expect(turn.outcome?.type).toBe("cancelled");
  talk.abort();
  for await (const event of session) expect(event.type).not.toBe("audio");
  expect(() => session.say(TEXT)).toThrow(shruti.ConversationEndedError);
});

test("a turn in chunks, even split inside characters, matches the clip", async () => {
  await using session = await client.connect({ maxLeadMs: 0 });
  const units = Array.from({ length: TEXT.length }, (_, at) => TEXT.charAt(at));
  const turn = session.say(units);
  const chunks: Uint8Array[] = [];
  const words: shruti.Word[] = [];
  for await (const event of turn) {
    if (event.type === "words") {
      expect(event.words[0]?.startMs).toBeGreaterThanOrEqual(Math.floor(Buffer.concat(chunks).length / 48));
      words.push(...event.words);
    } else if (event.type === "audio") chunks.push(event.data);
  }
  expect(Buffer.concat(chunks).equals(await clip(TEXT))).toBe(true);
  expect(words.map((word) => TEXT.slice(word.charStart, word.charEnd))).toEqual(words.map((word) => word.text));
  expect(words.at(-1)?.text).toBe("हूँ?");
  expect(turn.outcome).toMatchObject({ type: "done", chars: [...TEXT].length });
  expect(turn.text).toBe(TEXT);
});

test("text of any length is split into messages", async () => {
  await using session = await client.connect({ maxLeadMs: 0 });
  const text = "ठीक है। ".repeat(1000);
  const turn = session.say(text);
  await firstSound(turn);
  const cut = await turn.cancel();
  expect(cut.heard.text + cut.unheardText).toBe(text);
});

test("an interruption returns the heard text, and the next turn is complete", async () => {
  await using session = await client.connect({ voice: "Arjun", maxLeadMs: 0 });
  const turn = session.say(LONG);
  await firstSound(turn, 1000);
  const cut = await session.interrupt(700);
  expect(cut).toMatchObject({ turnId: turn.turnId, state: "cancelled", heard: { basis: "played_ms" } });
  expect(cut.heard.ms).toBeLessThanOrEqual(700);
  expect(cut.heard.text).not.toBe("");
  expect(cut.heard.text + cut.unheardText).toBe(LONG);
  expect(turn.outcome).toEqual(cut);
  expect(await turn.nextEvent()).toBeUndefined();
  expect((await heard(session.say(TEXT))).equals(await clip(TEXT, "Arjun"))).toBe(true);
});

test("a lexicon applies to its turn", async () => {
  await using session = await client.connect();
  const spoken: (string | undefined)[] = [];
  for await (const event of session.say("AIIMS में", { lexicon: { AIIMS: "एम्स" } })) {
    if (event.type === "words") spoken.push(...event.words.map((word) => word.spoken));
  }
  expect(spoken).toContain("एम्स");
});

test("an error of the text source ends its turn and is thrown; a waiting source is released", async () => {
  await using session = await client.connect();
  const broken = session.say(
    (function* () {
      yield "ठीक है। ";
      throw new Error("the model broke");
    })(),
  );
  expect(await errorOf(heard(broken))).toMatchObject({ message: "the model broke" });
  expect(broken.outcome?.type).toBe("done");
  let returned = false;
  const endless: AsyncIterable<string> = {
    [Symbol.asyncIterator]: () => ({
      next: () => new Promise(() => undefined),
      return: () => {
        returned = true;
        return Promise.resolve({ done: true, value: undefined });
      },
    }),
  };
  const waits = session.say(endless);
  await session.interrupt();
  await soon();
  expect(returned).toBe(true);
  expect(waits.outcome?.type).toBe("cancelled");
});

test("leaving a block early stops all work", async () => {
  await using session = await client.connect();
  let left: Turn;
  {
    await using turn = session.turn();
    left = turn;
    turn.send(LONG);
    await firstSound(turn);
  }
  expect(left.outcome?.type).toBe("cancelled");
});

test("a listener of a later turn is not delayed by earlier turns, and buffers are bounded", async () => {
  await using session = await client.connect({ maxLeadMs: 0 });
  for (let turn = 0; turn < 3; turn += 1) session.say(LONG);
  expect((await heard(session.say(TEXT))).equals(await clip(TEXT))).toBe(true);
  expect(session.waitingEvents).toBeLessThanOrEqual(256);
});

test.each([1, 2])("five hundred random cancels keep the contract, seed %i", { timeout: 60_000 }, async (seed) => {
  const { below, odds, of } = chance(seed);
  const texts = [TEXT, LONG, "ठीक है।", "**bold** and <b>tags</b> 😀 are silent, the rest is not.", "வணக்கம், நன்றி!"];
  await using session = await client.connect();
  for (let round = 0; round < 500; round += 1) {
    const text = of(texts);
    const turn = session.turn({ preempt: odds(0.1) });
    for (let at = 0; at < text.length;) {
      const size = 1 + below(text.length);
      turn.send(text.slice(at, at + size), { final: at + size >= text.length });
      at += size;
      if (odds(0.1)) break;
    }
    const sent = turn.text;
    if (odds(0.5)) await pause(below(10));
    if (sent === text && odds(0.3)) for await (const event of turn) if (event.type === "started") break;
    const playedMs = odds(0.5) ? undefined : below(3000);
    if (odds(0.5)) {
      const cut = await turn.cancel(playedMs);
      expect(cut.turnId).toBe(turn.turnId);
      expect(cut.heard.text + cut.unheardText).toBe(sent);
      expect(cut.heard.ms).toBeLessThanOrEqual(cut.sentMs);
    } else {
      const cut = await session.interrupt(playedMs);
      expect(cut.turnId).toBeDefined();
      if (cut.turnId === turn.turnId) expect(cut.heard.text + cut.unheardText).toBe(sent);
      expect(cut.heard.ms).toBeLessThanOrEqual(cut.sentMs);
    }
    expect(turn.outcome).toBeDefined();
    // after a cancel, the turn has no more audio events
    for (let event = await turn.nextEvent(); event; event = await turn.nextEvent()) {
      expect(["done", "cancelled", "flushed"]).toContain(event.type);
    }
  }
});

test("a server is killed during a turn", async () => {
  const own = await Server.start();
  await using session = await new Client({ baseUrl: own.url, apiKey: own.key }).connect();
  const turn = session.say(LONG);
  await firstSound(turn);
  await own.kill();
  expect(await errorOf(heard(turn))).toBeInstanceOf(shruti.ConnectionLostError);
  expect(turn.outcome?.type).toBe("lost");
  const again = await own.again();
  try {
    await reconnected(session);
    // the audio of the lost turn must not precede the new audio
    expect((await heard(session.say(TEXT))).equals(await clip(TEXT))).toBe(true);
  } finally {
    await again.stop();
  }
});

test("a stalled network ends the connection", async () => {
  await using relay = await Relay.to(server.port);
  const impatient = new BaseClient(
    { baseUrl: relay.url, apiKey: server.key },
    {
      openSocket: openNodeSocket,
      defaultUrl: () => "",
      defaultKey: () => undefined,
      patience: { speakingMs: 300, idleMs: 300, answerMs: 300 },
    },
  );
  await using session = await impatient.connect({ maxLeadMs: 0 });
  const turn = session.say(LONG);
  await firstSound(turn);
  relay.stall();
  expect(await errorOf(heard(turn))).toBeInstanceOf(shruti.ConnectionLostError);
  relay.flow();
  expect((await heard(session.say(TEXT))).equals(await clip(TEXT))).toBe(true);
  expect(relay.connections).toBeGreaterThanOrEqual(2);
});

test("an interruption on a lost connection does not hang", async () => {
  await using relay = await Relay.to(server.port);
  await using session = await new Client({ baseUrl: relay.url, apiKey: server.key }).connect({ maxLeadMs: 0 });
  const turn = session.say(LONG);
  await firstSound(turn);
  relay.cut();
  const cut = await session.interrupt().catch((error: unknown) => error);
  if (cut instanceof Error) expect(cut).toBeInstanceOf(shruti.ConnectionLostError);
  else expect(cut).toMatchObject({ turnId: undefined });
  expect(turn.outcome?.type).toBe("lost");
  expect((await heard(session.say(TEXT))).equals(await clip(TEXT))).toBe(true);
});

describe("a server during its shutdown", () => {
  let old: Server;
  let next: Server;
  let relay: Relay;
  let session: Session;
  beforeEach(async () => {
    [old, next] = await startTwo();
    relay = await Relay.to(old.port);
    session = await new Client({ baseUrl: relay.url, apiKey: old.key }).connect({ voice: "Arjun" });
    relay.farPort = next.port;
  });
  afterEach(async () => {
    await session.close();
    await relay[Symbol.asyncDispose]();
    await Promise.all([old.stop(), next.stop()]);
  });

  test("completes its turn, and another server speaks the next", async () => {
    const speaking = session.say(LONG.slice(0, 80));
    const queued = session.say(TEXT, { maxLeadMs: 0 });
    const begun = session.turn({ maxLeadMs: 0 });
    begun.send(TEXT.slice(0, 10));
    await firstSound(speaking);
    const drained = old.drain();
    begun.send(TEXT.slice(10), { final: true });
    await heard(speaking);
    expect(speaking.outcome?.type).toBe("done");
    const whole = await clip(TEXT, "Arjun");
    expect((await heard(queued)).equals(whole)).toBe(true);
    expect((await heard(begun)).equals(whole)).toBe(true);
    expect(relay.connections).toBe(2);
    await drained;
  });

  test("that receives a turn at its end is followed by another, which speaks it", async () => {
    await heard(session.say("ठीक है।"));
    relay.stall();
    const turn = session.say(TEXT, { maxLeadMs: 0 });
    await old.drain();
    relay.flow();
    expect((await heard(turn)).equals(await clip(TEXT, "Arjun"))).toBe(true);
    await reconnected(session);
  });

  test("is left if no turn is open", async () => {
    const drained = old.drain();
    await reconnected(session);
    expect((await heard(session.say("ठीक है।"))).equals(await clip("ठीक है।", "Arjun"))).toBe(true);
    await drained;
  });

  test("leaves the rest of a closing conversation to another server", async () => {
    const turns = [LONG.slice(0, 80), "ठीक है।", "जी।"].map((text) => session.say(text));
    const done: string[] = [];
    for await (const event of session) {
      if (event.type === "started" && event.turnId === turns[0]?.turnId) {
        session.finish();
        void old.drain();
      }
      if (event.type === "done") done.push(event.turnId);
    }
    expect(done).toEqual(turns.map((turn) => turn.turnId));
  });
});

test("revoking a key during a turn ends the conversation", async () => {
  const key = server.keys("create", "--name", "rotated");
  await using session = await new Client({ baseUrl: server.url, apiKey: key }).connect();
  const turn = session.say(LONG);
  await firstSound(turn);
  server.keys("revoke", key.slice(0, 11));
  expect(await errorOf(heard(turn))).toMatchObject({ name: "AuthenticationError", code: "revoked_api_key" });
  expect(await errorOf(reconnected(session))).toMatchObject({ code: "revoked_api_key", retryable: false });
  expect(() => session.say(TEXT)).toThrow(shruti.AuthenticationError);
});

test("the next connection can use another key", async () => {
  const keys = [server.keys("create", "--name", "old"), server.keys("create", "--name", "new")];
  const left = [...keys];
  await using relay = await Relay.to(server.port);
  await using session = await new Client({ baseUrl: relay.url, apiKey: () => left.shift() ?? "" }).connect();
  server.keys("revoke", keys[0]?.slice(0, 11) ?? "");
  relay.cut();
  await reconnected(session);
  expect((await heard(session.say("ठीक है।"))).length).toBeGreaterThan(0);
});

test("tokens open one conversation each", async () => {
  const tokens: string[] = [];
  const fetchToken = async () => {
    const { token } = await client.createToken();
    tokens.push(token);
    return token;
  };
  await using relay = await Relay.to(server.port);
  {
    await using session = await new Client({ baseUrl: relay.url, token: fetchToken }).connect();
    relay.cut();
    await reconnected(session);
    expect((await heard(session.say("ठीक है।"))).length).toBeGreaterThan(0);
  }
  expect(new Set(tokens).size).toBe(2);
  const late = new Client({ baseUrl: server.url, token: () => tokens[0] ?? "" });
  expect(await errorOf(late.connect())).toMatchObject({ code: "invalid_token", status: 401 });
  expect(await errorOf(late.tts(TEXT))).toMatchObject({ code: "invalid_token", status: 401 });
});

test("rejections contain the reason", async () => {
  const wrong = new Client({ baseUrl: server.url, apiKey: "sk_wrong" });
  const refused = await errorOf(wrong.connect());
  expect(refused).toMatchObject({ name: "AuthenticationError", code: "invalid_api_key", status: 401 });
  expect((refused as shruti.APIError).requestId).toMatch(/^req_/);
  const nobody = new Client({ baseUrl: "http://127.0.0.1:9", apiKey: "sk_wrong" });
  expect(await errorOf(nobody.connect())).toBeInstanceOf(shruti.ConnectionFailedError);
  await using session = await client.connect();
  const fine = session.say(LONG, { voice: "Arjun" });
  const other = session.say("क्या", { language: "hi", voice: "nobody" });
  expect(await errorOf(heard(other))).toMatchObject({ code: "unknown_voice", param: "voice" });
  expect(fine.outcome).toBeUndefined();
  await fine.cancel();
  session.finish();
  expect(await session.nextEvent()).toBeUndefined();
  expect(() => session.say(TEXT)).toThrow(shruti.ConversationEndedError);
});

test("a rejection ends only its turn", async () => {
  await using session = await client.connect({ maxLeadMs: 0 });
  await heard(session.say("हाँ।"));
  // an error about the settings of the conversation that arrives before a turn begins does not end the turn
  session.configure({ speed: 9 });
  expect((await heard(session.say(TEXT, { speed: 1 }))).equals(await clip(TEXT))).toBe(true);
  for (const turnId of ["", "x".repeat(65), "a\nb"]) expect(() => session.turn({ turnId })).toThrow("64 characters");
  expect((await heard(session.say("हाँ।", { turnId: "😀".repeat(64) }))).length).toBeGreaterThan(0);
  const pieces = session.say(["एक, ", "दो, ", "तीन।"], { voice: "nobody" });
  const alone = session.say("शून्य \0 है।");
  expect(await errorOf(heard(pieces))).toMatchObject({ code: "unknown_voice", param: "voice" });
  expect(await errorOf(heard(alone))).toMatchObject({ code: "invalid_field", param: "text" });
  expect((await heard(session.say(TEXT))).equals(await clip(TEXT))).toBe(true);
  session.finish();
  for await (const event of session) expect(event.type).not.toMatch(/started|words|audio/);
});

test("a conversation with invalid settings ends", async () => {
  await using session = await client.connect({ voice: "nobody" });
  expect(await errorOf(heard(session.say(TEXT)))).toBeInstanceOf(shruti.InvalidRequestError);
});

test("conversations leave no socket and no timer", async () => {
  const resources = () =>
    process.getActiveResourcesInfo().filter((kind) => /^(TCP|TLS|Timeout|Immediate)/.test(kind)).length;
  const talk = async (ends: boolean) => {
    const session = await client.connect();
    const turn = session.say(LONG);
    await firstSound(turn);
    if (ends) {
      await session.interrupt();
      session.finish();
      for await (const event of session) expect(event.type).not.toBe("audio");
    }
    await session.close();
  };
  await talk(true);
  const before = resources();
  for (let round = 0; round < 20; round += 1) await talk(round % 2 === 0);
  // the event loop notifies closed sockets only in its next iterations
  for (let round = 0; round < 5; round += 1) await soon();
  expect(resources()).toBeLessThanOrEqual(before);
});

test("closing while a caller waits", async () => {
  const session = await client.connect();
  const turn = session.turn();
  turn.send("अधूरा");
  const waiting = Promise.allSettled([turn.nextEvent(), session.interrupt()]);
  await session.close();
  for (const ended of await waiting) {
    if (ended.status === "rejected") expect(ended.reason).toBeInstanceOf(shruti.ShrutiError);
  }
});
