// Notices about email addresses that are not confirmed yet.

import { api } from "./api.js";
import { el } from "./dom.js";
import { attempt, note, noticeBoard } from "./notice.js";
import { session } from "./session.js";

// Whether keys and promo codes require a confirmed address.
export const mustConfirm = () => session.setup.requires_verified && !session.account.operator;

// Returns an explanation with a button that sends the email, or an empty string if the address is confirmed or need not
// be confirmed.
export function unconfirmed() {
  const { account } = session;
  if (account.verified !== false) return "";
  const board = noticeBoard();
  const button = el("button", { type: "button", class: "small" }, "Send the mail");
  button.addEventListener("click", async () => {
    const done = await attempt(board, button, () => api.sendVerification());
    if (done) board.show(note("good", `A mail was sent to ${account.email}. Its link works once, within a day.`));
  });
  return el("section", { "aria-label": "Unconfirmed address" }, el("div", { class: "notice" },
    el("p", {}, el("strong", {}, "Your e-mail address is not confirmed. "), "Open the link in the mail to ", el("span", { class: "address" }, account.email), ", or request another mail. ",
      mustConfirm() ? "Until then, you cannot create keys or redeem promo codes." : "Until then, no warnings about your allowance are sent."),
    el("div", { class: "row" }, button)), board);
}
