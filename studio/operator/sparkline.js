// Line chart of the latest values of a figure, without axes. Screen readers get the range of the values in words.

import { el, svg } from "../dom.js";

const WIDTH = 240;
const HEIGHT = 44;
const EDGE = 3; // margin, so that the line is not clipped

// Returns the segments of the line as "x,y x,y …". `values` are in order of time, with `null` for missing values. The
// newest value is at the right edge, and `most` values fill the width.
export function linesOf(values, most) {
  const known = values.filter((value) => value !== null);
  const top = Math.max(...known, 0) || 1;
  const step = (WIDTH - 2 * EDGE) / (most - 1);
  const made = [[]];
  values.forEach((value, at) => {
    if (value === null) {
      made.push([]);
      return;
    }
    const x = WIDTH - EDGE - (values.length - 1 - at) * step;
    const y = HEIGHT - EDGE - (value / top) * (HEIGHT - 2 * EDGE);
    made.at(-1).push(`${x.toFixed(1)},${y.toFixed(1)}`);
  });
  // repeat a single point: a line of length 0 with round ends is drawn as a dot
  return made.filter(({ length }) => length > 0).map((points) => (points.length > 1 ? points : [...points, ...points]).join(" "));
}

// Creates a figure with its line. `now` is the current value in words; `say(value)` formats a value.
export function sparkline({ name, now, values, most, say }) {
  const known = values.filter((value) => value !== null);
  const range = known.length > 0 ? `between ${say(Math.min(...known))} and ${say(Math.max(...known))}` : "not measured yet";
  const line = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${name} while this page is open: ${range}` },
    ...linesOf(values, most).map((points) => svg("polyline", { points })));
  return el("div", { class: "sparkline" }, el("dl", { class: "figures" }, el("div", {}, el("dt", {}, name), el("dd", {}, now))), line);
}
