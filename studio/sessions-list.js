// List of the sessions of an account.

import { api } from "./api.js";
import { announce, el } from "./dom.js";
import { ago, moment } from "./format.js";
import { attempt, noticeBoard, retryNotice } from "./notice.js";

// Returns a section that loads and lists the sessions. Each session can be ended.
export function sessionsList() {
  const board = noticeBoard();
  const list = el("ul", { class: "sessions" });
  const load = async () => {
    try {
      const sessions = await api.sessions();
      list.replaceChildren(...sessions.map(item));
    } catch (failure) {
      board.show(retryNotice(failure, load));
    }
  };
  const item = (session) => {
    const name = session.browser ?? "Unknown browser";
    const button = el("button", { type: "button", class: "small", "aria-label": `Sign out ${name}, last used ${moment(session.used_ms)}` }, "Sign out");
    button.addEventListener("click", async () => {
      if (!(await attempt(board, button, () => api.endSession(session.id)))) return;
      announce(`${name} is signed out`);
      await load();
      heading.focus();
    });
    return el("li", {},
      el("div", {}, el("strong", {}, name), session.own ? [" ", el("span", { class: "tag" }, "this one")] : "",
        el("p", { class: "hint" }, `Signed in ${moment(session.created_ms)}${session.came_by_link ? " with a link" : ""}, last used ${ago(session.used_ms)}`)),
      session.own ? "" : button);
  };
  const heading = el("h2", { tabindex: "-1" }, "Signed in");
  load();
  return el("section", {}, heading, list, board);
}
