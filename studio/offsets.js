// The wire counts Unicode scalar values, JavaScript UTF-16 units, and readers grapheme clusters: from one to the other.

const graphemes = "Segmenter" in Intl ? new Intl.Segmenter(undefined, { granularity: "grapheme" }) : null;

export class Offsets {
  #units;
  #cluster;

  constructor(text) {
    this.#units = new Uint32Array(scalarCount(text) + 1);
    let unit = 0;
    let at = 0;
    for (const scalar of text) {
      this.#units[at] = unit;
      unit += scalar.length;
      at += 1;
    }
    this.#units[at] = unit;
    // where the cluster of each UTF-16 unit begins
    this.#cluster = new Uint32Array(unit + 1);
    this.#cluster[unit] = unit;
    for (const { segment, index } of graphemes?.segment(text) ?? []) this.#cluster.fill(index, index, index + segment.length);
    if (!graphemes) for (let index = 0; index < unit; index += 1) this.#cluster[index] = index;
  }

  // UTF-16 index of a scalar value; past the end, the end.
  unit(scalar) {
    return this.#units[Math.max(0, Math.min(scalar, this.#units.length - 1))];
  }

  // UTF-16 range of scalar values from `start` to `end`, widened to whole grapheme clusters.
  range(start, end) {
    const first = this.#cluster[this.unit(start)];
    let last = this.unit(end);
    while (last < this.#cluster.length - 1 && this.#cluster[last] !== last) last += 1;
    return [first, last];
  }
}

// How long a text is on the wire.
export function scalarCount(text) {
  let number = 0;
  for (const _scalar of text) number += 1;
  return number;
}
