// An address that is not confirmed yet.

import { api } from "./api.js";
import { el } from "./dom.js";
import { attempt, note, noticeBoard } from "./notice.js";
import { session } from "./session.js";

// What that comes to, with a button that sends the mail again; empty where the address is confirmed or that is not asked.
export function unconfirmed() {
  const { account, setup } = session;
  if (account.verified !== false) return "";
  const board = noticeBoard();
  const button = el("button", { type: "button", class: "small" }, "Send the mail again");
  button.addEventListener("click", async () => {
    const done = await attempt(board, button, () => api.sendVerification());
    if (done) board.show(note("good", `A mail is on its way to ${account.email}. Its link works once, within a day.`));
  });
  return el("section", { "aria-label": "Unconfirmed address" }, el("div", { class: "notice" },
    el("p", {}, el("strong", {}, "Your e-mail address is not confirmed. "), "Open the link in the mail that was sent to ", el("span", { class: "address" }, account.email), ". ",
      setup.requires_verified ? "Until then you can make no keys and redeem no promo codes." : "Until then no warnings about your allowance are sent there."),
    el("div", { class: "row" }, button)), board);
}
