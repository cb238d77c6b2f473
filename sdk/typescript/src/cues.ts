/**
 * Subtitles from word timestamps. They equal those of `shruti say --subtitles`. The cases in
 * `sdk/conformance/cues.json` test both implementations.
 */

import { columns } from "./columns.js";
import type { Word } from "./events.js";

/** Maximum width of a line, in columns. */
const LINE = 42;
/** Maximum duration of a cue, in milliseconds. */
const LONGEST_MS = 7_000;
/** Minimum duration, in milliseconds, for a cue to end after a sentence. */
const SENTENCE_MS = 1_200;
/** Minimum duration of a cue, in milliseconds. A cue is shorter if the next cue starts before then. */
const SHORTEST_MS = 1_000;
/** Minimum pause between two words that ends a cue, in milliseconds. */
const PAUSE_MS = 1_000;
/**
 * Number of columns that is subtracted from the width difference between the two lines of a cue if the first line ends
 * with a clause. The split with the smallest result is used.
 */
const CLAUSE_BONUS = 12;
const SENTENCE_END = /[.?!…।॥۔؟]["'”’»)\]]*$/u;
const CLAUSE_END = /[.?!…।॥۔؟,;:،؛—–]["'”’»)\]]*$/u;
const MARKDOWN = /^[*_~`#]+|[*_~`#]+$/gu;

/** Words that are shown together, on one or two lines. */
export interface Cue {
  readonly startMs: number;
  readonly endMs: number;
  readonly lines: readonly string[];
}

/** A word as displayed. */
interface ShownWord {
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly charEnd: number;
  /** Whether no white space precedes the word. */
  readonly joined: boolean;
}

/** Groups words into cues. */
export class Cues {
  /** Words of the current cue, which is not complete. */
  #words: ShownWord[] = [];
  /** Cue whose end time is not final, because it depends on the next cue. */
  #last: Cue | undefined;

  /**
   * Adds the next word. Its times are relative to the start of the subtitles. Returns the cues that the word completes.
   */
  push(word: Pick<Word, "text" | "startMs" | "endMs" | "charStart" | "charEnd">): Cue[] {
    const text = word.text.replace(MARKDOWN, "");
    if (text === "") return [];
    const complete: Cue[] = [];
    const [first, last] = [this.#words[0], this.#words.at(-1)];
    if (first && last) {
      const pauses = word.startMs - last.endMs >= PAUSE_MS;
      const endsSentence = SENTENCE_END.test(last.text) && last.endMs - first.startMs >= SENTENCE_MS;
      if (pauses || endsSentence) this.#endAfter(this.#words.length, complete);
    }
    const { startMs, endMs, charStart, charEnd } = word;
    this.#words.push({ text, startMs, endMs, charEnd, joined: last?.charEnd === charStart });
    // repeat, because the words that remain after a split may still be too long for one cue
    while (this.#words.length > 1 && !fits(this.#words)) this.#endAfter(bestEnd(this.#words), complete);
    return complete;
  }

  /** Returns the remaining cues. Call it after the last word. */
  finish(): Cue[] {
    const complete: Cue[] = [];
    if (this.#words.length > 0) this.#endAfter(this.#words.length, complete);
    if (this.#last) complete.push(lengthened(this.#last, Infinity));
    this.#last = undefined;
    return complete;
  }

  /** Makes a cue of the first `count` words, and adds the previous cue to `complete`. */
  #endAfter(count: number, complete: Cue[]): void {
    const words = this.#words.splice(0, count);
    const startMs = words[0]?.startMs ?? 0;
    if (this.#last) complete.push(lengthened(this.#last, startMs));
    this.#last = { startMs, endMs: words.at(-1)?.endMs ?? startMs, lines: lines(words) };
  }
}

/** Extends a cue to the minimum duration, but not beyond `nextMs`, the start of the next cue. */
function lengthened(cue: Cue, nextMs: number): Cue {
  const wanted = Math.max(cue.endMs, cue.startMs + SHORTEST_MS);
  return { ...cue, endMs: Math.max(cue.startMs, Math.min(wanted, nextMs)) };
}

/** Returns whether all words fit in one cue. */
function fits(words: readonly ShownWord[]): boolean {
  let firstLine = 1;
  while (firstLine < words.length && width(words.slice(0, firstLine + 1)) <= LINE) firstLine += 1;
  const lastsMs = (words.at(-1)?.endMs ?? 0) - (words[0]?.startMs ?? 0);
  return lastsMs <= LONGEST_MS && width(words.slice(firstLine)) <= LINE;
}

/**
 * Returns the number of words in the next cue: the words up to the last end of a clause if they are at least half a
 * line wide, otherwise all words except the last one.
 */
function bestEnd(words: readonly ShownWord[]): number {
  const most = words.length - 1;
  const clause = words.slice(0, most).findLastIndex(({ text }) => CLAUSE_END.test(text)) + 1;
  return clause > 0 && width(words.slice(0, clause)) >= LINE / 2 ? clause : most;
}

/** Splits words into one line, or into two lines of similar width, preferably after a clause. */
function lines(words: readonly ShownWord[]): string[] {
  if (width(words) <= LINE) return [join(words)];
  let best: { end: number; tooWide: number; uneven: number } | undefined;
  for (let end = 1; end < words.length; end += 1) {
    if (words[end]?.joined) continue;
    const [first, second] = [width(words.slice(0, end)), width(words.slice(end))];
    const tooWide = Math.max(0, Math.max(first, second) - LINE);
    const bonus = CLAUSE_END.test(words[end - 1]?.text ?? "") ? CLAUSE_BONUS : 0;
    const uneven = Math.abs(first - second) - bonus;
    if (!best || tooWide < best.tooWide || (tooWide === best.tooWide && uneven < best.uneven)) {
      best = { end, tooWide, uneven };
    }
  }
  return best ? [join(words.slice(0, best.end)), join(words.slice(best.end))] : [join(words)];
}

function join(words: readonly ShownWord[]): string {
  return words.map(({ text, joined }, at) => (at === 0 || joined ? text : ` ${text}`)).join("");
}

function width(words: readonly ShownWord[]): number {
  return columns(join(words));
}

/** Formats a time as `HH:MM:SS.mmm`, with the given decimal separator. */
function time(ms: number, separator: string): string {
  const digits = (value: number, count = 2) => String(Math.floor(value)).padStart(count, "0");
  const [hours, minutes, seconds] = [ms / 3_600_000, (ms / 60_000) % 60, (ms / 1_000) % 60];
  return `${digits(hours)}:${digits(minutes)}:${digits(seconds)}${separator}${digits(ms % 1_000, 3)}`;
}

const escaped = (line: string) => line.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Returns a WebVTT file with these cues. */
export function webVtt(cues: readonly Cue[]): string {
  const blocks = cues.map(({ startMs, endMs, lines }) => {
    return `${time(startMs, ".")} --> ${time(endMs, ".")}\n${lines.map(escaped).join("\n")}\n`;
  });
  return ["WEBVTT\n", ...blocks].join("\n");
}

/** Returns a SubRip file with these cues. */
export function subRip(cues: readonly Cue[]): string {
  const blocks = cues.map(({ startMs, endMs, lines }, at) => {
    // SubRip has no escapes, and players would interpret a line with `-->` as the times of a cue
    const text = lines.join("\n").replaceAll("-->", "→");
    return `${at + 1}\n${time(startMs, ",")} --> ${time(endMs, ",")}\n${text}\n`;
  });
  return blocks.join("\n");
}
