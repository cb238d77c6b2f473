// One listener's speech: text to a conversation, its sound to the player, turn after turn. Dispatches "state" (detail:
// "idle", "connecting" or "speaking") and, with the turn as detail, "begun", "started", "words" (also `words`), "audio" (also `samples`), "sent",
// "first-audio", "finished" and "interrupted"; and "failed" with a `Failure`.

import { Failure } from "./api.js";
import { AudioOutput } from "./audio-output.js";
import { Conversation } from "./conversation.js";
import { pieces } from "./token-stream.js";

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// What is known of a turn while it is spoken.
class Turn {
  blocks = []; // its samples
  words = [];
  connectedMs = null; // how long the connection took; null where one was open
  sentAt = 0;
  firstAudioMs = null; // from the first text sent to the first samples in the page
  serverFirstAudioMs = null;
  voice = null;
  language = null;
  sentUnits = 0; // UTF-16 units of the text that were sent
  sentWhole = false; // the server has sent all of its sound
  heard = null; // of an interrupted turn: {ms, text, charEnd, unheard, answeredMs}

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
  #conversation = null;
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

  // How much of the turn has been heard.
  get heardMs() {
    return this.#output.heardMs;
  }

  // Speaks a text; call it inside a click or a key press. `settings`: voice, language, speed and pitch of the contract.
  // `asModel`: sends it in pieces at a model's pace.
  async speak(text, settings, asModel) {
    this.#lastTurn += 1;
    const turn = new Turn(`turn-${this.#lastTurn}`, text, settings);
    this.#turn = turn;
    this.#tell("begun", turn);
    this.#state("connecting");
    try {
      await Promise.all([this.#output.wake(), this.#connect(turn)]);
      if (this.#turn !== turn) return; // interrupted meanwhile
      this.#output.clear();
      this.#state("speaking");
      await this.#send(turn, settings, asModel);
    } catch (failure) {
      this.#fail(turn, failure);
    }
  }

  async #connect(turn) {
    if (this.#conversation?.usable) return;
    const begun = performance.now();
    const conversation = await Conversation.connect();
    if (this.#closed || this.#conversation?.usable) {
      conversation.close();
      return;
    }
    turn.connectedMs = performance.now() - begun;
    this.#conversation = conversation;
    this.#listen(conversation);
  }

  async #send(turn, settings, asModel) {
    turn.sentAt = performance.now();
    if (!asModel) {
      this.#conversation.text(turn.id, turn.text, { ...settings, final: true });
      turn.sentUnits = turn.text.length;
      this.#tell("sent", turn);
      return;
    }
    let first = settings;
    for (const piece of pieces(turn.text)) {
      if (turn.sentUnits > 0) await pause(piece.waitMs);
      if (this.#turn !== turn) return;
      if (turn.sentUnits === 0) turn.sentAt = performance.now();
      this.#conversation.text(turn.id, piece.text, { ...first, final: piece.final });
      first = {};
      turn.sentUnits = piece.end;
      this.#tell("sent", turn);
    }
  }

  #listen(conversation) {
    const on = (type, react) => conversation.addEventListener(type, ({ detail }) => {
      if (this.#turn && (detail?.turn_id ?? detail?.turn) === this.#turn.id) react(this.#turn, detail);
    });
    on("started", (turn, { voice, language }) => {
      Object.assign(turn, { voice, language });
      this.#tell("started", turn);
    });
    on("words", (turn, { words }) => {
      turn.words.push(...words);
      this.#tell("words", turn, { words });
    });
    on("audio", (turn, { samples }) => {
      this.#output.push(samples);
      if (turn.firstAudioMs === null) {
        turn.firstAudioMs = performance.now() - turn.sentAt;
        this.#tell("first-audio", turn);
      }
      turn.blocks.push(samples);
      this.#tell("audio", turn, { samples });
    });
    on("done", (turn, { ttfa_ms, reason }) => {
      turn.sentWhole = true;
      turn.serverFirstAudioMs = ttfa_ms;
      if (reason === "nothing_to_say") this.#fail(turn, new Failure("There is nothing in this text that can be spoken: emoji, markup and white space are silent.", { code: reason }));
      else this.#output.finish();
    });
    on("failed", (turn, { error }) => this.#fail(turn, Failure.from(error)));
    conversation.addEventListener("trouble", ({ detail }) => this.#fail(this.#turn, Failure.from(detail.error)));
    conversation.addEventListener("closed", ({ detail: failure }) => {
      if (this.#conversation === conversation) this.#conversation = null;
      // a turn that was sent whole is played to its end
      if (this.#turn && !this.#turn.sentWhole && failure) this.#fail(this.#turn, failure);
    });
  }

  // Barge-in: silence at once, then what was heard.
  async interrupt() {
    const turn = this.#turn;
    if (!turn) return;
    const begun = performance.now();
    const heardMs = Math.min(this.heardMs, turn.audioMs);
    this.#output.clear();
    this.#turn = null;
    this.#state("idle");
    turn.heard = this.#reckon(turn, heardMs);
    if (turn.sentUnits > 0 && this.#conversation?.usable) {
      try {
        const { heard } = await this.#conversation.cancel(turn.id, heardMs);
        turn.heard = { ...told(turn, heard.ms, heard.char_end), answeredMs: performance.now() - begun };
      } catch {
        // the connection broke over it: what this page has reckoned stands
      }
    }
    this.#tell("interrupted", turn);
  }

  // What was heard, from the word marks alone, where there is no server to ask.
  #reckon(turn, heardMs) {
    const last = turn.words.findLast((word) => word.end_ms <= heardMs);
    return { ...told(turn, heardMs, last?.char_end ?? 0), answeredMs: null };
  }

  #fail(turn, failure) {
    if (!turn || this.#turn !== turn) return;
    this.#output.clear();
    // what the server still means to send of it
    if (turn.sentUnits > 0 && !turn.sentWhole && this.#conversation?.usable) this.#conversation.cancel(turn.id, 0).catch(() => {});
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

  // Ends everything; the page is left.
  close() {
    this.#closed = true;
    this.#turn = null;
    this.#conversation?.close();
    this.#output.close();
    this.#conversation = null;
  }

  #state(state) {
    this.#tell("state", state);
  }

  #tell(type, detail, more = {}) {
    this.dispatchEvent(Object.assign(new CustomEvent(type, { detail }), more));
  }
}

function told(turn, ms, charEnd) {
  const scalars = [...turn.text];
  return { ms, charEnd, text: scalars.slice(0, charEnd).join(""), unheard: scalars.slice(charEnd).join("") };
}
