// Editor for the account's pronunciation dictionary: the list of entries, a form that adds and edits entries, import
// and export.

import { api } from "./api.js";
import { announce, AS_TYPED, el, field, languageName } from "./dom.js";
import { count } from "./format.js";
import { isSameEntry, lexiconToml } from "./lexicon-toml.js";
import { attempt, note, noticeBoard } from "./notice.js";
import { session } from "./session.js";

const nameOf = (code) => (code ? session.language(code).name : "every language");

// Returns the editor as an element. `hear(entry, spoken)` speaks the word of an entry, with its reading if `spoken` is
// true, otherwise as written.
export async function lexiconEditor(hear) {
  let lexicon = await api.lexicon();
  let edited = null; // the entry that the form edits; null if the form adds an entry
  const board = noticeBoard();
  const list = el("div", {});

  const word = field("Word", el("input", { required: true, maxlength: 64, autocomplete: "off", enterkeyhint: "next", ...AS_TYPED, dir: "auto" }), "The word as written in texts; it can be several words.");
  const reading = field("Read as", el("input", { required: true, maxlength: 128, autocomplete: "off", enterkeyhint: "done", ...AS_TYPED, dir: "auto" }), "A spelling such as एम्स, or IPA between slashes: /eːms/.");
  const language = field("In texts of", el("select", {}, el("option", { value: "" }, "Every language"), ...session.setup.languages.map((each) => el("option", { value: each.code }, languageName(each)))));
  const save = el("button", { class: "primary" }, "Add");
  const cancel = el("button", { type: "button", hidden: true, on: { click: () => edit(null) } }, "Cancel");
  const typed = () => ({ language: language.control.value || null, word: word.control.value.trim(), reading: reading.control.value.trim() });
  const isTyped = () => typed().word !== "" && typed().reading !== "";
  const listen = (spoken) => () => {
    if (isTyped()) hear(typed(), spoken);
    else form.reportValidity();
  };
  const form = el("form", { class: "form lexicon-form", "aria-label": "A reading", on: { submit: (event) => submit(event) } },
    word, reading, language,
    el("div", { class: "row" }, save, cancel,
      el("button", { type: "button", on: { click: listen(true) } }, "Play the reading"),
      el("button", { type: "button", on: { click: listen(false) } }, "Play without the reading")));

  function edit(entry, focus = true) {
    edited = entry;
    word.control.value = entry?.word ?? "";
    reading.control.value = entry?.reading ?? "";
    language.control.value = entry?.language ?? "";
    save.textContent = entry ? "Save" : "Add";
    cancel.hidden = !entry;
    if (focus) word.control.focus();
  }

  // Stores all entries. If another page has stored a newer version, that version is shown, and the form keeps its
  // content.
  async function store(toml) {
    try {
      lexicon = await api.saveLexicon(toml, lexicon.version);
    } catch (failure) {
      if (failure.code === "lexicon_changed") {
        lexicon = await api.lexicon();
        show();
        failure.message = "The lexicon was changed elsewhere in the meantime. The current version is shown; check it and try again";
      }
      throw failure;
    }
    show();
  }

  async function submit(event) {
    event.preventDefault();
    const entry = typed();
    const others = lexicon.entries.filter((known) => !(edited && isSameEntry(known, edited)) && !isSameEntry(known, entry));
    const stored = await attempt(board, save, () => store(lexiconToml([...others, entry])));
    if (!stored) return;
    announce(`${entry.word} is saved`);
    edit(null);
  }

  async function remove(entry, button) {
    const stored = await attempt(board, button, () => store(lexiconToml(lexicon.entries.filter((known) => known !== entry))));
    if (!stored) return;
    announce(`${entry.word} is removed`);
    if (edited && isSameEntry(edited, entry)) edit(null, false);
    word.control.focus(); // the button that had the focus was removed
  }

  function row(entry) {
    const button = (name, kind, press) => el("button", { type: "button", class: kind, "aria-label": `${name} ${entry.word}`, on: { click: ({ currentTarget }) => press(currentTarget) } }, name);
    return el("tr", {}, el("th", { scope: "row", dir: "auto" }, el("bdi", {}, entry.word)), el("td", { dir: "auto" }, el("bdi", {}, entry.reading)), el("td", {}, nameOf(entry.language)),
      el("td", {}, el("div", { class: "row" }, button("Hear", "quiet", () => hear(entry, true)), button("Edit", "quiet", () => edit(entry)), button("Remove", "quiet", (pressed) => remove(entry, pressed)))));
  }

  function show() {
    const heads = ["Word", "Read as", "In texts of", "Change"];
    list.replaceChildren(
      el("p", { class: "hint", role: "status" }, `${count(lexicon.entries.length)} of at most ${count(lexicon.max_entries)} entries.`),
      lexicon.entries.length === 0 ? el("p", {}, "There are no readings yet.") : el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Readings" },
        el("table", { class: "lexicon" }, el("thead", {}, el("tr", {}, ...heads.map((head) => el("th", { scope: "col" }, head)))), el("tbody", {}, ...lexicon.entries.map(row)))));
    exported.disabled = lexicon.entries.length === 0;
  }

  function download() {
    const address = URL.createObjectURL(new Blob([lexicon.toml], { type: "application/toml" }));
    el("a", { href: address, download: "lexicon.toml" }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  }

  const file = el("input", { type: "file", accept: ".toml,application/toml", hidden: true });
  const imported = el("button", { type: "button", on: { click: () => file.click() } }, "Replace with a file…");
  const exported = el("button", { type: "button", on: { click: download } }, "Export as TOML");
  file.addEventListener("change", async () => {
    const [chosen] = file.files;
    if (!chosen) return;
    const stored = await attempt(board, imported, async () => store(await chosen.text()));
    file.value = "";
    if (stored) board.show(note("good", `${chosen.name} is now the lexicon.`));
  });

  show();
  const editor = el("div", {}, form, board, list, el("div", { class: "row" }, imported, file, exported));
  // fills the form for a token of the text: with the token's entry if there is one, otherwise with a new entry
  editor.begin = (written) => {
    const known = lexicon.entries.find((entry) => entry.word.toLowerCase() === written.toLowerCase());
    edit(known ?? null);
    if (!known) {
      word.control.value = written;
      reading.control.focus();
    }
    form.scrollIntoView({ block: "nearest" });
  };
  return editor;
}
