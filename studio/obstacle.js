// What keeps a visitor from hearing anything here, and what to do about it.

import { el } from "./dom.js";
import { note } from "./notice.js";
import { session, silentBecause } from "./session.js";

// Of the account: a paragraph, or null where nothing is in the way.
export function accountObstacle() {
  if (session.obstacle === "sign-in") {
    return el(
      "p",
      {},
      "To hear it, ",
      el("a", { href: "/studio/sign-up" }, "make an account"),
      " (an e-mail address and a password) or ",
      el("a", { href: "/studio/sign-in" }, "sign in"),
      ".",
    );
  }
  if (session.obstacle === "locked") {
    return el(
      "p",
      {},
      el("strong", {}, "Your account is still locked. "),
      el("a", { href: "/studio/promo" }, "Enter your promo code"),
      " and it speaks.",
    );
  }
  return null;
}

// The same as an alert, for whoever presses a button all the same.
export function accountNotice() {
  const obstacle = accountObstacle();
  return obstacle && el("div", { class: "notice bad", role: "alert" }, obstacle);
}

// Of the browser: a notice, or null where it can play.
export function browserObstacle() {
  const because = silentBecause();
  return (
    because &&
    note(
      "bad",
      because === "insecure"
        ? "This page came over plain HTTP from another machine and stays silent; the note at the top says what to do."
        : "This browser has no AudioWorklet, so nothing can be played here.",
    )
  );
}
