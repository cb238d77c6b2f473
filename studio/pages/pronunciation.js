// Pronunciation page: how a text is read, and the account's pronunciation dictionary.

import { api } from "../api.js";
import { el, field } from "../dom.js";
import { lexiconEditor } from "../lexicon-editor.js";
import { attempt, noticeBoard } from "../notice.js";
import { normalizationTable } from "../normalization-table.js";
import { accountObstacle, browserObstacle } from "../obstacle.js";
import { PlaybackSession } from "../playback-session.js";
import { SAMPLES } from "../samples.js";
import { session } from "../session.js";

export const title = "Pronunciation";

export async function render(root) {
  root.classList.add("wide", "pronunciation");
  const playback = new PlaybackSession();
  const heard = noticeBoard();
  playback.addEventListener("failed", ({ detail }) => heard.fail(detail));

  const text = field("Text", el("textarea", { rows: 3, maxlength: session.setup.max_text_chars, dir: "auto" }));
  text.control.value = SAMPLES.hi[1];
  const language = field("Language", el("select", {}, el("option", { value: "" }, "Detect from the text"),
    ...session.setup.languages.map(({ code, name }) => el("option", { value: code }, name))));
  const board = noticeBoard();
  const found = el("div", { class: "found" });
  const look = el("button", { class: "primary" }, "Show the pronunciation");
  let editor = null;

  // plays an entry, even before it is stored, because the entry is sent with the text. To speak the word as written, an
  // entry with the word itself as its reading is sent
  const hear = (entry, spoken) => {
    heard.clear();
    const obstacle = accountObstacle() ?? browserObstacle();
    if (obstacle) {
      heard.show(obstacle);
      return;
    }
    playback.interrupt();
    playback.speak(entry.word, {
      voice: session.voices[0].name, ...(entry.language ? { language: entry.language } : {}),
      lexicon: { [entry.word]: spoken ? entry.reading : entry.word },
    }, false);
  };

  const submit = async (event) => {
    event.preventDefault();
    await attempt(board, look, async () => {
      const answer = await api.normalize(text.control.value, language.control.value || null);
      const toned = answer.language ? `Read as ${session.language(answer.language).name}.` : "It contains nothing that can be spoken.";
      found.replaceChildren(el("p", { class: "hint", role: "status" }, toned),
        normalizationTable(answer, editor && (({ written }) => editor.begin(written))));
    }, { text, language });
  };

  root.append(
    el("h1", {}, title),
    el("p", {}, "How a text is read: the words, phones and rule for each part of it. ",
      "This is free of charge."),
    el("form", { class: "look", "aria-label": "A text", on: { submit } }, text, language, el("div", { class: "row" }, look)),
    board, found,
    el("h2", {}, "Your lexicon"),
  );
  if (session.account) {
    editor = await lexiconEditor(hear);
    root.append(
      el("p", {}, "Readings of words for all your keys and the playground, in every API. A request's own ", el("code", {}, "lexicon"),
        " takes precedence. Programs can read and replace the lexicon at ", el("a", { href: "/docs/http#the-lexicon-of-an-account" }, "/v1/lexicon"), "."),
      editor, heard);
  } else {
    root.append(el("p", {}, el("a", { href: "/studio/sign-in?next=/studio/pronunciation" }, "Sign in"), " to store readings of words for all your keys."));
  }
  return () => playback.close();
}
