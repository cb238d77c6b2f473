// Scenarios for every client. Each scenario gets a stage: `open()` returns a conversation that is ready, `post(body)`
// returns the samples of POST /v1/tts, `players(samples)` returns the length of samples according to each player, and
// `texts` contains a sentence in each language.

import { check, pause, same, soundMs } from "./conversation.mjs";

const LONG = "यह एक लंबा जवाब है, जिसे कोई बीच में काट देगा। इसमें कई वाक्य हैं, और हर वाक्य में कुछ शब्द। ".repeat(4);
const SHORT = "ठीक है, मैं अभी आपका ऑर्डर देखती हूँ।";

// Splits a text after every `size` characters: inside words, numbers and aksharas.
function pieces(text, size) {
  const chars = [...text];
  return Array.from({ length: Math.ceil(chars.length / size) }, (_, n) => chars.slice(n * size, (n + 1) * size).join(""));
}

// Returns the order in which turns began.
const starts = ({ messages }) => messages.filter(({ type }) => type === "turn.started").map(({ turn_id }) => turn_id).join();

export const scenarios = {
  async "ready reports the settings"({ open }) {
    const { ready, ...talk } = await open();
    check(ready.protocol === "tts.v1" && ready.session_id.startsWith("req_"), "protocol and session");
    check(JSON.stringify(ready.audio) === '{"encoding":"pcm_s16le","sample_rate":24000,"channels":1}', "audio");
    check(ready.config.voice === "Ananya" && ready.config.max_lead_ms === 3000, "config");
    check(ready.limits.max_message_chars === 5000 && ready.limits.max_queued_turns === 8, "limits");
    talk.socket.close();
  },

  async "one turn in one message"({ open, post }) {
    const talk = await open();
    talk.say({ text: SHORT, turn_id: "a", final: true, voice: "Arjun" });
    const { end } = await talk.ended("a");
    const started = await talk.message("turn.started");
    check(started.voice === "Arjun" && started.language === "hi", "voice and language");
    check(end.reason === "complete" && end.chars === [...SHORT].length && end.ttfa_ms >= 0, "the end's figures");
    check(same(talk.clip("a"), await post({ text: SHORT, voice: "Arjun" })), "other samples than POST /v1/tts");
    await talk.close();
  },

  async "chunked text has the same audio"({ open, post, texts }) {
    const talk = await open();
    for (const [language, text] of Object.entries(texts)) {
      const alone = await post({ text });
      for (const size of [1, 3, 7]) {
        const name = `${language} by ${size}`;
        for (const piece of pieces(text, size)) talk.say({ text: piece, turn_id: name, max_lead_ms: 0 });
        talk.say({ type: "end", turn_id: name });
        await talk.ended(name);
        check(same(talk.clip(name), alone), `${name}: other samples than POST /v1/tts`);
      }
    }
    await talk.close();
  },

  async "words precede their audio"({ open, texts }) {
    const talk = await open();
    for (const [language, text] of Object.entries(texts)) {
      talk.say({ text, turn_id: language, final: true, max_lead_ms: 0 });
      const { words, bytes } = await talk.ended(language);
      const covered = new Set();
      let last = 0;
      for (const { start_ms, end_ms, char_start, char_end } of words) {
        check(last <= start_ms && start_ms <= end_ms && end_ms <= soundMs(bytes) + 1, `${language}: times`);
        last = start_ms;
        for (let at = char_start; at < char_end; at += 1) covered.add(at);
      }
      const missed = [...text].filter((char, at) => /[\p{L}\p{N}]/u.test(char) && !covered.has(at));
      // only the spoken parts of Markdown and tags have word timestamps
      check(missed.join("").replaceAll("b", "") === "", `${language}: no mark for ${missed.join("")}`);
      check(words.some(({ text, spoken }) => text.includes("₹") && spoken), `${language}: money is expanded`);
    }
    await talk.close();
  },

  async "barge-in during a turn"({ open }) {
    const talk = await open();
    talk.say({ text: LONG, turn_id: "a", final: true });
    await talk.sounded("a", 24_000);
    talk.say({ type: "cancel", turn_id: "a", id: "c1" });
    talk.say({ text: SHORT, turn_id: "b" });
    const { end } = await talk.ended("a", "turn.cancelled");
    check(end.state === "cancelled" && end.heard.basis === "playhead" && end.unheard_text, "the answer");
    await talk.sounded("b", 48_000);
    talk.say({ type: "cancel", turn_id: "b", id: "c2", played_ms: 600 });
    const second = await talk.ended("b", "turn.cancelled");
    check(second.end.heard.ms === 600 && second.end.heard.basis === "played_ms", "a known position");
    check(second.end.heard.text.length > 0 && second.end.unheard_text.length > 0, "words were heard, and others not");
    for (const id of ["c3", "c4"]) talk.say({ type: "cancel", turn_id: "nobody", id });
    await talk.settle();
    check(talk.cancels.length === 0, "every cancel is answered");
    await talk.close();
  },

  async "cancel of a short turn after its end"({ open }) {
    const talk = await open();
    talk.say({ text: SHORT, turn_id: "a", final: true });
    const { bytes } = await talk.ended("a");
    await pause(500);
    talk.say({ type: "cancel", turn_id: "a", id: "late" });
    const { state, heard } = await talk.message("turn.cancelled");
    check(state === "already_done" && heard.basis === "playhead", state);
    check(heard.ms >= Math.min(450, soundMs(bytes)) && heard.text.length > 0, `heard only ${heard.ms} ms`);
    await talk.close();
  },

  async "a preempting turn"({ open, post }) {
    const talk = await open();
    talk.say({ text: LONG, turn_id: "live", final: true });
    await talk.sounded("live", 4_800);
    talk.say({ text: SHORT, turn_id: "waiting", final: true });
    talk.say({ text: "रुकिए।", turn_id: "urgent", final: true, preempt: true });
    const { end } = await talk.ended("live", "turn.cancelled");
    check(end.id === null, "no request had the ID");
    await talk.ended("waiting");
    check(starts(talk) === "live,urgent,waiting", `their order is ${starts(talk)}`);
    check(same(talk.clip("waiting"), await post({ text: SHORT })), "the waiting turn is whole");
    await talk.close();
  },

  async "queued turns"({ open, post }) {
    const talk = await open();
    const names = ["one", "two", "three"];
    const alone = await post({ text: SHORT });
    for (const turn_id of names) talk.say({ text: SHORT, turn_id, final: true, max_lead_ms: 0 });
    for (const name of names) {
      await talk.ended(name);
      check(same(talk.clip(name), alone), name);
    }
    check(starts(talk) === names.join(), `their order is ${starts(talk)}`);
    await talk.close();
  },

  async "flush"({ open }) {
    const talk = await open();
    talk.say({ text: "No end in sig", turn_id: "a" });
    talk.say({ type: "flush", turn_id: "a", id: "f" });
    const flushed = await talk.message("flushed");
    const turn = talk.turns.get("a");
    check(flushed.id === "f" && flushed.audio_ms > 0 && flushed.audio_ms === soundMs(turn.bytes), "what was flushed");
    check(turn.end === null, "the turn stays open");
    talk.say({ text: " and more", turn_id: "a", final: true });
    await talk.ended("a");
    check(soundMs(turn.bytes) > flushed.audio_ms, "more came");
    talk.say({ type: "flush", turn_id: "nobody", id: "g" });
    check((await talk.message("flushed")).audio_ms === 0, "an unknown turn");
    await talk.close();
  },

  async "config"({ open, post }) {
    const talk = await open();
    const settings = { voice: "Arjun", language: "hi", speed: 1.25, pitch: -2, lexicon: { AIIMS: "एम्स" } };
    talk.say({ type: "config", ...settings, timestamps: "none" });
    const answer = await talk.message("config");
    check(Object.keys(settings).every((key) => JSON.stringify(answer[key]) === JSON.stringify(settings[key])), "its answer");
    const text = "AIIMS में आपका स्वागत है।";
    talk.say({ text, turn_id: "a", final: true });
    const { words } = await talk.ended("a");
    check(words.length === 0, "no marks were wanted");
    check(same(talk.clip("a"), await post({ text, ...settings })), "other samples than POST /v1/tts");
    await talk.close();
  },

  async "ping"({ open }) {
    const talk = await open();
    talk.say({ type: "ping", id: "p" });
    check((await talk.message("pong")).id === "p", "its id");
    await talk.close();
  },

  async "malformed messages"({ open }) {
    const talk = await open();
    const mistakes = [["{", "invalid_json"], ["[]", "invalid_json"], ["{}", "missing_field"],
      ['{"type":"shout"}', "invalid_field"], ['{"text":"a","voice":"Nobody"}', "unknown_voice"]];
    for (const [message, code] of mistakes) {
      talk.sendText(message);
      const answer = await talk.message("error");
      check(answer.scope === "message" && answer.error.code === code, `${message}: ${answer.error.code}`);
    }
    talk.say({ text: SHORT, turn_id: "a", final: true });
    await talk.ended("a");
    await talk.close();
  },

  async "close drains"({ open }) {
    const talk = await open();
    talk.say({ text: SHORT, turn_id: "a", final: true });
    talk.say({ text: "और यह खुला है", turn_id: "b", max_lead_ms: 0 });
    await talk.close();
    for (const name of ["a", "b"]) await talk.ended(name);
  },

  async "players agree on the duration"({ open, players }) {
    const talk = await open();
    talk.say({ text: LONG, turn_id: "a", final: true, max_lead_ms: 0 });
    const { end } = await talk.ended("a");
    for (const [player, seconds] of Object.entries(await players(talk.clip("a")))) {
      check(Math.abs(seconds * 1000 - end.audio_ms) < 2, `${player} plays ${seconds} s, not ${end.audio_ms} ms`);
    }
    await talk.close();
  },
};

// Runs all scenarios on a stage and returns their results. Each result contains the logs of the scenario's
// conversations.
export async function perform(stage, more = {}) {
  const results = [];
  for (const [name, scenario] of Object.entries({ ...scenarios, ...more })) {
    const conversations = [];
    const open = async () => {
      const conversation = await stage.open();
      conversations.push(conversation);
      return conversation;
    };
    const begun = performance.now();
    let failure = null;
    try {
      await scenario({ ...stage, open });
      const broken = conversations.find(({ broken }) => broken);
      if (broken) throw broken.broken;
    } catch (error) {
      failure = `${error.message ?? error}`;
    }
    results.push({ name, failure, ms: Math.round(performance.now() - begun), log: conversations.map(({ log }) => log) });
  }
  return results;
}
