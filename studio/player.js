// Plays 16-bit samples of 24 kHz as they come, and knows to the millisecond which of them is being heard.

import { Failure } from "./api.js";

export const SAMPLE_RATE = 24_000;
const REPORTS_KEPT = 64;
const RESUME_MS = 1_000;

export class Player extends EventTarget {
  #context;
  #node;
  #clip = 0;
  #pushed = 0;
  #reports = [];
  #ending = null;
  #ran = false;

  // Makes the audio context; call it inside a click or a key press, else the browser may keep it silent.
  // Throws a `Failure` where the browser has no AudioWorklet.
  static async open() {
    if (!("AudioWorklet" in window)) {
      throw new Failure("This browser gives this page no AudioWorklet, so it cannot play sound as it comes.", { code: "no_audio_worklet" });
    }
    const player = new Player();
    player.#context = context();
    const resumed = player.#context.resume();
    try {
      await player.#context.audioWorklet.addModule(new URL("./player-worklet.js", import.meta.url));
    } catch {
      player.#context.close();
      throw new Failure("The player's script could not be loaded into the browser's audio thread.", { code: "no_audio_worklet" });
    }
    player.#node = new AudioWorkletNode(player.#context, "player", { numberOfInputs: 0, outputChannelCount: [1] });
    player.#node.port.onmessage = ({ data }) => player.#learn(data);
    player.#context.onstatechange = () => {
      if (player.#ran && player.state !== "running" && player.state !== "closed") player.dispatchEvent(new Event("silenced"));
      player.#ran ||= player.state === "running";
    };
    player.#node.onprocessorerror = () => player.dispatchEvent(new Event("broken"));
    player.#node.connect(player.#context.destination);
    await within(RESUME_MS, resumed);
    return player;
  }

  // "running", or "suspended" while the browser waits for a click, or "interrupted" by a phone call.
  get state() {
    return this.#context.state;
  }

  // Takes back a suspension. Throws a `Failure` where the browser keeps the page silent all the same.
  async wake() {
    if (this.state !== "running") await within(RESUME_MS, this.#context.resume());
    if (this.state === "running") return;
    throw new Failure("The browser keeps this page silent. Allow it to play sound, or see whether this machine has a sound device, and press again.", { code: "sound_refused" });
  }

  // Adds samples (an Int16Array, which is copied) to the clip that is playing.
  push(samples) {
    const copy = samples.slice();
    this.#pushed += copy.length;
    this.#node.port.postMessage({ type: "samples", clip: this.#clip, samples: copy }, [copy.buffer]);
  }

  // No more samples come: "ended" is dispatched when the last one has been heard.
  finish() {
    this.#node.port.postMessage({ type: "finish", clip: this.#clip });
  }

  // Silence at once; the next samples begin a new clip at position 0.
  clear() {
    clearTimeout(this.#ending);
    this.#clip += 1;
    this.#pushed = 0;
    this.#reports = [];
    this.#node.port.postMessage({ type: "clear", clip: this.#clip });
  }

  close() {
    clearTimeout(this.#ending);
    return this.#context.close();
  }

  // How much of the clip has left the loudspeaker, in milliseconds.
  get heardMs() {
    const now = this.#heardTime();
    const at = this.#reports.findLastIndex((report) => report.time <= now);
    if (at < 0) return 0;
    const { time, played, dry } = this.#reports[at];
    const reached = dry ? played : played + (now - time) * SAMPLE_RATE;
    const limit = this.#reports[at + 1]?.played ?? this.#pushed;
    return (Math.min(reached, limit, this.#pushed) / SAMPLE_RATE) * 1000;
  }

  // The moment, on the context's clock, of the sound that is leaving the loudspeaker now.
  #heardTime() {
    const { currentTime } = this.#context;
    const stamp = this.#context.getOutputTimestamp?.();
    if (stamp?.performanceTime > 0) {
      const told = stamp.contextTime + (performance.now() - stamp.performanceTime) / 1000;
      // some browsers' stamps stand still or run ahead
      if (told <= currentTime && told > currentTime - 1) return told;
    }
    return currentTime - (this.#context.outputLatency || this.#context.baseLatency || 0);
  }

  #learn(report) {
    if (report.clip !== this.#clip) return;
    if (this.#reports.length === 0) this.dispatchEvent(new Event("sounding"));
    this.#reports.push(report);
    if (this.#reports.length > REPORTS_KEPT) this.#reports.shift();
    if (report.type !== "ended") return;
    const leftMs = Math.max(0, (this.#context.currentTime - this.#heardTime()) * 1000);
    this.#ending = setTimeout(() => this.dispatchEvent(new Event("ended")), leftMs);
  }
}

// A browser that keeps a page silent leaves `resume` unanswered.
function within(ms, promise) {
  return Promise.race([promise, new Promise((resolve) => setTimeout(resolve, ms))]);
}

function context() {
  try {
    return new AudioContext({ sampleRate: SAMPLE_RATE, latencyHint: "interactive" });
  } catch {
    return new AudioContext({ latencyHint: "interactive" }); // a browser that will not have 24 kHz
  }
}
