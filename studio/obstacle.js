// Reasons why a visitor cannot hear anything on this page, and remedies.

import { el } from "./dom.js";
import { note } from "./notice.js";
import { session, silentBecause } from "./session.js";

// Returns a paragraph about why the user cannot use the playground, or null if the user can.
export function accountObstacle() {
  if (session.obstacle === "sign-in") {
    return el(
      "p",
      {},
      "To play it, ",
      el("a", { href: "/studio/sign-up" }, "create an account"),
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
      " to unlock it.",
    );
  }
  return null;
}

// Returns the paragraph of `accountObstacle` as an alert, for users who press a button although they cannot use the
// playground; null if they can.
export function accountNotice() {
  const obstacle = accountObstacle();
  return obstacle && el("div", { class: "notice bad", role: "alert" }, obstacle);
}

// Returns a notice about why the browser cannot play audio, or null if it can.
export function browserObstacle() {
  const because = silentBecause();
  return (
    because &&
    note(
      "bad",
      because === "insecure"
        ? "This page was loaded over plain HTTP from another machine and cannot play; see the note at the top."
        : "This browser has no AudioWorklet, so nothing can be played here.",
    )
  );
}
