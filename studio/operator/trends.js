// First audio and streams of the server over the last minutes, from its health as the page asks for it again and again.

import { el } from "../dom.js";
import { count, latency } from "../format.js";
import { sparkline } from "./sparkline.js";

// Values that are kept: five minutes of them, a value every five seconds.
export const EVERY_MS = 5_000;
const MOST = 60;

const mean = ({ count: times, total_ms: ms }) => (times > 0 ? ms / times : null);

// The mean time to first audio between two answers of the server; null where nothing was spoken, or the server has started
// anew.
export function between(before, after) {
  const times = after.count - before.count;
  return times > 0 ? (after.total_ms - before.total_ms) / times : null;
}

// Gives the element and `add(health)`, which takes an answer of the server.
export function trends() {
  const element = el("div", { class: "trends" });
  const [firstAudio, streams] = [[], []];
  let before = null;
  const keep = (values, value) => values.push(value) > MOST && values.shift();
  const add = (health) => {
    const since = before ? between(before, health.first_audio) : null;
    before = health.first_audio;
    keep(firstAudio, since);
    keep(streams, health.streams);
    const last = firstAudio.findLast((value) => value !== null) ?? mean(health.first_audio);
    element.replaceChildren(
      sparkline({ name: "First audio, mean", now: last === null ? "–" : latency(last), values: firstAudio, most: MOST, say: latency }),
      sparkline({ name: "Streams now", now: `${count(health.streams)} of ${count(health.max_streams)}`, values: streams, most: MOST, say: count }));
  };
  return { element, add };
}
