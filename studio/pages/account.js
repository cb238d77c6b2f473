// Page of the account: allowance, password, sessions, signing out, deletion.

import { allowance } from "../allowance.js";
import { api } from "../api.js";
import { announce, el, field } from "../dom.js";
import { ask } from "../form-dialog.js";
import { date } from "../format.js";
import { attempt, note, noticeBoard } from "../notice.js";
import { session } from "../session.js";
import { sessionsList } from "../sessions-list.js";
import { forget, signOut } from "../sign-out.js";
import { unconfirmed } from "../verification.js";

export const title = "Account";

export async function render(root, { go }) {
  await session.refresh();
  if (!session.account) return; // the session has ended
  const { account } = session;
  root.append(
    el("h1", {}, title),
    el("p", {}, "Signed in as ", el("strong", { class: "address" }, account.email), account.verified ? [" ", el("span", { class: "tag" }, "confirmed")] : "", `, since ${date(account.created_ms)} on this server.`),
    unconfirmed(),
    account.unlocked ? allowance(account)
      : note("", "The account is locked. ", el("a", { href: "/studio/promo" }, "Enter your promo code"), " to unlock it."),
    password(go),
    sessionsList(),
    leaving(go),
    account.operator ? "" : deletion(go));
}

function password(go) {
  const current = field("Current password", el("input", { type: "password", autocomplete: "current-password", required: true, enterkeyhint: "next" }));
  const fresh = field("New password", el("input", { type: "password", autocomplete: "new-password", required: true, enterkeyhint: "done" }),
    `At least ${session.setup.password_min_chars} characters; every other session ends.`);
  const board = noticeBoard();
  const free = session.account.may_set_password;
  const button = el("button", {}, free ? "Set the password" : "Change password");
  // password managers need the name of the account, so a hidden field contains it
  const user = el("input", { type: "email", autocomplete: "username", value: session.account.email, hidden: true, readonly: true });
  const submit = async (event) => {
    event.preventDefault();
    const done = await attempt(board, button, () => api.changePassword(free ? "" : current.control.value, fresh.control.value), { current, new: fresh });
    if (!done) return;
    event.target.reset();
    if (free) await go("/studio/account", { replace: true }); // from now on, a change requires the current password
    else board.show(note("good", "The password was changed."));
    announce("The password was changed");
  };
  return el("section", {}, el("h2", {}, "Password"),
    free && note("", "You signed in with a link. For one hour after that, you can choose a password without entering the old one."),
    el("form", { class: "form", on: { submit } }, user, free ? "" : current, fresh, board, el("div", { class: "row" }, button)));
}

function deletion(go) {
  const open = () => {
    const free = session.account.may_set_password;
    const password = field("Password", el("input", { type: "password", autocomplete: "current-password", required: true, enterkeyhint: "done" }));
    ask("Delete your account?", { intro: "Your keys stop working immediately. Keys, usage, lexicon, sessions and redeemed promo codes are deleted. This cannot be undone.",
      blocks: free ? [] : [password], fields: free ? {} : { password }, verb: "Delete the account", kind: "danger",
      action: () => api.deleteAccount(free ? "" : password.control.value),
      then: async () => {
        await forget(go);
        announce("The account is deleted");
      } });
  };
  return el("section", {}, el("h2", {}, "Delete the account"),
    el("p", { class: "hint" }, "Deletes the account with its keys, usage and lexicon. Texts are not stored, but the audio of clips, and the audio and words of repeated turns, can remain in the cache of the server until others replace them."),
    el("div", { class: "row" }, el("button", { type: "button", class: "danger", on: { click: open } }, "Delete the account…")));
}

function leaving(go) {
  const board = noticeBoard();
  const out = (label, everywhere) => {
    const button = el("button", { type: "button" }, label);
    button.addEventListener("click", () => attempt(board, button, () => signOut(go, everywhere)));
    return button;
  };
  return el("section", {}, el("h2", {}, "Sign out"),
    el("div", { class: "row" }, out("Sign out", false), out("Sign out everywhere", true)),
    el("p", { class: "hint" }, "Everywhere: in all browsers where this account is signed in. Keys keep working."), board);
}
