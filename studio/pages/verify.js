// Page that the link for confirming an email address opens: /studio/verify#<secret>. The user must sign in to the
// account. Otherwise, someone could create an account with another person's address, and that person could confirm the
// address without noticing.

import { api } from "../api.js";
import { announce, AS_TYPED, el, field } from "../dom.js";
import { attempt, note, noticeBoard } from "../notice.js";
import { session } from "../session.js";
import { takeSecret } from "./link.js";

export const title = "Confirm your address";

const toAccount = () => el("a", { href: session.account ? "/studio/account" : "/studio/sign-in?next=/studio/account" }, session.account ? "Open your account" : "Sign in");

export function render(root) {
  const secret = takeSecret();
  root.append(el("h1", {}, title));
  if (!secret) {
    root.append(el("p", {}, "This link is incomplete: the part after the # is missing. Copy the whole link, or request another one on the page Account. ", toAccount(), "."));
    return;
  }
  const board = noticeBoard();
  const fields = session.account ? null : {
    email: field("E-mail", el("input", { type: "email", name: "email", autocomplete: "username", required: true, enterkeyhint: "next", ...AS_TYPED })),
    password: field("Password", el("input", { type: "password", name: "password", required: true, autocomplete: "current-password", enterkeyhint: "go", ...AS_TYPED })),
  };
  const button = el("button", { class: "primary" }, fields ? "Sign in and confirm" : "Confirm");
  const form = el("form", { class: "form" },
    el("p", {}, fields ? "An account was created here with the address of this email. If that was you, sign in to confirm it."
      : `Confirm the address of the account that is signed in here, ${session.account.email}.`),
    fields && [fields.email, fields.password], board, el("div", { class: "row" }, button),
    el("p", { class: "hint" }, "You did not create the account, or forgot its password? ", el("a", { href: "/studio/forgotten-password" }, "Set a new password by mail"),
      ". This also confirms the address, and invalidates the current password, sessions and API keys."));
  // the user must submit the form, because programs that scan emails also follow links
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    let verified;
    const done = await attempt(board, button, async () => {
      if (fields) session.take(await api.signIn(fields.email.control.value.trim(), fields.password.control.value));
      verified = await api.verify(secret);
    }, fields ?? {});
    if (!done) return;
    session.take({ ...session.account, verified: true });
    const on = toAccount();
    form.replaceWith(note("good", el("strong", {}, verified.email), " is confirmed. ", on, "."));
    on.focus();
    announce(`${verified.email} is confirmed`);
  });
  root.append(form);
}
