// The clip's loudness as bars, drawn while it comes: coloured what has been heard, pale what waits in the player,
// hollow what a barge-in threw away.

const BAR_MS = 30;
const BAR_PX = 3;
const GAP_PX = 1.5;
const SAMPLES_A_BAR = (24_000 * BAR_MS) / 1000;
const HEAD_AT = 0.72; // share of the width at which the picture begins to move
const FLOOR = 0.04;

export class Waveform {
  #canvas;
  #bars = [];
  #peak = 0;
  #inBar = 0;
  #heardMs = 0;
  #cut = false;
  #still = matchMedia("(prefers-reduced-motion: reduce)");
  #watch;

  constructor(canvas) {
    this.#canvas = canvas;
    this.#watch = new ResizeObserver(() => this.draw());
    this.#watch.observe(canvas);
  }

  // A new clip.
  clear() {
    this.#bars = [];
    this.#peak = 0;
    this.#inBar = 0;
    this.#heardMs = 0;
    this.#cut = false;
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

  // How far the listener is.
  heard(ms) {
    this.#heardMs = ms;
    this.draw();
  }

  // A barge-in: what was not heard never will be.
  cut() {
    this.#cut = true;
    this.draw();
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
    const pitch = BAR_PX + GAP_PX;
    const head = this.#heardMs / BAR_MS;
    // whoever wants little motion gets whole pages instead of a moving band
    const fit = Math.floor(width / pitch);
    const first = this.#still.matches ? Math.floor(head / fit) * fit : Math.max(0, head - (width * HEAD_AT) / pitch);
    const middle = height / 2;
    brush.fillStyle = colours.getPropertyValue("--rule");
    brush.fillRect(0, middle - 0.5, width, 1);
    for (let at = Math.floor(first); at < this.#bars.length; at += 1) {
      const x = (at - first) * pitch;
      if (x > width) break;
      const tall = Math.max(FLOOR, Math.sqrt(this.#bars[at])) * (height - 6);
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
  }
}
