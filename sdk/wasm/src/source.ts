/**
 * Speech source in the page. It loads the module and the data of a language when the first text in that language is
 * spoken.
 */

import { Places, type SpeechPiece, type SpeechSettings, type SpeechSource } from "@shruti/client/speech";

import { codeOf, languageOf, neededFor } from "./languages.js";
import { VoiceWorker } from "./voice-worker.js";

/**
 * Maximum number of workers. Each worker has the data of one set of languages. With several workers, a page can
 * alternate between sets.
 */
const MOST_WORKERS = 3;

export interface WasmSourceOptions {
  /** Address of the folder with `shruti.wasm` and the data; default: `data` next to this module. */
  readonly dataUrl?: string | URL | undefined;
  /** Function that starts a worker with the script `@shruti/wasm/worker`, if your bundler moves the script. */
  readonly newWorker?: (() => Worker) | undefined;
}

/** The rule-based voices Ananya and Arjun: `new SpeechPlayer(new WasmSource())`. */
export class WasmSource implements SpeechSource {
  readonly #dataUrl: string;
  readonly #newWorker: () => Worker;
  #module: Promise<WebAssembly.Module> | undefined;
  readonly #data = new Map<string, Promise<Uint8Array>>();
  /** Workers by their languages. The most recently used worker is last. */
  readonly #workers = new Map<string, VoiceWorker>();

  constructor({ dataUrl, newWorker }: WasmSourceOptions = {}) {
    this.#dataUrl = (dataUrl ?? new URL("./data/", import.meta.url)).toString();
    this.#newWorker =
      newWorker ?? (() => new Worker(new URL("./worker.js", import.meta.url), { type: "module", name: "shruti" }));
  }

  /** Loads the data of a language in advance. */
  async load(language: string): Promise<void> {
    await (
      await this.#worker(neededFor("", codeOf(language)))
    ).loaded;
  }

  async *speak(text: string, settings: SpeechSettings, signal: AbortSignal): AsyncGenerator<SpeechPiece> {
    const { voice, speed } = settings;
    const language = settings.language ? codeOf(settings.language) : languageOf(text);
    const worker = await this.#worker(neededFor(text, language));
    const places = new Places();
    for await (const { samples, marks } of worker.speak(text, { language, voice, speed }, signal)) {
      const words = marks.map((mark) => {
        const charStart = places.units(text, mark.charStart);
        const charEnd = places.units(text, mark.charEnd);
        return { ...mark, charStart, charEnd, text: text.slice(charStart, charEnd) };
      });
      yield { samples, words };
    }
  }

  /** Ends the workers. */
  close(): void {
    for (const worker of this.#workers.values()) worker.close();
    this.#workers.clear();
  }

  async #worker(languages: readonly string[]): Promise<VoiceWorker> {
    const name = languages.join();
    const [module, ...data] = await Promise.all([this.#loadModule(), ...languages.map((code) => this.#loadData(code))]);
    const worker = this.#workers.get(name) ?? new VoiceWorker(this.#newWorker, module, data);
    this.#workers.delete(name);
    this.#workers.set(name, worker);
    for (const [oldest, each] of this.#workers) {
      if (this.#workers.size <= MOST_WORKERS) break;
      each.close();
      this.#workers.delete(oldest);
    }
    return worker;
  }

  #loadModule(): Promise<WebAssembly.Module> {
    this.#module ??= fetched(new URL("shruti.wasm", this.#dataUrl)).then((bytes) => WebAssembly.compile(bytes));
    // forget a failed download, so that the next text tries again
    this.#module.catch(() => (this.#module = undefined));
    return this.#module;
  }

  #loadData(code: string): Promise<Uint8Array> {
    let data = this.#data.get(code);
    if (!data) {
      data = fetched(new URL(`${code}.bin`, this.#dataUrl));
      data.catch(() => this.#data.delete(code));
      this.#data.set(code, data);
    }
    return data;
  }
}

async function fetched(url: URL): Promise<Uint8Array<ArrayBuffer>> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} responded with status ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}
