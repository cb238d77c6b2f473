// Dialogs of the page of accounts. Each calls `reload` after a change.

import { announce, AS_TYPED, el, field } from "../dom.js";
import { ask } from "../form-dialog.js";
import { moment } from "../format.js";
import { showOnce } from "../shown-once.js";
import { operatorApi } from "./api.js";

const told = (text, reload) => () => {
  announce(text);
  reload();
};

// Shows a link that signs in to an account.
function showLink(title, link, reload) {
  showOnce(title, { label: "The link", secret: new URL(link.path, location.href).href,
    advice: `Pass it on to whose account it is: whoever opens it is in, and chooses a password. It works once, until ${moment(link.expires_ms)}.`, then: reload });
}

export function invite(reload) {
  const email = field("E-mail", el("input", { type: "email", required: true, autocomplete: "off", enterkeyhint: "done", ...AS_TYPED }));
  ask("Make an account", { intro: "Its holder chooses a password by a link that you pass on. It speaks once it has redeemed a promo code, or you add characters.",
    blocks: [email], fields: { email }, verb: "Make the account", action: () => operatorApi.invite(email.control.value.trim()),
    then: (link) => showLink("The link for the new account", link, reload) });
}

export function confirmLock({ email }, reload) {
  ask(`Lock ${email}?`, { intro: "It is signed out everywhere and cannot sign in; its keys are refused until you unlock it.",
    verb: "Lock the account", kind: "danger", action: () => operatorApi.lock(email), then: told(`${email} is locked`, reload) });
}

export function unlock({ email }, reload) {
  ask(`Unlock ${email}?`, { intro: "Its holder may sign in again, and its keys work as before.",
    verb: "Unlock the account", action: () => operatorApi.unlock(email), then: told(`${email} is unlocked`, reload) });
}

export function changeAllowance({ email }, reload) {
  const chars = field("Characters a month more", el("input", { type: "number", required: true, min: 1, step: 1, inputmode: "numeric", autocomplete: "off", enterkeyhint: "done" }),
    "They are added to what it has, for good. It needs no promo code then.");
  ask(`Characters for ${email}`, { blocks: [chars], fields: { chars }, verb: "Add them",
    action: () => operatorApi.unlock(email, { chars: Number(chars.control.value) }), then: told(`${email} has more characters`, reload) });
}

export function confirmReset({ email }, reload) {
  ask(`Reset the password of ${email}?`, { intro: "The password stops working, and the account is signed out everywhere. Its keys keep working. You get a link with which its owner chooses a new password.",
    verb: "Reset the password", kind: "danger", action: () => operatorApi.resetPassword(email),
    then: (link) => showLink("The link for a new password", link, reload) });
}

export function confirmDeletion({ email }, reload) {
  const typed = field("Its e-mail address, to be sure", el("input", { type: "text", required: true, autocomplete: "off", enterkeyhint: "done", ...AS_TYPED }));
  ask(`Delete ${email}?`, { intro: "Its keys stop working immediately. Keys, usage, lexicon, sessions and redeemed promo codes are deleted. This cannot be undone.",
    blocks: [typed], fields: { email: typed }, verb: "Delete the account", kind: "danger",
    action: async () => {
      if (typed.control.value.trim() !== email) throw Object.assign(new Error(`type ${email}`), { code: "invalid_field", param: "email" });
      await operatorApi.deleteAccount(email);
    },
    then: told(`${email} is deleted`, reload) });
}
