// Page that a one-time sign-in link opens: /studio/link#<secret>. A server prints such a link at its first start.
// Browsers do not send the part after the #, so no log contains the secret.

import { api } from "../api.js";
import { el } from "../dom.js";
import { attempt, noticeBoard } from "../notice.js";
import { session } from "../session.js";

export const title = "Sign in with a link";

// Returns the secret of the opened link, and removes the secret from the browser's history.
export function takeSecret() {
  const secret = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
  return secret;
}

export function render(root, { go }) {
  const secret = takeSecret();
  const board = noticeBoard();
  const button = el("button", { type: "button", class: "primary" }, "Sign in");
  root.append(el("h1", {}, title));
  if (!secret) {
    root.append(el("p", {}, "This link is incomplete: the part after the # is missing. Copy the whole link, or ", el("a", { href: "/studio/sign-in" }, "sign in with a password"), "."));
    return;
  }
  // the user must press a button: opening a link alone must not sign a user in to another person's account
  button.addEventListener("click", async () => {
    const done = await attempt(board, button, async () => session.take(await api.link(secret)));
    // users who were invited or forgot their password can now choose one
    if (done) go(session.account.operator ? "/studio" : "/studio/account", { replace: true });
  });
  root.append(el("p", {}, "The link signs you in once."), board, el("div", { class: "row" }, button));
}
