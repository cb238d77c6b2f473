// Panel that shows how the text in a form is read.

import { api } from "./api.js";
import { announce, el } from "./dom.js";
import { noticeBoard } from "./notice.js";
import { normalizationTable } from "./normalization-table.js";

// `asked()` returns {text, language}; the language is a code or null. Returns the element, whose `show()` updates it.
export function normalizationPanel(asked) {
  const board = noticeBoard();
  const found = el("div", {});
  let request = 0;
  const show = async () => {
    request += 1;
    const mine = request;
    board.clear();
    const { text, language } = asked();
    if (text.trim() === "") {
      found.replaceChildren(el("p", { class: "hint" }, "There is no text yet."));
      return;
    }
    try {
      const answer = await api.normalize(text, language);
      if (mine !== request) return; // a newer request has been sent
      found.replaceChildren(normalizationTable(answer));
      announce("The text's readings are shown");
    } catch (failure) {
      if (mine === request) board.fail(failure);
    }
  };
  const again = el("button", { type: "button", on: { click: show } }, "Refresh");
  const element = el(
    "div",
    { class: "normalization-panel" },
    board,
    found,
    el("div", { class: "row" }, again, el("a", { href: "/studio/pronunciation" }, "Change readings")),
  );
  return { element, show };
}
