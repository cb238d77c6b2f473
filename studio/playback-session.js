// Speech for one listener: sends the text of each turn to a conversation and plays the audio. Dispatches "state"
// (detail: "idle", "connecting" or "speaking"). With the turn as detail, dispatches "begun", "started", "words" (also
// `words`), "audio" (also `samples`), "sent", "first-audio", "finished" and "interrupted". Dispatches "failed" with a
// `Failure`.

import { Failure } from "./api.js";
import { AudioOutput } from "./audio-output.js";
import { connect, failureOf } from "./client.js";
import { pieces } from "./token-stream.js";

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// State of a turn while it is spoken.
class Turn {
  spoken = null; // the `Turn` of the client; null until its first text is sent
  blocks = []; // samples of the turn
  words = [];
  connectedMs = null; // time to connect, in ms; null if a connection was open already
  sentAt = 0;
  firstAudioMs = null; // time from the first text sent to the first samples in the page, in ms
  serverFirstAudioMs = null;
  voice = null;
  language = null;
  sentUnits = 0; // number of UTF-16 units of the text that were sent
  sentWhole = false; // whether the server has sent all audio of the turn
  heard = null; // for an interrupted turn, the part that was heard: {ms, text, charEnd, unheard, answeredMs}

  constructor(id, text, settings) {
    this.id = id;
    this.text = text;
    this.settings = settings;
  }

  get audioMs() {
    return this.blocks.reduce((sum, block) => sum + block.length, 0) / 24;
  }
}

export class PlaybackSession extends EventTarget {
  #output = new AudioOutput();
  #closed = false;
  #session = null;
  #turn = null;
  #lastTurn = 0;

  constructor() {
    super();
    this.#output.addEventListener("ended", () => this.#end("finished"));
    this.#output.addEventListener("failed", ({ detail }) => this.#fail(this.#turn, detail));
  }

  get speaking() {
    return this.#turn !== null;
  }

  // Length of the turn's audio that has been heard, in milliseconds.
  get heardMs() {
    return this.#output.heardMs;
  }

  // Speaks a text. Call it in the handler of a click or a key press. `settings` are voice, language, speed and pitch,
  // as in the client. If `asModel` is true, the text is sent in pieces at the pace of a language model.
  async speak(text, settings, asModel) {
    this.#lastTurn += 1;
    const turn = new Turn(`turn-${this.#lastTurn}`, text, settings);
    this.#turn = turn;
    this.#tell("begun", turn);
    this.#state("connecting");
    try {
      await Promise.all([this.#output.wake(), this.#connect(turn)]);
      await this.#connect(turn); // the conversation may have ended before the browser allowed audio
      if (this.#turn !== turn) return; // interrupted in the meantime
      this.#output.clear();
      this.#state("speaking");
      await this.#send(turn, asModel);
    } catch (error) {
      this.#fail(turn, failureOf(error, this.#session));
    }
  }

  async #connect(turn) {
    if (this.#session?.isOpen) return;
    const begun = performance.now();
    const session = await connect();
    if (this.#closed || this.#session?.isOpen) {
      session.close();
      return;
    }
    turn.connectedMs = performance.now() - begun;
    this.#session = session;
    this.#listen(session);
  }

  async #send(turn, asModel) {
    turn.sentAt = performance.now();
    const spoken = this.#session.turn({ ...turn.settings, turnId: turn.id });
    if (!asModel) {
      spoken.send(turn.text, { final: true });
      Object.assign(turn, { spoken, sentUnits: turn.text.length });
      this.#tell("sent", turn);
      return;
    }
    for (const piece of pieces(turn.text)) {
      if (turn.sentUnits > 0) await pause(piece.waitMs);
      if (this.#turn !== turn) return;
      if (turn.sentUnits === 0) turn.sentAt = performance.now();
      spoken.send(piece.text, { final: piece.final });
      Object.assign(turn, { spoken, sentUnits: piece.end });
      this.#tell("sent", turn);
    }
  }

  // Receives the events of a conversation until it ends.
  async #listen(session) {
    let failure = null;
    try {
      for await (const event of session) this.#take(event, session);
    } catch (error) {
      failure = failureOf(error, session);
    }
    if (this.#session === session) this.#session = null;
    // if the server has sent all audio of the turn, the turn is played to its end
    if (failure && this.#turn?.spoken && !this.#turn.sentWhole) this.#fail(this.#turn, failure);
  }

  #take(event, session) {
    const turn = this.#turn;
    if (event.type === "rejected") this.#fail(turn, failureOf(event.error, session));
    if (!turn || event.turnId !== turn.id) return;
    switch (event.type) {
      case "started":
        Object.assign(turn, { voice: event.voice, language: event.language });
        this.#tell("started", turn);
        break;
      case "words":
        turn.words.push(...event.words);
        this.#tell("words", turn, { words: event.words });
        break;
      case "audio":
        this.#play(turn, new Int16Array(event.data.buffer));
        break;
      case "done":
        turn.sentWhole = true;
        turn.serverFirstAudioMs = event.ttfaMs;
        if (event.reason === "nothing_to_say") this.#fail(turn, new Failure("There is nothing in this text that can be spoken: emoji, markup and white space are silent.", { code: event.reason }));
        else this.#output.finish();
        break;
      case "failed":
      case "lost":
        this.#fail(turn, failureOf(event.error, session));
        break;
    }
  }

  #play(turn, samples) {
    this.#output.push(samples);
    if (turn.firstAudioMs === null) {
      turn.firstAudioMs = performance.now() - turn.sentAt;
      this.#tell("first-audio", turn);
    }
    turn.blocks.push(samples);
    this.#tell("audio", turn, { samples });
  }

  // Handles a barge-in: stops the audio first, then determines the part that was heard.
  async interrupt() {
    const turn = this.#turn;
    if (!turn) return;
    const begun = performance.now();
    const heardMs = Math.min(this.heardMs, turn.audioMs);
    this.#output.clear();
    this.#turn = null;
    this.#state("idle");
    turn.heard = this.#estimate(turn, heardMs);
    if (turn.spoken && this.#session) {
      try {
        const { heard } = await turn.spoken.cancel(heardMs);
        turn.heard = { ...heardPart(turn, heard.ms, heard.charEnd), answeredMs: performance.now() - begun };
      } catch {
        // the connection was lost in the meantime: keep the estimate of this page
      }
    }
    this.#tell("interrupted", turn);
  }

  // Estimates from the word timestamps which part was heard. The estimate is used if the server does not respond.
  #estimate(turn, heardMs) {
    const last = turn.words.findLast((word) => word.endMs <= heardMs);
    return { ...heardPart(turn, heardMs, last?.charEnd ?? 0), answeredMs: null };
  }

  #fail(turn, failure) {
    if (!turn || this.#turn !== turn) return;
    this.#output.clear();
    // cancel the turn, because the server may be about to send more of it
    if (turn.spoken && !turn.sentWhole && this.#session) turn.spoken.cancel(0).catch(() => {});
    this.#turn = null;
    this.#state("idle");
    this.#tell("failed", failure);
  }

  #end(how) {
    const turn = this.#turn;
    if (!turn) return;
    this.#turn = null;
    this.#state("idle");
    this.#tell(how, turn);
  }

  // Ends all speech, because the user leaves the page.
  close() {
    this.#closed = true;
    this.#turn = null;
    this.#session?.close();
    this.#output.close();
    this.#session = null;
  }

  #state(state) {
    this.#tell("state", state);
  }

  #tell(type, detail, more = {}) {
    this.dispatchEvent(Object.assign(new CustomEvent(type, { detail }), more));
  }
}

// Splits the text of a turn at `charEnd`, a position in UTF-16 units.
const heardPart = ({ text }, ms, charEnd) => ({ ms, charEnd, text: text.slice(0, charEnd), unheard: text.slice(charEnd) });
