// The accounts of the server.

import { AS_TYPED, el, field } from "../dom.js";
import { count, date, plural } from "../format.js";
import { attempt, noticeBoard } from "../notice.js";
import { session } from "../session.js";
import { changeAllowance, confirmDeletion, confirmLock, confirmReset, invite, unlock } from "./account-dialogs.js";
import { operatorApi } from "./api.js";
import { fact, frame } from "./frame.js";

export const title = "Accounts";

const STATES = { open: null, no_code: "no promo code", locked: "locked", operator: "operator" };

export async function render(root, { path }) {
  frame(root, title, path);
  const board = noticeBoard();
  const list = el("div", { class: "keys-list" });
  const part = field("Search", el("input", { type: "search", autocomplete: "off", enterkeyhint: "search", ...AS_TYPED }), "Part of the e-mail address.");
  const make = el("button", { type: "button", class: "primary", on: { click: () => invite(reload) } }, "Create an account");
  const more = el("button", { type: "button", hidden: true }, "Show more");
  const told = el("p", { class: "hint", role: "status" });
  let looked = ""; // the search whose results the list shows, regardless of later input
  let last = "";
  let asked = 0;
  // Loads accounts and shows them. The response to an earlier search is ignored, even if it is a failure.
  const show = async (after) => {
    const asking = (asked += 1);
    if (!after) more.hidden = true;
    let found;
    try {
      found = await operatorApi.accounts(looked, after);
    } catch (failure) {
      if (asking !== asked) return;
      throw failure;
    }
    if (asking !== asked) return;
    const cards = found.accounts.map((account) => card(account, reload));
    if (after) list.append(...cards);
    else list.replaceChildren(...cards);
    last = found.accounts.at(-1)?.email ?? last;
    more.hidden = !found.more;
    told.textContent = list.children.length === 0 ? "No account has a matching address." : `${plural(list.children.length, "account")}${found.more ? ", and more" : ""}`;
    if (after) cards[0]?.querySelector("button")?.focus();
  };
  const reload = async () => {
    await attempt(board, null, () => show(""));
    // after the dialog, the focus returns to the button that opened it; if the new list has replaced that button, focus
    // the search
    if (document.activeElement === document.body) part.control.focus();
  };
  const submit = async (event) => {
    event.preventDefault();
    looked = part.control.value.trim();
    await attempt(board, null, () => show(""));
  };
  more.addEventListener("click", () => attempt(board, more, () => show(last)));
  root.append(el("form", { class: "search", role: "search", on: { submit } }, part, el("button", {}, "Search")), el("div", { class: "row" }, make), board, told, list, more);
  await show("");
}

function card(account, reload) {
  const state = STATES[account.state];
  const button = (name, open, kind = "") => el("button", { type: "button", class: `small ${kind}`, "aria-label": `${name}: ${account.email}`, on: { click: () => open(account, reload) } }, name);
  const isOwn = account.email === session.account.email;
  const isOperator = account.state === "operator";
  return el("article", { class: "key", "aria-label": account.email },
    el("div", { class: "key-head" }, el("h2", {}, account.email, " ", state && el("span", { class: "tag" }, state)), el("code", {}, account.id)),
    el("dl", { class: "figures" },
      fact("This month", `${count(account.chars_this_month)} characters`),
      fact("Allowance", account.chars_per_month === null ? "no limit" : `${count(account.chars_per_month)} per month`),
      fact("Keys", count(account.keys)),
      account.verified !== null && fact("Address", account.verified ? "confirmed" : "not confirmed"),
      fact("Password", account.has_password ? "chosen" : "none yet"),
      fact("Made", date(account.created_ms))),
    el("div", { class: "row" },
      account.state === "locked" ? button("Unlock", unlock) : !isOwn && button("Lock", confirmLock),
      !isOperator && account.state !== "locked" && button("Add characters", changeAllowance),
      !isOwn && account.state !== "operator" && button("Reset password", confirmReset),
      !isOwn && !isOperator && button("Delete", confirmDeletion, "danger")));
}
