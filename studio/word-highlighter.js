// Highlights words while they are spoken. The text stays in one text node, so that it can be selected and its letters
// join correctly. The CSS Custom Highlight API colours ranges of the text. In browsers without this API, the word is
// wrapped in an element.

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

  // Shows a new text without highlights.
  show(text) {
    this.#text = text;
    this.#clusters = new Clusters(text);
    this.#words = [];
    this.#node = new Text(text);
    this.#panel.replaceChildren(this.#node);
    this.#panel.scrollTop = 0;
    this.restart();
  }

  // Adds words with their timestamps, in the form of the client.
  add(words) {
    this.#words.push(...words.map((word) => ({ ...word, range: this.#clusters.range(word.charStart, word.charEnd) })));
  }

  // Highlights the word at a position of the clip. During a pause, the previous word stays highlighted.
  at(ms) {
    let index = ms < this.#words[this.#current]?.startMs ? -1 : this.#current; // moved back: search from the start
    while (index + 1 < this.#words.length && this.#words[index + 1].startMs <= ms) index += 1;
    if (index === this.#current) return;
    this.#current = index;
    const [start, end] = this.#words[index]?.range ?? [0, 0];
    this.#light("spoken", 0, start);
    this.#light("now", start, end);
    if (index >= 0) this.#follow();
  }

  // Returns the word at a position of the page in pixels; null if there is none.
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

  // Returns the word `steps` words after the highlighted word (before it if `steps` is negative). Stops at the first
  // and the last word.
  wordBeside(steps) {
    return this.#words[Math.max(0, Math.min(this.#current + steps, this.#words.length - 1))] ?? null;
  }

  // Marks the text after a position, in UTF-16 units, as not sent. This text is shown pale.
  sent(unit) {
    this.#light("unsent", unit, this.#text.length);
  }

  // Ends the turn. The part that was heard stays highlighted, up to `charEnd` in UTF-16 units; null means all of the
  // text.
  finish(charEnd = null) {
    const end = charEnd === null ? this.#text.length : this.#clusters.range(0, charEnd)[1];
    this.#light("now", 0, 0);
    this.#light("unsent", 0, 0);
    this.#light("spoken", 0, end);
    this.#light("unheard", end, this.#text.length);
  }

  // Removes all highlights, so that the clip can be played again.
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

  // Scrolls a panel with a long text to the highlighted word.
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
