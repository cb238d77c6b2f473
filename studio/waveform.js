// Shows the loudness of a clip as bars: a moving section while the clip is received, and the whole clip afterwards. The
// part that was heard is coloured, the part that has not been heard yet is pale, and the part that a barge-in discarded
// is hollow.

const BAR_MS = 30;
const BAR_PX = 3;
const GAP_PX = 1.5;
const PITCH_PX = BAR_PX + GAP_PX;
const SAMPLES_A_BAR = (24_000 * BAR_MS) / 1000;
const HEAD_AT = 0.72; // position of the playback in the moving section, as a fraction of the width
const FLOOR = 0.04;

export class Waveform {
  #canvas;
  #bars = [];
  #peak = 0;
  #inBar = 0;
  #heardMs = 0;
  #cut = false;
  #whole = false;
  #still = matchMedia("(prefers-reduced-motion: reduce)");
  #watch;
  #redraw = () => this.draw();
  #theme = new MutationObserver(this.#redraw);
  #dark = matchMedia("(prefers-color-scheme: dark)");

  constructor(canvas) {
    this.#canvas = canvas;
    this.#watch = new ResizeObserver(this.#redraw);
    this.#watch.observe(canvas);
    // redraw when the system or the user's choice of theme changes the colours
    this.#dark.addEventListener("change", this.#redraw);
    this.#theme.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  }

  // Starts a new clip.
  clear() {
    this.#bars = [];
    this.#peak = 0;
    this.#inBar = 0;
    this.#heardMs = 0;
    this.#cut = false;
    this.#whole = false;
    this.draw();
  }

  // Shows the whole clip from now on.
  showWhole() {
    this.#whole = true;
    this.draw();
  }

  add(samples) {
    for (const sample of samples) {
      this.#peak = Math.max(this.#peak, Math.abs(sample));
      this.#inBar += 1;
      if (this.#inBar < SAMPLES_A_BAR) continue;
      this.#bars.push(this.#peak / 32_768);
      this.#peak = 0;
      this.#inBar = 0;
    }
  }

  // Sets the position of the listener.
  heard(ms) {
    this.#heardMs = ms;
    this.draw();
  }

  // Marks the rest of the clip as discarded by a barge-in; if `is` is false, removes the mark.
  cut(is = true) {
    this.#cut = is;
    this.draw();
  }

  // Returns the first visible bar and the number of bars per column.
  #view() {
    const columns = Math.max(1, Math.floor(this.#canvas.clientWidth / PITCH_PX));
    // a clip of any length fills the width, because its slider covers the width
    if (this.#whole) return { first: 0, barsAColumn: Math.max(this.#bars.length, 1) / columns };
    const head = this.#heardMs / BAR_MS;
    // users who prefer reduced motion see one section after another instead of a moving section
    return { first: this.#still.matches ? Math.floor(head / columns) * columns : Math.max(0, head - columns * HEAD_AT), barsAColumn: 1 };
  }

  draw() {
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    const scale = devicePixelRatio || 1;
    if (this.#canvas.width !== Math.round(width * scale)) this.#canvas.width = Math.round(width * scale);
    if (this.#canvas.height !== Math.round(height * scale)) this.#canvas.height = Math.round(height * scale);
    const brush = this.#canvas.getContext("2d");
    const colours = getComputedStyle(this.#canvas);
    brush.setTransform(scale, 0, 0, scale, 0, 0);
    brush.clearRect(0, 0, width, height);
    const head = this.#heardMs / BAR_MS;
    const { first, barsAColumn } = this.#view();
    const middle = height / 2;
    brush.fillStyle = colours.getPropertyValue("--rule");
    brush.fillRect(0, middle - 0.5, width, 1);
    for (let column = 0; ; column += 1) {
      const at = Math.floor(first) + Math.floor(column * barsAColumn);
      const x = (column - (first % 1)) * PITCH_PX;
      if (x > width || at >= this.#bars.length) break;
      const shown = this.#bars.slice(at, Math.max(at + 1, Math.floor(first) + Math.floor((column + 1) * barsAColumn)));
      const tall = Math.max(FLOOR, Math.sqrt(Math.max(...shown))) * (height - 6);
      brush.beginPath();
      brush.roundRect(x, middle - tall / 2, BAR_PX, tall, BAR_PX / 2);
      if (at < head) {
        brush.fillStyle = colours.getPropertyValue("--mark");
        brush.fill();
      } else if (this.#cut) {
        brush.strokeStyle = colours.getPropertyValue("--rule");
        brush.lineWidth = 1;
        brush.stroke();
      } else {
        brush.fillStyle = colours.getPropertyValue("--faint");
        brush.fill();
      }
    }
  }

  close() {
    this.#watch.disconnect();
    this.#theme.disconnect();
    this.#dark.removeEventListener("change", this.#redraw);
  }
}
