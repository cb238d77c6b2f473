// Signing in and signing up: the same two fields.

import { api } from "../api.js";
import { el, field } from "../dom.js";
import { attempt, noticeBoard } from "../notice.js";
import { session } from "../session.js";

const UP = "/studio/sign-up";

export const title = (path) => (path === UP ? "Make an account" : "Sign in");

export function render(root, { go, next, path }) {
  const up = path === UP;
  const email = field("E-mail", el("input", { type: "email", name: "email", autocomplete: "username", required: true, autocapitalize: "none", spellcheck: "false" }));
  const shortest = session.setup.password_min_chars;
  const password = field("Password", el("input", { type: "password", name: "password", required: true,
    autocomplete: up ? "new-password" : "current-password" }),
  up ? `${shortest ? `At least ${shortest} characters. ` : ""}A sentence that only you would think of is best; very common passwords are refused.` : null);
  const reveal = el("input", { type: "checkbox", id: "reveal" });
  reveal.addEventListener("change", () => (password.control.type = reveal.checked ? "text" : "password"));
  const board = noticeBoard();
  const button = el("button", { class: "primary" }, up ? "Make the account" : "Sign in");
  const submit = async (event) => {
    event.preventDefault();
    const done = await attempt(board, button, async () => {
      const account = await api[up ? "signUp" : "signIn"](email.control.value.trim(), password.control.value);
      session.take(account);
    }, { email, password });
    if (done) go(up && !session.account.unlocked ? "/studio/promo" : next(), { replace: true });
  };
  const other = `${up ? "/studio/sign-in" : UP}${location.search}`;
  root.append(
    el("h1", {}, title(path)),
    el("p", { class: "next" }, up ? "An account starts locked; a promo code from the operator of this server unlocks it. That comes next."
      : location.search ? "That page is for people who are signed in." : "Then you can speak in the playground and make keys."),
    el("form", { class: "form", on: { submit }, novalidate: false },
      email, password, el("p", {}, el("label", { class: "check", for: "reveal" }, reveal, "Show the password")),
      board, el("div", { class: "row" }, button)),
    el("p", {}, up ? "You have one already? " : "You have none yet? ", el("a", { href: other }, up ? "Sign in" : "Make an account"), "."),
    up ? "" : el("p", { class: "hint" }, "A forgotten password is set anew by the operator: ", el("code", {}, "shruti accounts reset-password"), "."));
}
