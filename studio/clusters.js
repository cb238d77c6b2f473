// Grapheme clusters (characters as readers see them). Positions are in UTF-16 units.

const graphemes = "Segmenter" in Intl ? new Intl.Segmenter(undefined, { granularity: "grapheme" }) : null;

export class Clusters {
  // Start of the cluster that contains each UTF-16 unit. The last entry is the length of the text.
  #start;

  constructor(text) {
    this.#start = Uint32Array.from({ length: text.length + 1 }, (_, unit) => unit);
    for (const { segment, index } of graphemes?.segment(text) ?? []) this.#start.fill(index, index, index + segment.length);
  }

  // Extends a range to whole clusters.
  range(start, end) {
    const length = this.#start.length - 1;
    const first = this.#start[Math.min(start, length)];
    let last = Math.min(end, length);
    while (last < length && this.#start[last] !== last) last += 1;
    return [first, last];
  }
}
