/** `<shruti-read-aloud>`: reads a part of a page aloud and highlights the current word. */

import { refusal, ShrutiError } from "../errors.js";
import { ServerSource } from "../speech/server-source.js";
import { SpeechPlayer, type HeardWord, type PlayerState } from "../speech/player.js";
import type { SpeechPiece, SpeechSettings, SpeechSource } from "../speech/source.js";
import { Controls, type Labels, type Wishes } from "./controls.js";
import { highlighter, type Highlighter } from "./highlight.js";
import { passagesOf, wordStart, type DomPassage } from "./passages.js";

/** Elements that handle clicks themselves. */
const CLICKABLE = "a[href], button, input, select, textarea, summary, label, video, audio, [contenteditable]";

/** The part of `@shruti/wasm` that is used here. */
interface WasmPackage {
  readonly WasmSource: new () => SpeechSource;
}

/** Detail of the `word` event. */
export interface WordDetail {
  readonly text: string;
  readonly range: Range | undefined;
}

/** Position in the list of passages. */
interface Place {
  readonly passage: number;
  readonly at: number;
}

/**
 * Attributes: `for` (selector of the element to read; default: the content of this element, or else the enclosing
 * `article`, or the page's first `article` or `main`), `voice`, `speed`, `server`, `token-url`, `engine` (`server` or
 * `wasm`), `wasm-url`, `worklet-url`, `follow` (`off` disables scrolling to the current word).
 *
 * Events: `statechange`, `word` (a `WordDetail`), `ended`, `error` (an `ErrorEvent`).
 */
export class ReadAloudElement extends HTMLElement {
  static readonly observedAttributes = ["speed"];

  // declared without a value, so that values that a page sets before the element is defined are kept
  /** Function that fetches a single-use token. It replaces `token-url`. */
  declare tokenProvider?: (() => string | Promise<string>) | undefined;
  /** Speech source that replaces the server. */
  declare source?: SpeechSource | undefined;

  readonly #controls: Controls;
  #highlighter: Highlighter | undefined;
  #player: SpeechPlayer<DomPassage> | undefined;
  #passages: DomPassage[] = [];
  /** Position at which the current playback started. */
  #begun: Place = { passage: 0, at: 0 };
  /** Element that has the click listener. */
  #listened: Element | undefined;
  /** Whether the speed was changed during a pause. */
  #isStale = false;

  constructor() {
    super();
    const wishes: Wishes = {
      toggle: () => void this.toggle(),
      stop: () => this.stop(),
      previous: () => this.#skip(-1),
      next: () => this.#skip(1),
      speed: (speed) => (this.speed = speed),
    };
    this.#controls = new Controls(this.attachShadow({ mode: "open", delegatesFocus: true }), wishes);
    this.#controls.speed = this.speed;
  }

  disconnectedCallback(): void {
    this.stop();
    void this.#player?.close();
    this.#player = undefined;
  }

  attributeChangedCallback(_name: string, before: string | null, now: string | null): void {
    this.#controls.speed = this.speed;
    if (before === now) return;
    if (this.state === "paused") this.#isStale = true;
    else if (this.state !== "idle") void this.#start(this.#here());
  }

  get state(): PlayerState {
    return this.#player?.state ?? "idle";
  }

  get speed(): number {
    const speed = Number(this.getAttribute("speed") ?? 1);
    return speed >= 0.5 && speed <= 2 ? speed : 1;
  }

  set speed(speed: number) {
    this.setAttribute("speed", String(speed));
  }

  /** Labels of the buttons, in the language of the page. */
  set labels(labels: Partial<Labels>) {
    this.#controls.labels = { ...this.#controls.labels, ...labels };
  }

  get labels(): Labels {
    return this.#controls.labels;
  }

  /** Element whose text is read. */
  get target(): Element | null {
    const selector = this.getAttribute("for");
    if (selector) return document.querySelector(selector);
    if (this.textContent?.trim()) return this;
    return this.closest("article") ?? document.querySelector("article") ?? document.querySelector("main");
  }

  /**
   * Reads from the beginning, or resumes after a pause. Call `play` and `startAt` in the handler of a click or a key
   * press.
   */
  async play(): Promise<void> {
    if (this.state !== "paused") return this.#start({ passage: 0, at: 0 }, true);
    if (this.#isStale) return this.#start(this.#here());
    await this.#player?.resume();
  }

  async pause(): Promise<void> {
    await this.#player?.pause();
  }

  toggle(): Promise<void> {
    return this.state === "playing" || this.state === "loading" ? this.pause() : this.play();
  }

  stop(): void {
    this.#player?.stop();
    this.#forget();
  }

  /** Starts reading at the word that contains a position of the page. */
  async startAt(node: Node, offset: number): Promise<void> {
    if (this.state === "idle") this.#read();
    const place = this.#placeOf(node, offset);
    if (place) await this.#start(place);
  }

  /** Plays from a position. If `again` is `true`, collects the text of the page first. */
  async #start(place: Place, again = false): Promise<void> {
    this.#controls.message = "";
    this.#isStale = false;
    try {
      // create the player before the first await, so that the browser treats it as part of the click
      const player = (this.#player ??= this.#newPlayer());
      if (again) this.#read();
      const [first, ...rest] = this.#passages.slice(place.passage);
      if (!first) {
        this.#controls.message = this.#controls.labels.nothing;
        return;
      }
      this.#begun = place;
      const voice = this.getAttribute("voice") ?? undefined;
      await player.play([place.at > 0 ? first.from(place.at) : first, ...rest], { voice, speed: this.speed });
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Collects the text of the page as passages. */
  #read(): void {
    const target = this.target;
    this.#passages = target ? passagesOf(target) : [];
    if (target === this.#listened) return;
    this.#listened?.removeEventListener("click", this.#clicked);
    target?.addEventListener("click", this.#clicked);
    this.#listened = target ?? undefined;
  }

  #newPlayer(): SpeechPlayer<DomPassage> {
    const workletUrl = this.getAttribute("worklet-url") ?? undefined;
    const player = new SpeechPlayer<DomPassage>(this.#newSource(), { workletUrl });
    player.on("state", (state) => {
      this.#controls.state = state;
      this.dispatchEvent(new Event("statechange"));
    });
    player.on("word", (heard) => this.#show(heard));
    player.on("ended", () => {
      this.#forget();
      this.dispatchEvent(new Event("ended"));
    });
    player.on("error", (error) => this.#fail(error));
    return player;
  }

  #newSource(): SpeechSource {
    if (this.source) return this.source;
    if (this.getAttribute("engine") === "wasm") return new LaterSource(() => this.#wasmSource());
    const baseUrl = new URL(this.getAttribute("server") ?? "/", document.baseURI).href;
    return new ServerSource({ baseUrl, token: () => (this.tokenProvider ?? (() => this.#fetchToken()))() });
  }

  async #wasmSource(): Promise<SpeechSource> {
    // a URL, or a name that the page's import map or bundler resolves
    const name = this.getAttribute("wasm-url") ?? "@shruti/wasm";
    const { WasmSource } = (await import(/* @vite-ignore */ name)) as WasmPackage;
    return new WasmSource();
  }

  async #fetchToken(): Promise<string> {
    const url = this.getAttribute("token-url");
    if (!url) throw new ShrutiError("no token: set `token-url` or `tokenProvider`");
    const response = await fetch(url, { method: "POST", headers: { accept: "application/json" } });
    const body = (await response.text()).trim();
    // `Requests` retries a temporary error after the time that the header specifies
    if (!response.ok) throw refusal(response.status, body, response.headers.get("retry-after"));
    return body.startsWith("{") ? String((JSON.parse(body) as { token?: unknown }).token) : body;
  }

  #show({ passage, word }: HeardWord<DomPassage>): void {
    const range = passage.range(word.charStart, word.charEnd);
    this.#highlighter ??= highlighter();
    if (range) {
      this.#highlighter.show(range);
      if (this.getAttribute("follow") !== "off") follow(range);
    } else {
      this.#highlighter.clear();
    }
    this.dispatchEvent(new CustomEvent<WordDetail>("word", { detail: { text: word.text, range } }));
  }

  #forget(): void {
    this.#highlighter?.clear();
    this.#isStale = false;
  }

  #fail(thrown: unknown): void {
    this.#forget();
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    this.#controls.message = error.message;
    this.dispatchEvent(new ErrorEvent("error", { error, message: error.message }));
  }

  /** Returns the position of the current word, or the start of the playback if there is none. */
  #here(): Place {
    const heard = this.#player?.heard;
    const range = heard?.passage.range(heard.word.charStart, heard.word.charEnd);
    return (range && this.#placeOf(range.startContainer, range.startOffset)) ?? this.#begun;
  }

  #placeOf(node: Node, offset: number): Place | undefined {
    for (const [passage, each] of this.#passages.entries()) {
      const at = each.placeOf(node, offset);
      if (at !== undefined && at < each.text.length) return { passage, at: wordStart(each.text, at) };
    }
    return undefined;
  }

  #skip(step: 1 | -1): void {
    if (this.state === "idle") return;
    const { passage, at } = this.#here();
    // the first step back goes to the start of the current paragraph, as in music players
    const wanted = step < 0 && at > 0 ? passage : passage + step;
    if (wanted >= this.#passages.length) this.stop();
    else void this.#start({ passage: Math.max(0, wanted), at: 0 });
  }

  /** Starts reading at the clicked word, unless the element is idle. */
  readonly #clicked = (event: Event): void => {
    if (this.state === "idle" || !(event instanceof MouseEvent) || event.defaultPrevented || event.button !== 0) return;
    const target = event.composedPath()[0];
    if (!(target instanceof Element) || target.closest(CLICKABLE) || target.getRootNode() === this.shadowRoot) return;
    if (getSelection()?.isCollapsed === false) return;
    const caret = caretAt(event.clientX, event.clientY);
    if (caret) void this.startAt(caret.node, caret.offset);
  };
}

/** Speech source that is loaded when the first text is spoken. */
class LaterSource implements SpeechSource {
  #source: Promise<SpeechSource> | undefined;
  readonly #load: () => Promise<SpeechSource>;

  constructor(load: () => Promise<SpeechSource>) {
    this.#load = load;
  }

  async *speak(text: string, settings: SpeechSettings, signal: AbortSignal): AsyncGenerator<SpeechPiece> {
    this.#source ??= this.#load();
    yield* (await this.#source).speak(text, settings, signal);
  }
}

/** Returns the text position at a point of the window. */
function caretAt(x: number, y: number): { node: Node; offset: number } | undefined {
  const position = document.caretPositionFromPoint?.(x, y);
  if (position) return { node: position.offsetNode, offset: position.offset };
  // older browsers have only this function
  const range = (document as { caretRangeFromPoint?: (x: number, y: number) => Range | null }).caretRangeFromPoint?.(
    x,
    y,
  );
  return range ? { node: range.startContainer, offset: range.startOffset } : undefined;
}

/** Scrolls the page to a word that is outside the window. */
function follow(range: Range): void {
  const { top, bottom } = range.getBoundingClientRect();
  if (top >= 0 && bottom <= innerHeight) return;
  const behavior = matchMedia("(prefers-reduced-motion: reduce)").matches ? "instant" : "smooth";
  range.startContainer.parentElement?.scrollIntoView({ block: "center", behavior });
}
