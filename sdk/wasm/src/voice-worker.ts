/** Handle for a worker that runs the module with the data of some languages. */

import type { Reply, Request } from "./messages.js";
import type { Block, VoiceOptions } from "./module.js";

interface Waiting {
  readonly resolve: (block: Block) => void;
  readonly reject: (error: Error) => void;
}

export class VoiceWorker {
  readonly #worker: Worker;
  readonly #loaded: Promise<void>;
  #id = 0;
  #waiting: Waiting | undefined;
  #fail: (error: Error) => void = () => undefined;

  /** `newWorker` starts a worker with the script `@shruti/wasm/worker`. */
  constructor(newWorker: () => Worker, module: WebAssembly.Module, data: readonly Uint8Array[]) {
    this.#worker = newWorker();
    this.#loaded = new Promise((resolve, reject) => {
      this.#fail = reject;
      this.#worker.onmessage = ({ data: reply }: MessageEvent<Reply>) => {
        if (reply.type === "loaded") resolve();
        else this.#receive(reply);
      };
    });
    // avoids an unhandled rejection; `speak` throws the error
    this.#loaded.catch(() => undefined);
    this.#worker.onerror = ({ message }) => this.#break(new Error(`the worker of the voice failed: ${message}`));
    this.#send({ type: "load", module, data });
  }

  /** Resolves when the data is loaded. */
  get loaded(): Promise<void> {
    return this.#loaded;
  }

  /** Speaks a text and drops the previous one. */
  async *speak(text: string, options: VoiceOptions, signal: AbortSignal): AsyncGenerator<Block> {
    await this.#loaded;
    signal.throwIfAborted();
    this.#waiting?.reject(new Error("another text is being spoken"));
    this.#waiting = undefined;
    const id = (this.#id += 1);
    const cancel = () => {
      if (id !== this.#id) return;
      this.#send({ type: "cancel", id });
      this.#waiting?.reject(signal.reason instanceof Error ? signal.reason : new Error("cancelled"));
      this.#waiting = undefined;
    };
    signal.addEventListener("abort", cancel, { once: true });
    try {
      this.#send({ type: "speak", id, text, options });
      for (;;) {
        const block = await this.#next(id);
        yield block;
        if (block.progress !== "more") return;
        signal.throwIfAborted();
      }
    } finally {
      signal.removeEventListener("abort", cancel);
      if (id === this.#id) this.#send({ type: "cancel", id });
    }
  }

  close(): void {
    this.#worker.terminate();
    this.#break(new Error("the voice was closed"));
  }

  #next(id: number): Promise<Block> {
    if (id !== this.#id) return Promise.reject(new Error("another text is being spoken"));
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#send({ type: "next", id });
    });
  }

  #receive(reply: Exclude<Reply, { type: "loaded" }>): void {
    if (reply.id !== undefined && reply.id !== this.#id) return;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (reply.type === "block") waiting?.resolve(reply.block);
    else if (waiting) waiting.reject(new Error(reply.message));
    else this.#fail(new Error(reply.message));
  }

  #break(error: Error): void {
    this.#fail(error);
    this.#waiting?.reject(error);
    this.#waiting = undefined;
  }

  #send(request: Request): void {
    this.#worker.postMessage(request);
  }
}
