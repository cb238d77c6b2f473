// A long text into a file: spoken turn by turn over a conversation, across connections that are lost. A turn goes into the
// file when it has come whole, so what was lost of one is spoken again and nothing is in the file twice. A page keeps one
// turn in memory, and the words.

import { api, Failure } from "./api.js";
import { reason, PATH } from "./conversation.js";
import { Cues, subRip, webVtt } from "./cues.js";
import { joined } from "./ogg-join.js";
import { joinOf } from "./joined-formats.js";
import { turns } from "./turn-cutter.js";

const CONNECT_MS = 15_000;
const SILENCE_MS = 60_000; // after which the server is gone: it pings every 20 s, but pages do not see that
const DELAYS = [100, 5_000]; // the first and the longest between attempts, where the server names none
const PATIENCE_MS = 600_000;
const MESSAGE = 4_000; // characters of a message; SSML goes in several
const UNSPOKEN = 12_000; // characters that may be sent before words of them sound: the server holds 20,000
const UNHEARD_MS = 4_000; // then what was sent is taken for text without words, and flushed
// What waiting mends; and closes of a connection but for these are mended by another one.
const PASSING = new Set(["unreachable", "no_answer", "refused", "rate_limited", "concurrency_limited", "overloaded", "draining", "internal"]);
const FOR_GOOD = new Set([1002, 1003, 1007, 1009, 4400, 4401, 4402, 4403, 4410]);

const pause = (ms, signal) => new Promise((resolve) => {
  const timer = setTimeout(resolve, ms);
  signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
});

// Dispatches "progress" ({characters, ms}: of the text and of the sound, so far) and "waiting" (a `Failure`, when it is
// interrupted and will go on; null when it does).
export class LongText extends EventTarget {
  #turns;
  #next;
  #join;
  #sink;
  #settings;
  #connection = null;
  #stop = null;
  #began = false;
  #number = 0;
  #language = null;
  #cues = new Cues();
  characters = 0;
  ms = 0;
  done = false;

  // `settings`: as the playground has them; `format`: a name as `output_format` takes it; `sink`: where the file goes.
  constructor(text, settings, format, sink) {
    super();
    this.#turns = turns(text);
    this.#next = this.#turns.next();
    this.#join = joinOf(format);
    this.#settings = settings;
    this.#sink = sink;
  }

  // Speaks on from where it is, to the end, until `stop` or until a `Failure` that waiting does not mend; it may be called again then.
  async run() {
    this.#stop = new AbortController();
    const { signal } = this.#stop;
    try {
      if (!this.#began) await this.#append(this.#join.begin());
      this.#began = true;
      while (!this.#next.done && !signal.aborted) {
        const turn = this.#next.value;
        const spoken = await this.#speak(turn, signal);
        if (!spoken) break;
        await this.#take(turn, spoken);
        this.#next = this.#turns.next();
      }
      this.done = this.#next.done;
    } finally {
      this.#connection?.close();
      this.#connection = null;
    }
  }

  stop() {
    this.#stop?.abort();
  }

  // Completes the file as far as it has come, and gives it.
  async file() {
    const { bytes, first } = this.#join.finish();
    await this.#append(bytes);
    return this.#sink.finish(first);
  }

  // Files of subtitles for it: {label, ending, blob}; none where the voice tells no words.
  subtitles() {
    const cues = this.#cues.finish();
    if (cues.length === 0) return [];
    return [
      { label: "Subtitles, WebVTT", ending: "vtt", blob: new Blob([webVtt(cues)], { type: "text/vtt" }) },
      { label: "Subtitles, SubRip", ending: "srt", blob: new Blob([subRip(cues)], { type: "application/x-subrip" }) },
    ];
  }

  async #append(bytes) {
    if (bytes?.length) await this.#sink.append(bytes);
  }

  // A turn's sound, words and length; null where it was stopped.
  async #speak({ text }, signal) {
    let [delay, since] = [DELAYS[0], null];
    for (;;) {
      try {
        this.#connection ??= await Connection.open(this.#join.asked, signal);
        this.#number += 1;
        const language = this.#settings.language ?? this.#language;
        const spoken = await this.#connection.speak(`part-${this.#number}`, text, { ...this.#settings, ...(language ? { language } : {}) });
        if (since !== null) this.#tell("waiting", null);
        return spoken;
      } catch (failure) {
        this.#connection?.close();
        this.#connection = null;
        if (signal.aborted) return null;
        since ??= Date.now();
        const wait = failure.retryAfterMs ?? delay * (0.5 + Math.random() / 2);
        const passes = failure instanceof Failure && (PASSING.has(failure.code) || failure.passes);
        if (!passes || Date.now() + wait > since + PATIENCE_MS) throw failure;
        this.#tell("waiting", failure);
        delay = Math.min(2 * delay, DELAYS[1]);
        await pause(wait, signal);
        if (signal.aborted) return null;
      }
    }
  }

  async #take({ text, at }, { sound, words, audioMs, language }) {
    // the language of the first turn is that of all, but for English, for which romanised words of others are taken, too
    if (this.characters === 0 && language !== "en" && !text.startsWith("<speak")) this.#language = language;
    const { ms, bytes } = this.#join.add(sound);
    await this.#append(bytes);
    for (const word of words) {
      this.#cues.push({ ...word, start_ms: ms + word.start_ms, end_ms: ms + word.end_ms, char_start: at + word.char_start, char_end: at + word.char_end });
    }
    let characters = 0;
    for (const _scalar of text) characters += 1;
    this.characters = at + characters;
    this.ms += audioMs;
    this.#tell("progress", { characters: this.characters, ms: this.ms });
  }

  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

// One connection, which speaks a turn at a time, as fast as it is read.
class Connection {
  #socket;
  #turn = null; // {resolve, reject, sound, words, name}
  #trouble = null;
  #ended = null; // why it is over
  #silence = null;
  #unheard = null;

  // Fetches a token, connects and waits for `ready`. Throws a `Failure`.
  static async open(format, signal) {
    const address = new URL(PATH, location.href);
    address.protocol = address.protocol.replace("http", "ws");
    const socket = new WebSocket(address, ["tts.v1", `token.${await api.token()}`]);
    socket.binaryType = "arraybuffer";
    const ready = new Promise((resolve, reject) => {
      socket.onmessage = resolve;
      socket.onclose = reject;
      signal.addEventListener("abort", reject, { once: true });
      setTimeout(reject, CONNECT_MS);
    });
    try {
      await ready;
    } catch {
      socket.onclose = null;
      socket.close();
      throw (await reason()) ?? new Failure("The conversation did not open.", { code: "refused" });
    }
    return new Connection(socket, format, signal);
  }

  constructor(socket, format, signal) {
    this.#socket = socket;
    socket.onmessage = ({ data }) => this.#receive(data);
    socket.onclose = ({ code, reason: why }) => this.#closed(code, why);
    signal.addEventListener("abort", () => this.close(), { once: true });
    this.#send({ type: "config", output_format: format, max_lead_ms: 0 });
  }

  close() {
    this.#socket.close(1000);
    this.#fail(new Failure("It was stopped.", { code: "stopped" }));
  }

  speak(name, text, settings) {
    if (this.#ended) return Promise.reject(this.#ended);
    return new Promise((resolve, reject) => {
      this.#turn = { name, settings, resolve, reject, characters: Array.from(text), sent: 0, marked: 0, sound: [], words: [], language: null };
      this.#more();
      this.#hears();
    });
  }

  // Sends as much of the turn's text as may wait to be spoken.
  #more() {
    const turn = this.#turn;
    while (turn && turn.sent < turn.characters.length && turn.sent - turn.marked < UNSPOKEN) {
      const [from, to] = [turn.sent, turn.sent + MESSAGE];
      turn.sent = Math.min(to, turn.characters.length);
      const text = turn.characters.slice(from, to).join("");
      this.#send({ type: "text", text, turn_id: turn.name, final: turn.sent === turn.characters.length, ...(from === 0 ? turn.settings : {}) });
    }
  }

  #send(message) {
    this.#socket.send(JSON.stringify(message));
  }

  // Whoever says nothing for long is gone.
  #hears() {
    clearTimeout(this.#silence);
    clearTimeout(this.#unheard);
    const turn = this.#turn;
    if (!turn) return;
    if (turn.sent < turn.characters.length) this.#unheard = setTimeout(() => this.#send({ type: "flush", turn_id: turn.name, id: `${turn.sent}` }), UNHEARD_MS);
    this.#silence = setTimeout(() => {
      this.#fail(new Failure("The server has not answered for a minute.", { code: "no_answer" }));
      this.#socket.close();
    }, SILENCE_MS);
  }

  #receive(data) {
    this.#hears();
    const turn = this.#turn;
    if (typeof data !== "string") {
      turn?.sound.push(new Uint8Array(data));
      return;
    }
    const message = JSON.parse(data);
    if (message.type === "error" && message.scope === "session") this.#trouble = Failure.from(message.error);
    if (!turn) return;
    if (message.type === "error" && message.scope === "message") this.#fail(Failure.from(message.error));
    else if (message.type === "turn.started") turn.language = message.language;
    else if (message.type === "words") {
      turn.words.push(...message.words);
      turn.marked = message.words.at(-1).char_end;
      this.#more();
    } else if (message.type === "flushed") {
      turn.marked = Math.max(turn.marked, Number(message.id));
      this.#more();
    }
    else if (message.type === "turn.failed") this.#fail(Failure.from(message.error));
    else if (message.type === "turn.done" && message.turn_id === turn.name) {
      this.#turn = null;
      this.#hears();
      turn.resolve({ sound: joined(turn.sound), words: turn.words, audioMs: message.audio_ms, language: turn.language });
    }
  }

  #closed(code, why) {
    const said = new Failure(`The connection to the server ended (${code}).`, { code: why.split(" ")[0] || `closed_${code}` });
    said.passes = !FOR_GOOD.has(code);
    this.#ended = this.#trouble ?? said;
    this.#fail(this.#ended);
  }

  #fail(failure) {
    const turn = this.#turn;
    this.#turn = null;
    this.#hears();
    turn?.reject(failure);
  }
}
