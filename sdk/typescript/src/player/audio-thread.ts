/**
 * Page side of the audio thread: it accepts samples and computes which sample the listener hears. This module imports
 * nothing at run time, so that a page without a bundler needs only this file and the worklet.
 */

import type { Command, Report } from "./worklet.js";

const SAMPLE_RATE = 24_000;
const REPORTS_KEPT = 64;
const RESUME_MS = 1_000;

export interface AudioThreadOptions {
  /** Your own audio context. The player does not close it. */
  context?: AudioContext | undefined;
  /** Destination of the audio. Default: the loudspeaker. */
  destination?: AudioNode | undefined;
  /** URL of `@shruti/client/worklet`, if your bundler moves it. */
  workletUrl?: string | URL | undefined;
}

function newContext(): AudioContext {
  try {
    return new AudioContext({ sampleRate: SAMPLE_RATE, latencyHint: "interactive" });
  } catch {
    return new AudioContext({ latencyHint: "interactive" }); // the browser does not support 24 kHz
  }
}

/**
 * Plays 16-bit samples at 24 kHz as they arrive, and computes, with millisecond precision, which sample the listener
 * hears. Create it in the handler of a click or a key press; otherwise the browser may block the audio. A clip is the
 * audio between two calls to `clear`.
 *
 * Dispatches these events: "sounding" when the audio of a clip starts, "moved" as it progresses, "ended" when a clip
 * was heard to its end after `finish`, "silenced" when the browser or the system stops the page's audio, and "broken"
 * when the audio thread has stopped.
 */
export class AudioThread extends EventTarget {
  readonly context: AudioContext;
  /** Resolves when the audio thread accepts samples. Rejects if the script of the worklet cannot be loaded. */
  readonly ready: Promise<void>;
  readonly #ownsContext: boolean;
  #node: AudioWorkletNode | undefined;
  #clip = 0;
  #pushed = 0;
  #reports: Report[] = [];
  #ending: ReturnType<typeof setTimeout> | undefined;
  #ran = false;

  constructor(options: AudioThreadOptions = {}) {
    super();
    this.context = options.context ?? newContext();
    this.#ownsContext = !options.context;
    this.context.addEventListener("statechange", this.#changed);
    this.ready = this.#open(options);
    // avoids an unhandled rejection; callers that await `ready` get the error
    this.ready.catch(() => undefined);
    void this.context.resume().catch(() => undefined);
  }

  /** Resumes a suspended context. Returns whether the browser allows the page to play audio. */
  async wake(): Promise<boolean> {
    if (this.context.state !== "running") {
      // if the browser blocks audio, the promise of `resume` never settles
      const enough = new Promise((resolve) => setTimeout(resolve, RESUME_MS));
      await Promise.race([this.context.resume(), enough]);
    }
    return this.context.state === "running";
  }

  /** Adds samples to the clip. Their buffer is transferred to the audio thread. */
  push(samples: Int16Array<ArrayBuffer>): void {
    clearTimeout(this.#ending);
    this.#pushed += samples.length;
    this.#tell({ type: "samples", clip: this.#clip, samples }, [samples.buffer]);
  }

  /** Ends the clip: plays its remaining samples without waiting for more. */
  finish(): void {
    this.#tell({ type: "finish", clip: this.#clip });
  }

  /** Stops the audio immediately and starts a new clip. */
  clear(): void {
    clearTimeout(this.#ending);
    this.#clip += 1;
    this.#pushed = 0;
    this.#reports = [];
    this.#tell({ type: "clear", clip: this.#clip });
  }

  async close(): Promise<void> {
    clearTimeout(this.#ending);
    this.context.removeEventListener("statechange", this.#changed);
    this.#node?.disconnect();
    if (this.#ownsContext && this.context.state !== "closed") await this.context.close();
  }

  /** Length of the clip so far, in milliseconds. */
  get pushedMs(): number {
    return (this.#pushed / SAMPLE_RATE) * 1000;
  }

  /** Milliseconds of the clip that the audio thread has played. The listener hears them a little later. */
  get playedMs(): number {
    return ((this.#reports.at(-1)?.played ?? 0) / SAMPLE_RATE) * 1000;
  }

  /** Milliseconds of the clip that the listener has heard. */
  get heardMs(): number {
    const now = this.#heardTime();
    const at = this.#reports.findLastIndex((report) => report.time <= now);
    const report = this.#reports[at];
    if (!report) return 0;
    const reached = report.dry ? report.played : report.played + (now - report.time) * SAMPLE_RATE;
    const limit = this.#reports[at + 1]?.played ?? this.#pushed;
    return (Math.min(reached, limit, this.#pushed) / SAMPLE_RATE) * 1000;
  }

  /** Delay from the audio thread to the listener, in milliseconds. */
  get delayMs(): number {
    return Math.max(0, (this.context.currentTime - this.#heardTime()) * 1000);
  }

  async #open({ workletUrl, destination }: AudioThreadOptions): Promise<void> {
    await this.context.audioWorklet.addModule(workletUrl ?? new URL("./worklet.js", import.meta.url));
    const options = { numberOfInputs: 0, outputChannelCount: [1] };
    const node = new AudioWorkletNode(this.context, "shruti-player", options);
    node.port.onmessage = ({ data }: MessageEvent<Report>) => this.#learn(data);
    node.onprocessorerror = () => this.dispatchEvent(new Event("broken"));
    node.connect(destination ?? this.context.destination);
    this.#node = node;
    this.#tell({ type: "clear", clip: this.#clip });
  }

  readonly #changed = (): void => {
    const { state } = this.context;
    if (this.#ran && state !== "running" && state !== "closed") this.dispatchEvent(new Event("silenced"));
    this.#ran ||= state === "running";
  };

  #tell(command: Command, given: Transferable[] = []): void {
    this.#node?.port.postMessage(command, given);
  }

  #learn(report: Report): void {
    if (report.clip !== this.#clip) return;
    this.#reports.push(report);
    if (this.#reports.length === 1) this.dispatchEvent(new Event("sounding"));
    if (this.#reports.length > REPORTS_KEPT) this.#reports.shift();
    this.dispatchEvent(new Event("moved"));
    // more samples may have been added in the meantime
    if (!report.ended || report.played < this.#pushed) return;
    this.#ending = setTimeout(() => this.dispatchEvent(new Event("ended")), this.delayMs);
  }

  /** Returns the time, on the context's clock in seconds, of the audio that the listener hears now. */
  #heardTime(): number {
    const { currentTime } = this.context;
    const { contextTime = 0, performanceTime = 0 } = this.context.getOutputTimestamp?.() ?? {};
    if (performanceTime > 0) {
      const told = contextTime + (performance.now() - performanceTime) / 1000;
      // ignore implausible timestamps: some browsers report a time in the future or stop updating it
      if (told <= currentTime && told > currentTime - 1) return told;
    }
    return currentTime - (this.context.outputLatency || this.context.baseLatency || 0);
  }
}
