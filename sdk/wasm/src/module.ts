/** The WebAssembly module of `crates/shruti-wasm`. It speaks one text at a time, on the thread of the caller. */

/** Exports of the module; `crates/shruti-wasm/src/abi.rs` documents each function. */
interface Exports {
  readonly memory: WebAssembly.Memory;
  readonly shruti_input: (length: number) => number;
  readonly shruti_load: () => number;
  readonly shruti_start: (speed: number, pitch: number) => number;
  readonly shruti_push: () => number;
  readonly shruti_finish: () => void;
  readonly shruti_set_speed: (speed: number) => void;
  readonly shruti_cancel: () => void;
  readonly shruti_render: (most: number) => number;
  readonly shruti_progress: () => number;
  readonly shruti_samples: () => number;
  readonly shruti_mark_count: () => number;
  readonly shruti_marks: () => number;
  readonly shruti_spoken: () => number;
}

export interface VoiceOptions {
  /** Language code such as `hi`; its data must be loaded. */
  readonly language: string;
  /** `Ananya` or `Arjun`. */
  readonly voice?: string | undefined;
  /** Speech rate, 0.5 to 2; 1 is normal. */
  readonly speed?: number | undefined;
  /** Pitch shift, -6 to 6 semitones. */
  readonly pitch?: number | undefined;
}

/** Time and position of a word. Positions are in Unicode characters, as in responses of the server. */
export interface Mark {
  readonly charStart: number;
  readonly charEnd: number;
  readonly startMs: number;
  readonly endMs: number;
  /** Spoken form of the word, if it differs from the text. */
  readonly spoken: string | undefined;
}

export interface Block {
  /** 16-bit samples at 24,000 Hz; may be empty. */
  readonly samples: Int16Array<ArrayBuffer>;
  /** Words that begin in the block. */
  readonly marks: readonly Mark[];
  /** `more`: more audio follows. `text`: more text is needed first. `ended`: the text has been spoken. */
  readonly progress: "more" | "text" | "ended";
}

const REFUSALS: Readonly<Record<number, string>> = {
  1: "the language data is damaged",
  2: "the voice does not exist",
  3: "the language does not exist",
  4: "the data of the language, or of English, is not loaded",
  5: "the text is not UTF-8",
  6: "no voice was started",
};
const PROGRESS = ["more", "text", "ended"] as const;
const MARK_FIELDS = 6;

function check(code: number): void {
  if (code !== 0) throw new Error(`shruti.wasm: ${REFUSALS[code] ?? `error ${code}`}`);
}

export class VoiceModule {
  readonly #wasm: Exports;
  readonly #encoder = new TextEncoder();
  readonly #decoder = new TextDecoder();

  private constructor(wasm: Exports) {
    this.#wasm = wasm;
  }

  /** Creates an instance with the data of some languages, including English. Data cannot be added later. */
  static async instantiate(module: WebAssembly.Module, data: Iterable<Uint8Array>): Promise<VoiceModule> {
    const { exports } = await WebAssembly.instantiate(module, {});
    const voice = new VoiceModule(exports as unknown as Exports);
    for (const pack of data) {
      voice.#write(pack);
      check(voice.#wasm.shruti_load());
    }
    return voice;
  }

  /** Starts a text and drops the previous one. */
  start({ language, voice = "Ananya", speed = 1, pitch = 0 }: VoiceOptions): void {
    this.#write(this.#encoder.encode(`${voice}\n${language}`));
    check(this.#wasm.shruti_start(speed, pitch));
  }

  /** Adds a piece of the text. The text is SSML if it begins with `<speak`. */
  push(piece: string): void {
    this.#write(this.#encoder.encode(piece));
    check(this.#wasm.shruti_push());
  }

  /** Marks the end of the text. */
  finish(): void {
    this.#wasm.shruti_finish();
  }

  /** Changes the speech rate of the clauses after the current one. */
  setSpeed(speed: number): void {
    this.#wasm.shruti_set_speed(speed);
  }

  /** Drops the text and its remaining audio. */
  cancel(): void {
    this.#wasm.shruti_cancel();
  }

  /** Returns the next block, of at most `most` samples. */
  render(most: number): Block {
    const wasm = this.#wasm;
    const length = wasm.shruti_render(most);
    const { buffer } = wasm.memory;
    const samples = new Int16Array(buffer, wasm.shruti_samples(), length).slice() as Int16Array<ArrayBuffer>;
    const count = wasm.shruti_mark_count();
    const fields = new Uint32Array(buffer, wasm.shruti_marks(), count * MARK_FIELDS);
    const marks = Array.from({ length: count }, (_, at) => this.#mark(fields.subarray(at * MARK_FIELDS)));
    return { samples, marks, progress: PROGRESS[wasm.shruti_progress()] ?? "ended" };
  }

  /** Size of the module's memory, in bytes. */
  get memoryBytes(): number {
    return this.#wasm.memory.buffer.byteLength;
  }

  #mark([charStart = 0, charEnd = 0, startMs = 0, endMs = 0, place = 0, length = 0]: Uint32Array): Mark {
    const spoken = new Uint8Array(this.#wasm.memory.buffer, this.#wasm.shruti_spoken() + place, length);
    return { charStart, charEnd, startMs, endMs, spoken: length > 0 ? this.#decoder.decode(spoken) : undefined };
  }

  #write(bytes: Uint8Array): void {
    const place = this.#wasm.shruti_input(bytes.length);
    new Uint8Array(this.#wasm.memory.buffer, place, bytes.length).set(bytes);
  }
}
