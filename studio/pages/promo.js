// Page for redeeming a promo code, which unlocks an account and increases its monthly allowance.

import { allowance } from "../allowance.js";
import { api } from "../api.js";
import { AS_TYPED, el, field } from "../dom.js";
import { count } from "../format.js";
import { attempt, note, noticeBoard } from "../notice.js";
import { session } from "../session.js";
import { unconfirmed } from "../verification.js";

export const title = "Promo code";

export function render(root) {
  const code = field("Promo code", el("input", { name: "code", required: true, autocomplete: "off", enterkeyhint: "go", ...AS_TYPED, autocapitalize: "characters" }),
    "Case and dashes are ignored.");
  const board = noticeBoard();
  const button = el("button", { class: "primary" }, "Redeem");
  const state = el("div", {});
  const show = () => state.replaceChildren(
    session.account.unlocked
      ? el("p", { class: "next" }, "Your account is unlocked. Another code increases its monthly allowance.")
      : el("p", { class: "next" }, el("strong", {}, "Your account is locked. "), "The operator of this server issues codes. Enter yours to unlock the account."),
    session.account.unlocked ? allowance(session.account) : "");
  const submit = async (event) => {
    event.preventDefault();
    const before = session.account;
    const done = await attempt(board, button, async () => session.take(await api.redeem(code.control.value.trim())), { code });
    if (!done) return;
    code.control.value = "";
    const added = (session.account.chars_per_month ?? 0) - (before.chars_per_month ?? 0);
    board.show(note("good", before.unlocked ? "Redeemed: " : "Unlocked: ",
      added > 0 ? `${count(added)} additional characters per month. ` : "your account now has access. ",
      el("a", { href: "/studio" }, "Open the playground"), " or ", el("a", { href: "/studio/keys" }, "create a key"), "."));
    show();
  };
  show();
  root.append(el("h1", {}, title), unconfirmed(), state, el("form", { class: "form", on: { submit } }, code, el("div", { class: "row" }, button)), board);
}
