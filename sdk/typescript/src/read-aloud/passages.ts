/** Text of a part of a page, as passages in one language each, with the page position of every character. */

import type { Passage } from "../speech/player.js";

/** Supported languages, by the first part of a `lang` attribute. */
const LANGUAGES: ReadonlySet<string> = new Set("hi bn ta te gu kn ml mr pa or en ne as kok ur".split(" "));
/** Alternative codes of these languages. */
const ALIASES: Readonly<Record<string, string>> = { od: "or", ory: "or", gom: "kok" };
/** Elements that are not read; pages exclude more with `data-read-aloud="off"`. */
const SKIPPED =
  "script, style, noscript, template, head, title, nav, pre, button, input, select, textarea, datalist, progress, meter," +
  "svg, math, img, audio, video, canvas, iframe, object, embed, rt, rp, dialog:not([open]), [hidden], [aria-hidden=true]," +
  "[data-read-aloud=off], shruti-read-aloud";
/** Maximum length of a passage, in UTF-16 units. Longer text is divided, after a sentence if possible. */
const LONGEST = 1_500;
/**
 * Maximum number of English words that stay in a passage of another language, so that its sentence keeps its
 * intonation.
 */
const MOST_BORROWED = 4;
const PAUSE_MS = 350;

const SENTENCE_END = /[.?!।॥…۔؟]["”’)\]]*\s/g;
const SOFT_HYPHEN = "\u00ad";

/** Consecutive characters of a passage that are also consecutive in a text node. */
interface Span {
  readonly start: number;
  readonly node: Text;
  readonly from: number;
  length: number;
}

export class DomPassage implements Passage {
  readonly text: string;
  readonly language: string | undefined;
  readonly pauseMs = PAUSE_MS;
  /** Position of this passage in the text that `#spans` refer to. */
  readonly #base: number;
  readonly #spans: readonly Span[];

  constructor(text: string, language: string | undefined, spans: readonly Span[], base = 0) {
    this.text = text;
    this.language = language;
    this.#spans = spans;
    this.#base = base;
  }

  /** Returns the rest of the passage from a position in its text. */
  from(place: number): DomPassage {
    return new DomPassage(this.text.slice(place), this.language, this.#spans, this.#base + place);
  }

  /** Returns the page range of a part of the text; `undefined` if the page has changed. */
  range(start: number, end: number): Range | undefined {
    const first = this.#spanAt(this.#base + start);
    const last = this.#spanAt(this.#base + end - 1);
    if (!first?.node.isConnected || !last?.node.isConnected) return undefined;
    const range = document.createRange();
    try {
      range.setStart(first.node, first.from + this.#base + start - first.start);
      range.setEnd(last.node, last.from + this.#base + end - last.start);
    } catch {
      return undefined; // the node has a different text now
    }
    return range;
  }

  /** Returns the text position that corresponds to a page position; `undefined` outside the passage. */
  placeOf(node: Node, offset: number): number | undefined {
    const span = this.#spans.find(
      (each) => each.node === node && each.from <= offset && offset <= each.from + each.length,
    );
    const place = span && span.start + offset - span.from - this.#base;
    return place !== undefined && place >= 0 && place <= this.text.length ? place : undefined;
  }

  #spanAt(place: number): Span | undefined {
    return this.#spans.find((span) => span.start <= place && place < span.start + span.length);
  }
}

/** Returns the start of the word at a text position. */
export function wordStart(text: string, place: number): number {
  let start = place;
  while (start > 0 && !/\s/.test(text[start - 1] ?? "")) start -= 1;
  return start;
}

/** Returns the language of an element; `undefined` if the language is not supported, so that the source detects it. */
function languageOf(element: Element): string | undefined {
  const tag = element.closest("[lang]")?.getAttribute("lang")?.toLowerCase().split("-")[0] ?? "";
  const code = ALIASES[tag] ?? tag;
  return LANGUAGES.has(code) ? code : undefined;
}

/** Returns the text of a part of a page as passages. */
export function passagesOf(root: Element): DomPassage[] {
  const reader = new Reader();
  // read the root even if it matches `SKIPPED`
  for (const child of root.childNodes) reader.read(child);
  return reader.finish();
}

/** Consecutive text in one language. */
interface Run {
  text: string;
  readonly language: string | undefined;
  readonly spans: Span[];
}

class Reader {
  readonly #passages: DomPassage[] = [];
  /** Runs of the current paragraph. */
  #runs: Run[] = [];

  read(node: Node): void {
    if (node instanceof Text) {
      if (node.parentElement) this.#add(node, languageOf(node.parentElement));
      return;
    }
    if (!(node instanceof Element) || node.matches(SKIPPED)) return;
    const { display, visibility } = getComputedStyle(node);
    if (display === "none") return;
    const isBlock = node.localName === "br" || !(display.startsWith("inline") || display === "contents");
    if (isBlock) this.#end();
    // a slot shows the nodes that are assigned to it, which are not its children
    const children = node instanceof HTMLSlotElement ? node.assignedNodes() : node.childNodes;
    if (visibility !== "hidden") for (const child of children) this.read(child);
    if (isBlock) this.#end();
  }

  finish(): DomPassage[] {
    this.#end();
    return this.#passages;
  }

  #add(node: Text, language: string | undefined): void {
    let run = this.#runs.at(-1);
    // white space at the start of a run is kept, except in the first run or if the previous run ends with white space
    let before = run?.text.at(-1) ?? " ";
    if (!run || run.language !== language) {
      run = { text: "", language, spans: [] };
      this.#runs.push(run);
    }
    const { data } = node;
    for (let at = 0; at < data.length; at += 1) {
      const unit = data[at] ?? "";
      const isSpace = /\s/.test(unit);
      if (unit === SOFT_HYPHEN || (isSpace && before === " ")) continue;
      before = isSpace ? " " : unit;
      const last = run.spans.at(-1);
      if (last?.node === node && last.from + last.length === at && last.start + last.length === run.text.length) {
        last.length += 1;
      } else {
        run.spans.push({ start: run.text.length, node, from: at, length: 1 });
      }
      run.text += before;
    }
  }

  /** Ends a paragraph: converts its runs to passages. */
  #end(): void {
    for (const run of joined(this.#runs.filter(({ text }) => text.trim() !== ""))) {
      if (/[\p{L}\p{N}]/u.test(run.text)) this.#passages.push(...divided(run));
    }
    this.#runs = [];
  }
}

/**
 * Joins consecutive runs of the same supported language other than English. A short English run is appended to a
 * preceding run of such a language.
 */
function joined(runs: readonly Run[]): Run[] {
  const all: Run[] = [];
  for (const run of runs) {
    const before = all.at(-1);
    const isBorrowed = run.language === "en" && run.text.trim().split(" ").length <= MOST_BORROWED;
    if (
      before &&
      before.language !== undefined &&
      before.language !== "en" &&
      (isBorrowed || run.language === before.language)
    ) {
      const start = before.text.length;
      before.spans.push(...run.spans.map((span) => ({ ...span, start: span.start + start })));
      before.text += run.text;
    } else {
      all.push({ ...run, spans: [...run.spans] });
    }
  }
  return all;
}

/** Divides a run into passages of at most `LONGEST` UTF-16 units. */
function divided(run: Run): DomPassage[] {
  const whole = new DomPassage(run.text, run.language, run.spans);
  const passages: DomPassage[] = [];
  let start = 0;
  while (run.text.length - start > LONGEST) {
    const ends = [...run.text.slice(start, start + LONGEST).matchAll(SENTENCE_END)];
    const last = ends.at(-1);
    const space = run.text.lastIndexOf(" ", start + LONGEST);
    const end = last ? start + last.index + last[0].length : space > start ? space + 1 : start + LONGEST;
    passages.push(new DomPassage(run.text.slice(start, end), run.language, run.spans, start));
    start = end;
  }
  passages.push(whole.from(start));
  return passages;
}
