// Page for a forgotten password. It requests a sign-in link by email.

import { api } from "../api.js";
import { AS_TYPED, el, field } from "../dom.js";
import { attempt, note, noticeBoard } from "../notice.js";
import { session } from "../session.js";

export const title = "Forgotten password";

export function render(root) {
  root.append(el("h1", {}, title));
  if (!session.setup.sends_mail) {
    root.append(el("p", {}, "This server does not send mails. Ask its operator for a link with which you can choose a new password."));
    return;
  }
  const email = field("E-mail", el("input", { type: "email", name: "email", autocomplete: "username", required: true, enterkeyhint: "send", ...AS_TYPED }));
  const board = noticeBoard();
  const button = el("button", { class: "primary" }, "Send a link");
  const submit = async (event) => {
    event.preventDefault();
    const done = await attempt(board, button, () => api.forgottenPassword(email.control.value.trim()), { email });
    if (done) board.show(note("good", "If an account has this address, a link was sent to it. It works once, within an hour; another link can be sent after ten minutes."));
  };
  root.append(el("p", { class: "next" }, "You get a mail with a link that signs you in once; you can then choose a new password."),
    el("form", { class: "form", on: { submit } }, email, board, el("div", { class: "row" }, button)));
}
