// Panel for long texts in the playground: speaks the content of the text field or of a file into a file.

import { partMissing } from "./api.js";
import { formatFields } from "./clip-download.js";
import { announce, el } from "./dom.js";
import { clearSinks, openSink } from "./file-sink.js";
import { count, duration, plural } from "./format.js";
import { failureNotice, note, noticeBoard } from "./notice.js";
import { accountNotice, accountObstacle } from "./obstacle.js";
import { characterCount } from "./length.js";
import { session } from "./session.js";
import { download } from "./wav.js";

// Maximum size of a text file, in bytes. The page keeps the text in memory.
const MOST_BYTES = 32 * 1024 * 1024;

// `form` is the form of the playground. Returns the element and `close`.
export function longTextPanel(form) {
  let opened = null; // {name, text}
  let long = null; // the `LongText` that is being spoken or was spoken
  let name = null;
  let leaving = false;

  const input = el("input", { type: "file", accept: ".txt,.md,.ssml,text/plain", hidden: true, "aria-label": "A text file" });
  const open = el("button", { type: "button", on: { click: () => input.click() } }, "Open a text file…");
  const forget = el("button", { type: "button", class: "small", hidden: true }, "Use the text above");
  const source = el("p", { class: "source", role: "status" });
  const format = formatFields();
  const start = el("button", { type: "button", class: "primary" }, "Synthesize to a file");
  const stop = el("button", { type: "button", hidden: true, on: { click: () => long.stop() } }, "Stop");
  const goOn = el("button", { type: "button", hidden: true }, "Continue");
  const take = el("button", { type: "button", hidden: true }, "Save the finished part");
  const bar = el("progress", { max: 1, value: 0, hidden: true, "aria-label": "Progress of the synthesis" });
  const state = el("p", { class: "hint", role: "status" });
  const board = noticeBoard();
  const results = el("div", { class: "row", role: "group", "aria-label": "Files" });
  const choices = el("div", { class: "settings" }, ...format.elements);

  const text = () => (opened ? opened.text : form.written);
  const showSource = () => {
    source.textContent = opened ? `${opened.name}, ${plural(characterCount(opened.text), "character")}` : `The text above, ${plural(characterCount(form.written), "character")}`;
    forget.hidden = !opened;
  };
  const show = (running) => {
    for (const control of [start, choices, open]) control.hidden = running || Boolean(long && !long.done);
    forget.hidden = running || !opened;
    stop.hidden = !running;
    goOn.hidden = take.hidden = running || !long || long.done;
    bar.hidden = !long;
  };

  input.addEventListener("change", async () => {
    const [file] = input.files;
    input.value = "";
    if (!file) return;
    board.clear();
    try {
      if (file.size > MOST_BYTES) throw new Error("too large");
      // the API accepts UTF-8 without NUL
      opened = { name: file.name, text: new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer()).replaceAll("\0", "") };
    } catch {
      board.show(note("bad", `${file.name} cannot be read: a text file is UTF-8, and has at most ${MOST_BYTES / 1024 / 1024} MB.`));
    }
    showSource();
  });
  forget.addEventListener("click", () => {
    opened = null;
    showSource();
    start.focus();
  });

  const progress = ({ detail: { characters, ms } }) => {
    const share = characters / long.length;
    bar.value = share;
    state.textContent = `${Math.floor(100 * share)} % · ${count(characters)} of ${count(long.length)} characters · ${duration(ms)} of speech`;
  };
  const finish = async () => {
    const file = await long.file();
    long.done = true;
    const button = (label, blob, ending) => el("button", { type: "button", on: { click: () => download(blob, `${name}.${ending}`) } }, label);
    results.replaceChildren(button(`Download ${name}.${long.ending}`, file, long.ending),
      ...long.subtitles().map(({ label, ending, blob }) => button(label, blob, ending)));
    announce("The file is ready");
  };
  const run = async () => {
    board.clear();
    show(true);
    stop.focus();
    let failure = null;
    await long.run().catch((error) => (failure = error));
    if (leaving) return;
    if (long.done) await finish().catch((error) => (failure = error));
    if (failure) board.show(failureNotice(failure));
    show(false);
    (long.done ? results.firstChild ?? start : goOn).focus();
    session.refresh().catch(() => {});
  };

  const begin = async () => {
    board.clear();
    results.replaceChildren(); // remove the results of the previous file
    const written = text();
    if (!written.trim()) {
      board.show(note("bad", "Enter a text or open a file."));
      return;
    }
    if (accountObstacle()) await session.refresh().catch(() => {});
    const obstacle = accountNotice();
    if (obstacle) {
      board.show(obstacle);
      return;
    }
    let module;
    try {
      module = await import("./long-text.js"); // loaded on demand, because few visits need it
    } catch {
      board.fail(partMissing());
      return;
    }
    name = opened ? opened.name.replace(/\.[^.]*$/, "") : "shruti";
    long = new module.LongText(written, form.settings, format.name, await openSink());
    Object.assign(long, { length: characterCount(written), ending: format.ending });
    long.addEventListener("progress", progress);
    long.addEventListener("waiting", ({ detail }) => (detail ? board.show(note("wait", `${detail.message} It continues automatically.`)) : board.clear()));
    state.textContent = "";
    bar.value = 0;
    run();
  };
  start.addEventListener("click", async () => {
    start.disabled = true; // a second press would start a second file
    await begin().catch((failure) => board.fail(failure));
    start.disabled = false;
  });
  goOn.addEventListener("click", run);
  take.addEventListener("click", async () => {
    await finish().catch((error) => board.fail(error));
    show(false);
  });

  // if a text is unfinished, the browser asks the user to confirm leaving the page
  const warn = (event) => long && !long.done && event.preventDefault();
  addEventListener("beforeunload", warn);
  form.text.addEventListener("input", showSource);
  clearSinks();
  showSource();
  return {
    element: el("section", { class: "long-text", "aria-label": "A long text as a file" },
      el("p", { class: "hint" }, "A book or an article, spoken in parts into one file, with subtitles. A lost connection is re-established. Keep this page open until the file is ready; the server stores nothing."),
      el("div", { class: "row" }, open, forget), input, source, choices, el("div", { class: "row" }, start, stop, goOn, take), bar, state, board, results),
    close() {
      leaving = true;
      removeEventListener("beforeunload", warn);
      long?.stop();
    },
  };
}
