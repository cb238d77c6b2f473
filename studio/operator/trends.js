// Time to first audio and number of streams in the last minutes, from repeated health requests to the server.

import { el } from "../dom.js";
import { count, latency } from "../format.js";
import { sparkline } from "./sparkline.js";

// Interval of the requests in milliseconds, and maximum number of values, which cover five minutes.
export const EVERY_MS = 5_000;
const MOST = 60;

const mean = ({ count: times, total_ms: ms }) => (times > 0 ? ms / times : null);

// Returns the mean time to first audio between two responses; null if nothing was spoken or the server has restarted.
export function between(before, after) {
  const times = after.count - before.count;
  return times > 0 ? (after.total_ms - before.total_ms) / times : null;
}

// Returns the element and `add(health)`, which adds a response.
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
