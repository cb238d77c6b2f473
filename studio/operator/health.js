// Page about the health of the server.

import { announce, el } from "../dom.js";
import { ago, count } from "../format.js";
import { attempt, note, noticeBoard } from "../notice.js";
import { operatorApi } from "./api.js";
import { fact, frame } from "./frame.js";
import { EVERY_MS, trends } from "./trends.js";

export const title = "Health";

const LITTLE_ROOM = 2 ** 30;
const UNITS = [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10]];

function size(bytes) {
  const [unit, factor] = UNITS.find(([, least]) => bytes >= least) ?? ["bytes", 1];
  return `${factor === 1 ? bytes : (bytes / factor).toFixed(1)} ${unit}`;
}

export async function render(root, { path }) {
  frame(root, title, path);
  const board = noticeBoard();
  const state = el("div", {});
  const told = el("div", {});
  const again = el("button", { type: "button" }, "Refresh");
  const lines = trends();
  let shown = null; // the problems that are currently shown, as JSON
  const take = (health) => {
    lines.add(health);
    const troubles = troublesOf(health);
    // replace the notice only if it has changed, because screen readers read every inserted notice
    if (JSON.stringify(troubles) !== shown) state.replaceChildren(notice(troubles));
    shown = JSON.stringify(troubles);
  };
  const load = async () => {
    const health = await operatorApi.health();
    take(health);
    told.replaceChildren(...described(health));
  };
  again.addEventListener("click", async () => {
    if (await attempt(board, again, load)) announce("As of now");
  });
  await load();
  root.append(el("div", { class: "row" }, again), board, state, lines.element, told,
    el("p", { class: "hint" }, `The lines have a value every ${EVERY_MS / 1000} s while this page is open. Counts are since this server's start; where several servers share a database, of the one that answered. More: `, el("code", {}, "/metrics"), " and ", el("code", {}, "shruti doctor"), "."));
  // a failure is ignored here, because the next attempt may succeed; only Refresh shows failures
  const timer = setInterval(() => document.hidden || operatorApi.health().then(take, () => {}), EVERY_MS);
  return () => clearInterval(timer);
}

function troublesOf({ draining, streams, max_streams: most, store, backends, left_out: leftOut }) {
  return [
    draining && "The server is shutting down and accepts no new work.",
    !store.well && "The database cannot be read. The log of the server shows the reason.",
    store.free_bytes !== undefined && store.free_bytes !== null && store.free_bytes < LITTLE_ROOM && "The disk of the database is almost full: free some space.",
    streams >= most && "No stream is free: new ones are refused.",
    ...backends.filter((one) => !one.usable).map((one) => `${one.name} cannot speak at the moment. The log of the server shows the reason.`),
    ...leftOut.map(({ name, reason }) => `The pack ${name} cannot be used: ${reason}`)].filter(Boolean);
}

const notice = (troubles) =>
  troubles.length === 0 ? note("good", "Healthy.") : el("div", { class: "notice bad", role: "alert" }, ...troubles.map((trouble) => el("p", {}, trouble)));

function described({ version, started_ms: started, store, backends }) {
  const room = store.free_bytes === null || store.free_bytes === undefined ? null : fact("Free disk space", size(store.free_bytes));
  return [
    el("dl", { class: "figures" },
      fact("Version", version), fact("Started", ago(started)),
      fact("Database", store.kind ?? "does not answer"), store.bytes !== undefined && fact("Its size", size(store.bytes)), room),
    el("h2", {}, "Engines"),
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Engines" }, el("table", {},
      el("caption", { class: "unseen" }, "The built-in voice and packs, with their speeches"),
      el("thead", {}, el("tr", {}, ...["Back end", "Kind", "Now", "Waiting", "Completed", "Given up", "Broken", "Refused"].map((name) => el("th", { scope: "col", class: name === "Kind" && "words" }, name)))),
      el("tbody", {}, ...backends.map((one) => el("tr", {}, el("th", { scope: "row" }, one.name), el("td", { class: "words" }, one.engine),
        ...[one.active, one.waiting, one.completed, one.cancelled, one.broken, one.refused].map((number) => el("td", {}, count(number))))))))];
}
