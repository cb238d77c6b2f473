// Pages for signing in and signing up, which have the same two fields.

import { api } from "../api.js";
import { AS_TYPED, el, field } from "../dom.js";
import { attempt, note, noticeBoard } from "../notice.js";
import { session, silentBecause } from "../session.js";

const UP = "/studio/sign-up";
let typed = ""; // the email address, which is kept when the user changes between the two pages

export const title = (path) => (path === UP ? "Create an account" : "Sign in");

export function render(root, { go, next, path }) {
  const up = path === UP;
  const email = field("E-mail", el("input", { type: "email", name: "email", autocomplete: "username", required: true, enterkeyhint: "next", ...AS_TYPED, value: typed }));
  email.control.addEventListener("input", () => (typed = email.control.value));
  const shortest = session.setup.password_min_chars;
  const password = field("Password", el("input", { type: "password", name: "password", required: true,
    autocomplete: up ? "new-password" : "current-password", enterkeyhint: "go", ...AS_TYPED }),
  up ? `${shortest ? `At least ${shortest} characters. ` : ""}Use a sentence that only you know; very common passwords are refused.` : null);
  const reveal = el("input", { type: "checkbox", id: "reveal" });
  reveal.addEventListener("change", () => (password.control.type = reveal.checked ? "text" : "password"));
  const board = noticeBoard();
  const button = el("button", { class: "primary" }, up ? "Create the account" : "Sign in");
  const submit = async (event) => {
    event.preventDefault();
    let taken = false;
    const done = await attempt(board, button, async () => {
      try {
        session.take(await api[up ? "signUp" : "signIn"](email.control.value.trim(), password.control.value));
      } catch (failure) {
        taken = up && failure.code === "wrong_credentials"; // a new account cannot have a wrong password
        throw failure;
      }
    }, { email, password });
    if (taken) {
      board.show(note("bad", "An account with this address already exists, with another password. ", el("a", { href: other }, "Sign in"), " instead."));
      email.control.focus();
    }
    if (done) typed = "";
    if (done) go(up && !session.account.unlocked ? "/studio/promo" : next(), { replace: true });
  };
  const asked = new URLSearchParams(location.search);
  const isOver = asked.has("over") && !up;
  asked.delete("over");
  const other = `${up ? "/studio/sign-in" : UP}${asked.size > 0 ? `?${asked}` : ""}`;
  const silent = silentBecause() === "insecure";
  // the server would create the account, but the browser would not store the session
  if (silent) button.disabled = true;
  root.append(
    el("h1", {}, title(path)),
    isOver ? note("", "Your session has ended. Sign in to continue where you were.") : el("p", { class: "next" }, up ? "An account starts locked; a promo code from the operator of this server unlocks it. That is the next step."
      : asked.has("next") ? "You must be signed in to open that page." : "After that, you can use the playground and create keys."),
    el("form", { class: "form", on: { submit }, novalidate: false },
      email, password, el("p", {}, el("label", { class: "check", for: "reveal" }, reveal, "Show the password")),
      board, silent && el("p", { class: "trouble" }, "You cannot sign in over plain HTTP from another machine; see the note at the top."),
      el("div", { class: "row" }, button)),
    el("p", {}, up ? "Already have an account? " : "No account yet? ", el("a", { href: other }, up ? "Sign in" : "Create an account"), "."),
    otherName(),
    up ? "" : session.setup.sends_mail ? el("p", {}, el("a", { href: "/studio/forgotten-password" }, "Forgot your password?"))
      : el("p", { class: "hint" }, "Only the operator can reset a forgotten password: ", el("code", {}, "shruti accounts reset-password"), "."));
}

// The two host names of this machine. A browser has a separate session for each.
const LOCAL_NAMES = { localhost: "127.0.0.1", "127.0.0.1": "localhost" };

function otherName() {
  const name = LOCAL_NAMES[location.hostname];
  if (!name) return "";
  const there = new URL(location.href);
  there.hostname = name;
  return el("p", { class: "hint" }, `You are at ${location.host}. If you signed in at `, el("a", { href: there.href }, there.host),
    ", you are signed in only there.");
}
