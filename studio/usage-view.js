// View for all usage pages: shows the usage in a range of days as a chart, and offers it as a file.

import { chart } from "./chart.js";
import { csv } from "./csv.js";
import { el, field } from "./dom.js";
import { count, DAY_MS, duration } from "./format.js";
import { noticeBoard, retryNotice } from "./notice.js";
import { session } from "./session.js";
import { download } from "./wav.js";

const MEASURES = { chars: ["Characters", count], requests: ["Clips and turns", count], audio_ms: ["Sound", duration] };
const APIS = {
  clip: "POST /v1/tts", clip_url: "GET /v1/clips", turn: "/v1/tts/stream", openai: "OpenAI", cartesia: "Cartesia",
  deepgram: "Deepgram", elevenlabs: "ElevenLabs", sarvam: "Sarvam", jambonz: "jambonz", vapi: "Vapi", wyoming: "Wyoming",
  unknown: "Not noted",
};
const LONGEST_DAYS = 366;
const day = (ms) => new Date(ms).toISOString().slice(0, 10);

// Functions that return the name of a row, by the field that groups the rows.
const NAMES = {
  language: (row) => session.language(row.language).name,
  voice: (row) => row.voice,
  api: (row) => APIS[row.api] ?? row.api,
  key: (row) => (row.key === "playground" ? "Playground" : `${row.name} (${row.key}…)`),
};

// `fetch(from, to)` returns `{days}`, and `keys` if `byKey` is true. `none` returns the text for days without usage.
// Returns the elements, and `load`, which fills them.
export function usageView({ fetch, byKey = false, file, none }) {
  const board = noticeBoard();
  const options = (pairs, chosen) => pairs.map(([value, label]) => el("option", { value, selected: value === chosen }, label));
  const from = field("From", el("input", { type: "date", value: day(Date.now() - 29 * DAY_MS) }));
  const to = field("To", el("input", { type: "date", value: day(Date.now()) }));
  const measure = field("Count", el("select", {}, ...options(Object.entries(MEASURES).map(([value, [label]]) => [value, label]), "chars")));
  const groups = [["language", "Language"], ["voice", "Voice"], ["api", "API"], ...(byKey ? [["key", "Key"]] : [])];
  const by = field("By", el("select", {}, ...options(groups, "language")));
  const picture = el("div", {});
  let usage = { days: [], keys: [] };

  const draw = () => {
    const [label, say] = MEASURES[measure.control.value];
    const rows = by.control.value === "key" ? usage.keys : usage.days;
    const total = (name) => rows.reduce((sum, row) => sum + row[name], 0);
    const name = NAMES[by.control.value];
    picture.replaceChildren(
      el("dl", { class: "figures" }, ...Object.entries(MEASURES).map(([each, [heading, tell]]) => el("div", {}, el("dt", {}, heading), el("dd", {}, tell(total(each)))))),
      rows.length === 0 ? none()
        : chart({ days: daysBetween(from.control.value, to.control.value), rows: rows.map((row) => ({ day: row.day, series: name(row), value: row[measure.control.value] })), label, say }));
    // if the days do not all fit, show the last days first
    requestAnimationFrame(() => picture.querySelector(".scroll")?.scrollBy({ left: 1e6, behavior: "instant" }));
  };
  const load = async () => {
    const [first, last] = [from.control.value, to.control.value];
    const span = (Date.parse(last) - Date.parse(first)) / DAY_MS;
    from.complain(!first || !last || span < 0 ? "The first day must not be after the last day." : span > LONGEST_DAYS ? "Choose at most one year." : null);
    if (!(span >= 0 && span <= LONGEST_DAYS)) return;
    board.clear();
    const isStale = () => first !== from.control.value || last !== to.control.value; // other days have been chosen since
    try {
      const answer = await fetch(first, last);
      if (isStale()) return;
      usage = answer;
      draw();
    } catch (failure) {
      if (isStale()) return;
      board.show(retryNotice(failure, load));
    }
  };
  const asCsv = el("button", { type: "button", class: "quiet", on: { click: () => {
    const isByKey = by.control.value === "key";
    const what = isByKey ? ["key", "name"] : ["voice", "language", "api"];
    const fields = ["day", ...what, ...Object.keys(MEASURES)];
    const rows = (isByKey ? usage.keys : usage.days).map((row) => fields.map((name) => row[name]));
    download(csv(fields, rows), `${file}-${from.control.value}-${to.control.value}.csv`);
  } } }, "Download CSV");
  for (const block of [from, to]) block.control.addEventListener("change", load);
  for (const block of [measure, by]) block.control.addEventListener("change", draw);
  return { elements: [el("div", { class: "filters" }, from, to, measure, by, asCsv), board, picture], load };
}

function daysBetween(from, to) {
  const days = [];
  for (let at = Date.parse(from); at <= Date.parse(to); at += DAY_MS) days.push(day(at));
  return days;
}
