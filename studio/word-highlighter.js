// Words that light up while they are spoken. The text stays one piece (it can be selected, and its letters join as
// they should): the browser's highlights colour parts of it from outside. Without them the word is wrapped instead.

import { el } from "./dom.js";
import { Clusters } from "./clusters.js";

const NAMES = ["spoken", "now", "unheard", "unsent"];

export class WordHighlighter {
  #panel;
  #text = "";
  #node = null;
  #clusters = null;
  #words = [];
  #current = -1;

  constructor(panel) {
    this.#panel = panel;
  }

  // Shows a new text with no light on.
  show(text) {
    this.#text = text;
    this.#clusters = new Clusters(text);
    this.#words = [];
    this.#node = new Text(text);
    this.#panel.replaceChildren(this.#node);
    this.#panel.scrollTop = 0;
    this.restart();
  }

  // Adds words with their times, as the client reports them.
  add(words) {
    this.#words.push(...words.map((word) => ({ ...word, range: this.#clusters.range(word.charStart, word.charEnd) })));
  }

  // Lights the word of a moment of the clip; a pause keeps the word before it.
  at(ms) {
    let index = ms < this.#words[this.#current]?.startMs ? -1 : this.#current; // it went back
    while (index + 1 < this.#words.length && this.#words[index + 1].startMs <= ms) index += 1;
    if (index === this.#current) return;
    this.#current = index;
    const [start, end] = this.#words[index]?.range ?? [0, 0];
    this.#light("spoken", 0, start);
    this.#light("now", start, end);
    if (index >= 0) this.#follow();
  }

  // The word at a place of the page, in pixels; null where there is none.
  wordAt(x, y) {
    const caret = document.caretPositionFromPoint?.(x, y) ?? document.caretRangeFromPoint?.(x, y);
    const node = caret?.offsetNode ?? caret?.startContainer;
    if (!node || !this.#panel.contains(node) || node.nodeType !== Node.TEXT_NODE) return null;
    const range = new Range();
    range.setStart(this.#panel, 0);
    range.setEnd(node, caret.offset ?? caret.startOffset);
    const unit = range.toString().length;
    return this.#words.findLast(({ range: [start, end] }) => start <= unit && unit <= end) ?? null;
  }

  // The word that is `steps` behind the lit one, or before it; the first or last one where there are no more.
  wordBeside(steps) {
    return this.#words[Math.max(0, Math.min(this.#current + steps, this.#words.length - 1))] ?? null;
  }

  // What of the text has been sent, in UTF-16 units: the rest is pale.
  sent(unit) {
    this.#light("unsent", unit, this.#text.length);
  }

  // The end of the turn: the part that was heard stays highlighted. `charEnd`: in UTF-16 units; null: all of it.
  finish(charEnd = null) {
    const end = charEnd === null ? this.#text.length : this.#clusters.range(0, charEnd)[1];
    this.#light("now", 0, 0);
    this.#light("unsent", 0, 0);
    this.#light("spoken", 0, end);
    this.#light("unheard", end, this.#text.length);
  }

  // Takes every light off, for the words to light up anew.
  restart() {
    this.#current = -1;
    for (const name of NAMES) this.#light(name, 0, 0);
  }

  clear() {
    for (const name of NAMES) globalThis.CSS?.highlights?.delete(name);
  }

  #light(name, start, end) {
    if (!globalThis.CSS?.highlights) {
      if (name === "now") this.#wrap(start, end);
      return;
    }
    const range = new Range();
    range.setStart(this.#node, start);
    range.setEnd(this.#node, end);
    CSS.highlights.set(name, new Highlight(range));
  }

  #wrap(start, end) {
    this.#panel.replaceChildren(this.#text.slice(0, start), el("mark", {}, this.#text.slice(start, end)), this.#text.slice(end));
  }

  // Keeps the word in sight in a text that is longer than its panel.
  #follow() {
    if (!globalThis.CSS?.highlights) return;
    const [start, end] = this.#words[this.#current].range;
    const range = new Range();
    range.setStart(this.#node, start);
    range.setEnd(this.#node, end);
    const word = range.getBoundingClientRect();
    const panel = this.#panel.getBoundingClientRect();
    if (word.bottom > panel.bottom - 8 || word.top < panel.top) this.#panel.scrollTop += word.top - panel.top - panel.height / 3;
  }
}
