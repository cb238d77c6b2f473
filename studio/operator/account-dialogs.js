// Dialogs for the accounts page. Each dialog calls `reload` after a change.

import { announce, AS_TYPED, el, field } from "../dom.js";
import { ask } from "../form-dialog.js";
import { moment } from "../format.js";
import { showOnce } from "../shown-once.js";
import { operatorApi } from "./api.js";

const told = (text, reload) => () => {
  announce(text);
  reload();
};

// Shows a one-time link for signing in to an account.
function showLink(title, link, reload) {
  showOnce(title, { label: "The link", secret: new URL(link.path, location.href).href,
    advice: `Send it to the owner of the account: anyone who opens it is signed in and can choose a password. It works once, until ${moment(link.expires_ms)}.`, then: reload });
}

export function invite(reload) {
  const email = field("E-mail", el("input", { type: "email", required: true, autocomplete: "off", enterkeyhint: "done", ...AS_TYPED }));
  ask("Create an account", { intro: "The owner chooses a password with a link that you send. The account gets access when it redeems a promo code or when you add characters.",
    blocks: [email], fields: { email }, verb: "Create the account", action: () => operatorApi.invite(email.control.value.trim()),
    then: (link) => showLink("The link for the new account", link, reload) });
}

export function confirmLock({ email }, reload) {
  ask(`Lock ${email}?`, { intro: "It is signed out everywhere and cannot sign in; its keys are refused until you unlock it.",
    verb: "Lock the account", kind: "danger", action: () => operatorApi.lock(email), then: told(`${email} is locked`, reload) });
}

export function unlock({ email }, reload) {
  ask(`Unlock ${email}?`, { intro: "The owner can sign in again, and the keys work as before.",
    verb: "Unlock the account", action: () => operatorApi.unlock(email), then: told(`${email} is unlocked`, reload) });
}

export function changeAllowance({ email }, reload) {
  const chars = field("Additional characters per month", el("input", { type: "number", required: true, min: 1, step: 1, inputmode: "numeric", autocomplete: "off", enterkeyhint: "done" }),
    "They are added permanently to the current allowance. The account then needs no promo code.");
  ask(`Characters for ${email}`, { blocks: [chars], fields: { chars }, verb: "Add them",
    action: () => operatorApi.unlock(email, { chars: Number(chars.control.value) }), then: told(`${email} has more characters`, reload) });
}

export function confirmReset({ email }, reload) {
  ask(`Reset the password of ${email}?`, { intro: "The password stops working, and the account is signed out everywhere. Its keys keep working. You get a link with which its owner chooses a new password.",
    verb: "Reset the password", kind: "danger", action: () => operatorApi.resetPassword(email),
    then: (link) => showLink("The link for a new password", link, reload) });
}

export function confirmDeletion({ email }, reload) {
  const typed = field("E-mail address of the account, as confirmation", el("input", { type: "text", required: true, autocomplete: "off", enterkeyhint: "done", ...AS_TYPED }));
  ask(`Delete ${email}?`, { intro: "Its keys stop working immediately. Keys, usage, lexicon, sessions and redeemed promo codes are deleted. This cannot be undone.",
    blocks: [typed], fields: { email: typed }, verb: "Delete the account", kind: "danger",
    action: async () => {
      if (typed.control.value.trim() !== email) throw Object.assign(new Error(`type ${email}`), { code: "invalid_field", param: "email" });
      await operatorApi.deleteAccount(email);
    },
    then: told(`${email} is deleted`, reload) });
}
