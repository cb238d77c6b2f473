// Speaks a long text into a file. The text is spoken turn by turn in a conversation. If the connection is lost, another
// conversation continues the work. A turn is added to the file when all of its audio has arrived. An interrupted turn
// can therefore be spoken again without any part being in the file twice. The page keeps one turn and the words in
// memory.

import { Cues, splitIntoTurns, subRip, webVtt } from "@shruti/client";
import { Failure } from "./api.js";
import { connect, failureOf } from "./client.js";
import { joinOf } from "./joined-formats.js";
import { characterCount } from "./length.js";
import { joined } from "./ogg-join.js";

const DELAYS = [100, 5_000]; // initial and longest pause between attempts, in ms, if the server specifies none
const PATIENCE_MS = 600_000;
const MESSAGE = 4_000; // maximum length of a message, in UTF-16 units; SSML is sent in several messages
const UNSPOKEN = 12_000; // maximum number of units sent ahead of the spoken words: the server holds 20,000 characters
const UNHEARD_MS = 4_000; // after this time without an event, the sent text is assumed to contain no words, and is flushed
// Codes of temporary errors, in addition to lost connections.
const PASSING = new Set(["unreachable", "no_answer", "refused", "rate_limited", "concurrency_limited", "overloaded", "draining", "internal"]);

const pause = (ms, signal) => new Promise((resolve) => {
  const timer = setTimeout(resolve, ms);
  signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
});

// Dispatches "progress", with the length of the text and of the audio so far as detail ({characters, ms}), and
// "waiting", with a `Failure` as detail when synthesis is interrupted and will continue, and null when it continues.
export class LongText extends EventTarget {
  #text;
  #turns;
  #next;
  #reached = 0; // end of the last turn in the file, in UTF-16 units
  #join;
  #sink;
  #settings;
  #session = null;
  #stop = null;
  #began = false;
  #number = 0;
  #language = null;
  #words = new Cues();
  #cues = [];
  characters = 0;
  ms = 0;
  done = false;

  // `settings` are those of the playground, `format` is a name for `output_format`, and `sink` receives the file.
  constructor(text, settings, format, sink) {
    super();
    this.#text = text;
    this.#turns = splitIntoTurns(text);
    this.#next = this.#turns.next();
    this.#join = joinOf(format);
    this.#settings = settings;
    this.#sink = sink;
  }

  // Speaks from the current position until the end of the text, until `stop` is called, or until a permanent `Failure`.
  // In the last two cases, `run` may be called again to continue.
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
      this.#leave();
    }
  }

  stop() {
    this.#stop?.abort();
  }

  // Completes the file with the turns so far and returns it.
  async file() {
    const { bytes, first } = this.#join.finish();
    await this.#append(bytes);
    return this.#sink.finish(first);
  }

  // Returns the subtitle files: {label, ending, blob}. There are none if the voice has no word timestamps.
  subtitles() {
    this.#cues.push(...this.#words.finish());
    const cues = this.#cues;
    if (cues.length === 0) return [];
    return [
      { label: "Subtitles, WebVTT", ending: "vtt", blob: new Blob([webVtt(cues)], { type: "text/vtt" }) },
      { label: "Subtitles, SubRip", ending: "srt", blob: new Blob([subRip(cues)], { type: "application/x-subrip" }) },
    ];
  }

  async #append(bytes) {
    if (bytes?.length) await this.#sink.append(bytes);
  }

  // Returns the audio, words and length of a turn; null if `stop` was called.
  async #speak({ text }, signal) {
    let [delay, since] = [DELAYS[0], null];
    for (;;) {
      try {
        this.#session ??= await connect({ outputFormat: this.#join.asked, maxLeadMs: 0, signal });
        this.#number += 1;
        const language = this.#settings.language ?? this.#language;
        const turn = this.#session.turn({ ...this.#settings, ...(language ? { language } : {}), turnId: `part-${this.#number}` });
        const spoken = await speak(turn, text);
        if (since !== null) this.#tell("waiting", null);
        return spoken;
      } catch (error) {
        const failure = failureOf(error, this.#session);
        this.#leave();
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

  // Ends the conversation. The next turn opens another conversation.
  #leave() {
    this.#session?.close();
    this.#session = null;
  }

  async #take({ text, start }, { sound, words, audioMs, language }) {
    // use the language of the first turn for all turns, unless it is English, which is also detected for romanised
    // words
    if (this.characters === 0 && language !== "en" && !text.startsWith("<speak")) this.#language = language;
    const { ms, bytes } = this.#join.add(sound);
    await this.#append(bytes);
    for (const word of words) {
      const moved = { startMs: ms + word.startMs, endMs: ms + word.endMs, charStart: start + word.charStart, charEnd: start + word.charEnd };
      this.#cues.push(...this.#words.push({ ...word, ...moved }));
    }
    const end = start + text.length;
    this.characters += characterCount(this.#text.slice(this.#reached, end));
    this.#reached = end;
    this.ms += audioMs;
    this.#tell("progress", { characters: this.characters, ms: this.ms });
  }

  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

// Speaks a turn as fast as the audio is received, and returns {sound, words, audioMs, language}.
async function speak(turn, text) {
  const [sound, words] = [[], []];
  const flushes = []; // for each unanswered flush, the number of units sent before it
  let [sent, marked, language, unheard] = [0, 0, null, null];
  // sends more text, but at most `UNSPOKEN` units ahead of the spoken words
  const sendMore = () => {
    while (sent < text.length && sent - marked < UNSPOKEN) {
      const piece = text.slice(sent, sent + MESSAGE);
      sent += piece.length;
      turn.send(piece, { final: sent === text.length });
    }
  };
  const flush = () => {
    flushes.push(sent);
    turn.flush();
  };
  const wait = () => {
    clearTimeout(unheard);
    if (sent < text.length) unheard = setTimeout(flush, UNHEARD_MS);
  };
  sendMore();
  wait();
  try {
    for await (const event of turn) {
      wait();
      if (event.type === "audio") sound.push(event.data);
      else if (event.type === "started") language = event.language;
      else if (event.type === "words") {
        words.push(...event.words);
        marked = event.words.at(-1).charEnd;
        sendMore();
      } else if (event.type === "flushed") {
        marked = Math.max(marked, flushes.shift());
        sendMore();
      } else if (event.type === "rejected") throw event.error;
      else if (event.type === "done") return { sound: joined(sound), words, audioMs: event.audioMs, language };
    }
  } finally {
    clearTimeout(unheard);
  }
  throw new Failure("The turn ended early.", { code: "stopped" });
}
