// Subtitles from the times of words: cues of two short lines, as `shruti say` makes them (crates/shruti/src/say/cues.rs);
// files of WebVTT and SubRip.

const LINE = 42; // columns
const LONGEST_MS = 7_000;
const SENTENCE_MS = 1_200; // a cue that has been shown so long ends with its sentence
const SHORTEST_MS = 1_000;
const PAUSE_MS = 1_000; // ends a cue
const SENTENCE = /[.?!…।॥۔]["'”’»)\]]*$/u;
const CLAUSE = /[.?!…।॥۔,;:—–]["'”’»)\]]*$/u;

// What stands above or below a letter takes no column.
const columns = (text) => text.replace(/\p{M}/gu, "").length;
const join = (words) => words.map(({ text, joined }, at) => (at === 0 || joined ? text : ` ${text}`)).join("");
const width = (words) => columns(join(words));

export class Cues {
  // Those that are whole: {startMs, endMs, lines}.
  cues = [];
  #words = [];

  // `word`: as the server tells it, with times of the whole.
  push({ text: written, start_ms: startMs, end_ms: endMs, char_start: charStart, char_end: charEnd }) {
    const text = written.replace(/^[*_~`#]+|[*_~`#]+$/gu, ""); // marks of Markdown are not to be shown
    if (!text) return;
    const last = this.#words.at(-1);
    if (last && (startMs - last.endMs >= PAUSE_MS || (SENTENCE.test(last.text) && last.endMs - this.#words[0].startMs >= SENTENCE_MS))) this.#endBehind(this.#words.length);
    this.#words.push({ text, startMs, endMs, charEnd, joined: last?.charEnd === charStart });
    while (this.#words.length > 1 && !fits(this.#words)) this.#endBehind(bestEnd(this.#words));
  }

  // Gives all cues; no more words come.
  finish() {
    if (this.#words.length > 0) this.#endBehind(this.#words.length);
    if (this.cues.length > 0) lengthen(this.cues.at(-1), Infinity);
    return this.cues;
  }

  #endBehind(number) {
    const words = this.#words.splice(0, number);
    const cue = { startMs: words[0].startMs, endMs: words.at(-1).endMs, lines: lines(words) };
    if (this.cues.length > 0) lengthen(this.cues.at(-1), cue.startMs);
    this.cues.push(cue);
  }
}

function lengthen(cue, nextMs) {
  cue.endMs = Math.max(cue.startMs, Math.min(nextMs, Math.max(cue.endMs, cue.startMs + SHORTEST_MS)));
}

// Whether words can be shown together.
function fits(words) {
  let first = 1;
  while (first < words.length && width(words.slice(0, first + 1)) <= LINE) first += 1;
  return words.at(-1).endMs - words[0].startMs <= LONGEST_MS && width(words.slice(first)) <= LINE;
}

// Behind how many words a cue ends that can take no more: the last clause, if that leaves a good part of it.
function bestEnd(words) {
  const most = words.length - 1;
  for (let end = most; end > 0; end -= 1) if (CLAUSE.test(words[end - 1].text)) return width(words.slice(0, end)) >= LINE / 2 ? end : most;
  return most;
}

// One line, or two of which neither is much longer than the other; behind a clause where that is about as good.
function lines(words) {
  if (width(words) <= LINE) return [join(words)];
  let best = null;
  for (let end = 1; end < words.length; end += 1) {
    if (words[end].joined) continue;
    const [first, second] = [width(words.slice(0, end)), width(words.slice(end))];
    const cost = Math.max(first, second, LINE) * 1_000 + Math.abs(first - second) - (CLAUSE.test(words[end - 1].text) ? 12 : 0);
    if (best === null || cost < best.cost) best = { end, cost };
  }
  return best ? [join(words.slice(0, best.end)), join(words.slice(best.end))] : [join(words)];
}

function time(ms, point) {
  const two = (number) => String(Math.floor(number)).padStart(2, "0");
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1_000) % 60)}${point}${String(Math.floor(ms % 1_000)).padStart(3, "0")}`;
}

const escaped = (line) => line.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

export const webVtt = (cues) =>
  ["WEBVTT\n", ...cues.map(({ startMs, endMs, lines }) => `${time(startMs, ".")} --> ${time(endMs, ".")}\n${lines.map(escaped).join("\n")}\n`)].join("\n");

// It has no escapes; `-->` alone would be taken for times.
export const subRip = (cues) =>
  cues.map(({ startMs, endMs, lines }, at) => `${at + 1}\n${time(startMs, ",")} --> ${time(endMs, ",")}\n${lines.join("\n").replaceAll("-->", "→")}\n`).join("\n");
