// A one-time link that signs in, such as the first start of a server prints: /studio/link#<secret>. The secret stands
// behind the #, which no browser sends and no log keeps.

import { api } from "../api.js";
import { el } from "../dom.js";
import { attempt, noticeBoard } from "../notice.js";
import { session } from "../session.js";

export const title = "Sign in by link";

// The secret of the link that led here; it does not stay in the browser's history either.
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
    root.append(el("p", {}, "This link has lost its secret, the part behind the #. Copy it whole, or ", el("a", { href: "/studio/sign-in" }, "sign in with a password"), "."));
    return;
  }
  // pressed by a person: nobody gets into another's account by merely following a link
  button.addEventListener("click", async () => {
    const done = await attempt(board, button, async () => session.take(await api.link(secret)));
    // whoever was invited, or has forgotten the password, chooses one now
    if (done) go(session.account.operator ? "/studio" : "/studio/account", { replace: true });
  });
  root.append(el("p", {}, "The link signs you in once."), board, el("div", { class: "row" }, button));
}
