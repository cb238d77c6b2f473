// The link in a mail that confirms an address: /studio/verify#<secret>. It signs nobody in, and works in any browser.

import { api } from "../api.js";
import { announce, el } from "../dom.js";
import { attempt, note, noticeBoard } from "../notice.js";
import { session } from "../session.js";
import { takeSecret } from "./link.js";

export const title = "Confirm your address";

const toAccount = () => (session.account ? el("a", { href: "/studio/account" }, "To your account") : el("a", { href: "/studio/sign-in?next=/studio/account" }, "Sign in"));

export function render(root) {
  const secret = takeSecret();
  root.append(el("h1", {}, title));
  if (!secret) {
    root.append(el("p", {}, "This link has lost its secret, the part behind the #. Copy it whole, or have another sent from the page Account. ", toAccount(), "."));
    return;
  }
  const board = noticeBoard();
  const button = el("button", { type: "button", class: "primary" }, "Confirm");
  const asked = el("div", {}, el("p", {}, "Somebody made an account here with the address that the mail came to. Confirm it if that was you."), board, el("div", { class: "row" }, button));
  // pressed by a person: programs that look into mails follow links, too
  button.addEventListener("click", async () => {
    let verified;
    if (!(await attempt(board, button, async () => (verified = await api.verify(secret))))) return;
    if (session.account?.email === verified.email) session.take({ ...session.account, verified: true });
    const on = toAccount();
    asked.replaceWith(note("good", el("strong", {}, verified.email), " is confirmed. ", on, "."));
    on.focus();
    announce(`${verified.email} is confirmed`);
  });
  root.append(asked);
}
