/** A sink on the browser's audio thread. */

import { deferred, type Deferred } from "../timers.js";
import { PlayerError, SAMPLE_RATE, type Sink } from "./player.js";
import type { Command, Report } from "./worklet.js";

/** How much may wait to be heard. */
const MAX_AHEAD_MS = 5_000;
const REPORTS_KEPT = 64;

export interface WorkletOptions {
  /** A context of your own; it is not closed with the sink. */
  context?: AudioContext | undefined;
  /** Where the sound goes; left out: the loudspeaker. */
  destination?: AudioNode | undefined;
  /** Where `@shruti/client/worklet` lies, if your bundler moves it. */
  workletUrl?: string | URL | undefined;
}

function newContext(): AudioContext {
  if (!("AudioWorklet" in globalThis)) {
    throw new PlayerError("this page has no AudioWorklet: browsers give it to pages over https or from localhost");
  }
  try {
    return new AudioContext({ sampleRate: SAMPLE_RATE, latencyHint: "interactive" });
  } catch {
    return new AudioContext({ latencyHint: "interactive" }); // a browser that will not have 24 kHz
  }
}

export class WorkletSink implements Sink {
  readonly context: AudioContext;
  readonly #ownsContext: boolean;
  readonly #ready: Promise<AudioWorkletNode>;
  #node: AudioWorkletNode | undefined;
  #clip = 0;
  #written = 0;
  #reports: Report[] = [];
  #waiters: { enough: () => boolean; done: Deferred<void> }[] = [];
  #broken: PlayerError | undefined;

  constructor(options: WorkletOptions = {}) {
    this.context = options.context ?? newContext();
    this.#ownsContext = !options.context;
    this.#ready = this.#open(options);
    // it is thrown by what is written
    this.#ready.catch(() => undefined);
    void this.context.resume().catch(() => undefined);
  }

  /** How much has left the loudspeaker, in milliseconds. */
  get heardMs(): number {
    const now = this.#heardTime();
    const at = this.#reports.findLastIndex((report) => report.time <= now);
    const report = this.#reports[at];
    if (!report) return 0;
    const reached = report.dry ? report.played : report.played + (now - report.time) * SAMPLE_RATE;
    const limit = this.#reports[at + 1]?.played ?? this.#written;
    return (Math.min(reached, limit, this.#written) / SAMPLE_RATE) * 1000;
  }

  async write(samples: Uint8Array<ArrayBuffer>): Promise<void> {
    const clip = this.#clip;
    await this.#ready;
    if (clip !== this.#clip) return;
    const pcm = new Int16Array(samples.buffer, samples.byteOffset, samples.byteLength / 2);
    this.#written += pcm.length;
    this.#tell({ type: "samples", clip, samples: pcm });
    await this.#until(() => this.#written * (1000 / SAMPLE_RATE) - this.heardMs <= MAX_AHEAD_MS);
  }

  finish(): void {
    this.#tell({ type: "finish", clip: this.#clip });
  }

  async drained(): Promise<void> {
    await this.#until(() => this.#played() >= this.#written);
    const restMs = (this.context.currentTime - this.#heardTime()) * 1000;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, restMs)));
  }

  clear(): Promise<void> {
    this.#clip += 1;
    this.#written = 0;
    this.#reports = [];
    this.#tell({ type: "clear", clip: this.#clip });
    for (const { done } of this.#waiters.splice(0)) done.resolve();
    return Promise.resolve();
  }

  async close(): Promise<void> {
    this.#node?.disconnect();
    if (this.#ownsContext && this.context.state !== "closed") await this.context.close();
  }

  async #open({ workletUrl, destination }: WorkletOptions): Promise<AudioWorkletNode> {
    try {
      await this.context.audioWorklet.addModule(workletUrl ?? new URL("./worklet.js", import.meta.url));
    } catch (error) {
      throw new PlayerError(
        "the player's script could not be loaded: give `workletUrl`, where @shruti/client/worklet lies",
        {
          cause: error,
        },
      );
    }
    const options = { numberOfInputs: 0, outputChannelCount: [1] };
    const node = new AudioWorkletNode(this.context, "shruti-player", options);
    node.port.onmessage = ({ data }: MessageEvent<Report>) => this.#learn(data);
    node.onprocessorerror = () => {
      this.#broken = new PlayerError("the browser's audio thread stopped");
      for (const { done } of this.#waiters.splice(0)) done.reject(this.#broken);
    };
    node.connect(destination ?? this.context.destination);
    this.#node = node;
    this.#tell({ type: "clear", clip: this.#clip });
    return node;
  }

  #tell(command: Command): void {
    this.#node?.port.postMessage(command, command.type === "samples" ? [command.samples.buffer] : []);
  }

  #learn(report: Report): void {
    if (report.clip !== this.#clip) return;
    this.#reports.push(report);
    if (this.#reports.length > REPORTS_KEPT) this.#reports.shift();
    const waiters = this.#waiters;
    this.#waiters = waiters.filter(({ enough }) => !enough());
    for (const waiter of waiters) if (!this.#waiters.includes(waiter)) waiter.done.resolve();
  }

  #played(): number {
    return this.#reports.at(-1)?.played ?? 0;
  }

  /** Waits until a report makes it so. */
  async #until(enough: () => boolean): Promise<void> {
    if (this.#broken) throw this.#broken;
    if (enough()) return;
    const waiter = { enough, done: deferred<void>() };
    this.#waiters.push(waiter);
    await waiter.done.promise;
  }

  /** The moment, on the context's clock, of the sound that is leaving the loudspeaker now. */
  #heardTime(): number {
    const { currentTime } = this.context;
    const { contextTime = 0, performanceTime = 0 } = this.context.getOutputTimestamp?.() ?? {};
    if (performanceTime > 0) {
      const told = contextTime + (performance.now() - performanceTime) / 1000;
      // some browsers' stamps stand still or run ahead
      if (told <= currentTime && told > currentTime - 1) return told;
    }
    return currentTime - (this.context.outputLatency || this.context.baseLatency || 0);
  }
}
