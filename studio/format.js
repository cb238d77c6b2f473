// Formatting of numbers, dates and times.

const counts = new Intl.NumberFormat("en-IN");
const dates = new Intl.DateTimeFormat("en-IN", { dateStyle: "medium" });
const moments = new Intl.DateTimeFormat("en-IN", { dateStyle: "medium", timeStyle: "short" });
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

export const count = (number) => counts.format(number);
export const date = (ms) => dates.format(ms);
export const moment = (ms) => moments.format(ms);

// Formats a number with a noun: "1 key", "2 keys".
export const plural = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`;

// Formats a length of audio: "3.2 s", "4 min 10 s", "2 h 5 min".
export function duration(ms) {
  if (ms < MINUTE_MS) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (ms < HOUR_MS) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

// Formats a short time: "0.3 ms", "84 ms".
export const latency = (ms) => (ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`);

// Formats a time in the past: "just now", "5 minutes ago", or the date.
export function ago(ms, now = Date.now()) {
  const past = now - ms;
  if (past < MINUTE_MS) return "just now";
  if (past < HOUR_MS) return `${plural(Math.floor(past / MINUTE_MS), "minute")} ago`;
  if (past < DAY_MS) return `${plural(Math.floor(past / HOUR_MS), "hour")} ago`;
  return date(ms);
}

// Formats the time until an event: "in 5 seconds", "in 12 minutes".
export function waiting(ms) {
  if (ms < MINUTE_MS) return `in ${plural(Math.max(1, Math.ceil(ms / 1000)), "second")}`;
  if (ms < HOUR_MS) return `in ${plural(Math.ceil(ms / MINUTE_MS), "minute")}`;
  return `in ${plural(Math.ceil(ms / HOUR_MS), "hour")}`;
}
