// Page for API keys: create, rename, rotate and revoke.

import { api } from "../api.js";
import { el } from "../dom.js";
import { ago, count, date, moment, plural } from "../format.js";
import { confirmRevoke, createKey, renameKey, rotateKey } from "../key-dialogs.js";
import { note, noticeBoard, retryNotice } from "../notice.js";
import { session } from "../session.js";
import { mustConfirm, unconfirmed } from "../verification.js";

export const title = "Keys";

export async function render(root) {
  root.classList.add("wide");
  const board = noticeBoard();
  const list = el("div", { class: "keys-list" });
  const make = el("button", { type: "button", class: "primary" }, "Create API key");
  const ended = el("input", { type: "checkbox", on: { change: () => show() } });
  const endedCount = el("span");
  const filter = el("label", { class: "check", hidden: true }, ended, endedCount);
  let keys = [];
  const show = () => {
    const over = keys.filter(isOver);
    filter.hidden = over.length === 0;
    endedCount.textContent = `Show ${plural(over.length, "inactive key")}`;
    const shown = ended.checked ? keys : keys.filter((key) => !isOver(key));
    list.replaceChildren(...(shown.length > 0 ? [table(shown, again)] : [
      el("p", {}, `You have no key${over.length > 0 ? " that works" : " yet"}. A key gives your own program access.`)]));
  };
  const reload = async () => {
    try {
      keys = await api.keys();
      board.clear();
      show();
    } catch (failure) {
      board.show(retryNotice(failure, reload));
    }
  };
  const again = async () => {
    await reload();
    // after the dialog, the focus returns to the button that opened it; if the new list has replaced that button, focus
    // `make`
    if (document.activeElement === document.body) make.focus();
  };
  make.addEventListener("click", () => createKey(again));
  root.append(el("h1", {}, title), mustConfirm() ? unconfirmed() : "", el("div", { class: "next" }, next()), el("div", { class: "row" }, make, filter), board, list);
  await reload();
}

function next() {
  if (!session.account.unlocked) return note("", "Your account is locked: its keys are refused until you ", el("a", { href: "/studio/promo" }, "enter your promo code"), ".");
  return el("p", {}, "Use a key only on a server, never in a web page or an app. ", el("a", { href: "/studio/quickstart" }, "The quick start"), " shows how to use it.");
}

const isOver = (key) => key.revoked_ms !== null || (key.expires_ms !== null && key.expires_ms <= Date.now());

function state(key) {
  if (key.revoked_ms !== null) return `Revoked on ${moment(key.revoked_ms)}`;
  if (key.expires_ms === null) return "Never";
  return key.expires_ms <= Date.now() ? `Expired on ${moment(key.expires_ms)}` : date(key.expires_ms);
}

function table(keys, reload) {
  const heads = ["Name", "Key", "This month", "Last used", "Expires", "Actions"];
  return el("table", { class: "key-table" },
    el("caption", { class: "unseen" }, "Your API keys"),
    el("thead", {}, el("tr", {}, ...heads.map((name) => el("th", { scope: "col" }, name)))),
    el("tbody", {}, ...keys.map((key) => line(key, reload))));
}

function line(key, reload) {
  const over = isOver(key);
  const use = key.monthly_cap === null ? `${count(key.chars_this_month)} characters`
    : `${count(key.chars_this_month)} of ${count(key.monthly_cap)} characters`;
  const may = key.scopes.map((scope) => ({ tts: "speak", "usage:read": "read usage" })[scope] ?? scope).join(", ");
  const more = [`May ${may}`, `created ${date(key.created_ms)}`, ...key.origins].join(" · ");
  const button = (name, open, kind = "") => el("button", { type: "button", class: `small ${kind}`, "aria-label": `${name} ${key.name}`, on: { click: () => open(key, reload) } }, name);
  return el("tr", { class: over ? "key over" : "key", "aria-label": key.name },
    el("th", { scope: "row" }, el("span", { class: "key-name" }, key.name), " ", over && el("span", { class: "tag" }, key.revoked_ms === null ? "expired" : "revoked"), el("span", { class: "hint" }, more)),
    el("td", {}, el("code", {}, `${key.prefix}…`)),
    el("td", { "data-name": "This month" }, use),
    el("td", { "data-name": "Last used" }, key.last_used_ms === null ? "Never" : ago(key.last_used_ms)),
    el("td", { "data-name": "Expires" }, state(key)),
    el("td", {}, over ? "" : el("div", { class: "row" }, button("Rename", renameKey), button("Rotate", rotateKey), button("Revoke", confirmRevoke, "danger"))));
}
