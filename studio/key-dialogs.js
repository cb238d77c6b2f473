// Dialogs for the API keys page. Each dialog calls `reload` after a change.

import { api } from "./api.js";
import { copyButton } from "./clipboard.js";
import { announce, AS_TYPED, el, field } from "./dom.js";
import { ask } from "./form-dialog.js";
import { showOnce } from "./shown-once.js";

export function createKey(reload) {
  const name = field("Name", el("input", { required: true, maxlength: 64, autocomplete: "off", enterkeyhint: "next", placeholder: "website" }), "A name by which you recognize the key.");
  const scope = (value, label, hint, checked) => el("label", { class: "check" }, el("input", { type: "checkbox", value, checked }), el("span", {}, label, " ", el("span", { class: "hint" }, hint)));
  const tts = scope("tts", "Speak", "(tts)", true);
  const usage = scope("usage:read", "Read its usage", "(usage:read)", false);
  const expiry = field("Expires", el("select", {}, ...[["", "Never"], ["7", "In 7 days"], ["30", "In 30 days"], ["90", "In 90 days"], ["365", "In a year"]]
    .map(([value, label]) => el("option", { value }, label))));
  const cap = field("Monthly cap (characters)", el("input", { type: "number", min: 1, step: 1, inputmode: "numeric", autocomplete: "off", enterkeyhint: "done", placeholder: "none" }));
  const origins = field("Allowed web pages", el("textarea", { rows: 2, inputmode: "url", autocomplete: "off", ...AS_TYPED, placeholder: "https://shop.example" }),
    "One origin per line. Needed only if web pages get tokens of this key; without origins, only programs can use it.");
  const scopes = el("fieldset", {}, el("legend", {}, "May"), el("div", { class: "row" }, tts, usage));
  ask("Create API key", {
    blocks: [name, scopes, el("div", { class: "pair" }, expiry, cap), el("details", {}, el("summary", {}, "For web pages"), origins)],
    fields: { name, expires_in_days: expiry, monthly_cap: cap, origins },
    verb: "Create key",
    action: () => api.createKey({
      name: name.control.value.trim(),
      scopes: [tts, usage].map((label) => label.firstChild).filter((box) => box.checked).map((box) => box.value),
      origins: origins.control.value.split(/\s+/).filter(Boolean),
      expires_in_days: expiry.control.value ? Number(expiry.control.value) : null,
      monthly_cap: cap.control.value ? Number(cap.control.value) : null,
    }),
    then: (key) => showSecret(key, reload),
  });
}

export function renameKey(key, reload) {
  const name = field("Name", el("input", { required: true, maxlength: 64, autocomplete: "off", enterkeyhint: "done", value: key.name }));
  ask(`Rename ${key.name}`, { blocks: [name], fields: { name }, verb: "Rename",
    action: () => api.renameKey(key.prefix, name.control.value.trim()),
    then: () => {
      announce("Renamed");
      reload();
    } });
}

export function rotateKey(key, reload) {
  const overlap = field("The old key remains valid for", el("select", {}, ...[["0", "no time: it is revoked now"], ["1", "1 hour"], ["24", "a day"], ["168", "a week"]]
    .map(([value, label]) => el("option", { value, selected: value === "24" }, label))));
  ask(`Rotate ${key.name}`, { intro: "A new key with the same name and limits replaces this one.", blocks: [overlap], fields: { overlap_hours: overlap },
    verb: "Create the new key", action: () => api.rotateKey(key.prefix, Number(overlap.control.value)), then: (made) => showSecret(made, reload) });
}

export function confirmRevoke(key, reload) {
  ask(`Revoke ${key.name}?`, {
    intro: "Requests with this key are refused immediately, and open conversations at their next turn. This cannot be undone.",
    verb: "Revoke the key", kind: "danger", action: () => api.revokeKey(key.prefix),
    then: () => {
      announce(`${key.name} is revoked`);
      reload();
    } });
}

function showSecret(key, reload) {
  showOnce("Your new key", { label: "The key", secret: key.secret, advice: "Store it like a password, not in a web page or a repository.",
    more: (dialog) => [el("div", { class: "row" }, copyButton(() => `export SHRUTI_API_KEY=${key.secret}`, "Copy as export SHRUTI_API_KEY=…")),
      el("p", {}, "Next: ", el("a", { href: "/studio/quickstart", on: { click: () => dialog.close() } }, "use it in a program"), ".")], then: reload });
}
