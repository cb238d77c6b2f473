// Chart of stacked bars, one bar per day. The same values are available as a table, for screen readers and other users.

import { el, svg } from "./dom.js";

const WIDTH = 960;
const HEIGHT = 280;
const LEFT = 64;
const BOTTOM = 26;
const TOP = 10;
const COLOURS = 12;
const DAY_LABELS = 8;

const shortDay = new Intl.DateTimeFormat("en-IN", { day: "numeric", month: "short", timeZone: "UTC" });

// `days`: all days as YYYY-MM-DD. `rows`: [{day, series, value}]. `say` formats a value.
export function chart({ days, rows, label, say }) {
  const sums = new Map();
  const totals = new Map();
  for (const { day, series, value } of rows) {
    if (!sums.has(series)) sums.set(series, new Map());
    const bySeries = sums.get(series);
    bySeries.set(day, (bySeries.get(day) ?? 0) + value);
    totals.set(day, (totals.get(day) ?? 0) + value);
  }
  const whole = (series) => [...sums.get(series).values()].reduce((sum, value) => sum + value, 0);
  const series = [...sums.keys()].sort((left, right) => whole(right) - whole(left));
  return el("div", { class: "chart" }, picture(days, series, sums, totals, label, say), legend(series, whole, say), table(days, series, sums, totals, label, say));
}

const colour = (at) => `series-${at % COLOURS}`;

function picture(days, series, sums, totals, label, say) {
  const top = roundUp(Math.max(1, ...totals.values()));
  const y = (value) => HEIGHT - BOTTOM - (value / top) * (HEIGHT - BOTTOM - TOP);
  const step = (WIDTH - LEFT) / days.length;
  const thick = Math.max(1, Math.min(36, step * 0.72));
  const lines = [0, top / 2, top].flatMap((value) => [
    svg("line", { class: "grid", x1: LEFT, x2: WIDTH, y1: y(value), y2: y(value) }),
    svg("text", { class: "tick", x: LEFT - 8, y: y(value) + 4, "text-anchor": "end" }, say(value))]);
  const bars = days.flatMap((day, at) => {
    let below = 0;
    return series.flatMap((name, index) => {
      const value = sums.get(name).get(day) ?? 0;
      if (value === 0) return [];
      const bar = svg("rect", { class: colour(index), x: LEFT + at * step + (step - thick) / 2, width: thick, y: y(below + value), height: y(below) - y(below + value) },
        svg("title", {}, `${shortDay.format(Date.parse(day))}, ${name}: ${say(value)}`));
      below += value;
      return [bar];
    });
  });
  const every = Math.ceil(days.length / DAY_LABELS);
  const names = days.map((day, at) => (at % every === 0
    ? svg("text", { class: "tick", x: LEFT + (at + 0.5) * step, y: HEIGHT - 6, "text-anchor": "middle" }, shortDay.format(Date.parse(day))) : null));
  const told = `${label} per day; the same figures follow as a table`;
  const attributes = { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": told };
  const picture = svg("svg", attributes, ...lines, ...bars, ...names);
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Usage chart" }, picture);
}

// Returns the smallest round number that is at least `value` and whose half is also round.
function roundUp(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 1.2, 1.6, 2, 3, 4, 5, 6, 8, 10].map((digit) => digit * power).find((round) => round >= value);
}

function legend(series, whole, say) {
  return el("ul", { class: "legend" }, ...series.map((name, at) => el("li", {}, svg("svg", { viewBox: "0 0 10 10", "aria-hidden": "true" }, svg("rect", { class: colour(at), width: 10, height: 10, rx: 2 })),
    ` ${name} `, el("strong", {}, say(whole(name))))));
}

function table(days, series, sums, totals, label, say) {
  const used = days.filter((day) => totals.has(day)).reverse();
  return el("details", {}, el("summary", {}, "As a table"), el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Usage table" }, el("table", {},
    el("caption", { class: "unseen" }, `${label} a day`),
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Day"), ...series.map((name) => el("th", { scope: "col" }, name)), el("th", { scope: "col" }, "Sum"))),
    el("tbody", {}, ...used.map((day) => el("tr", {}, el("th", { scope: "row" }, day),
      ...series.map((name) => el("td", {}, sums.get(name).has(day) ? say(sums.get(name).get(day)) : "–")), el("td", {}, say(totals.get(day)))))))));
}
