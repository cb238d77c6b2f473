// Page for promo codes, which are created, shown once and disabled.

import { announce, el, field } from "../dom.js";
import { ask } from "../form-dialog.js";
import { count, date } from "../format.js";
import { noticeBoard, retryNotice } from "../notice.js";
import { showOnce } from "../shown-once.js";
import { operatorApi } from "./api.js";
import { fact, frame } from "./frame.js";

export const title = "Promo codes";

const STATES = { valid: null, ended: "disabled", expired: "expired", used_up: "used up" };

export async function render(root, { path }) {
  frame(root, title, path);
  const board = noticeBoard();
  const list = el("div", { class: "keys-list" });
  const make = el("button", { type: "button", class: "primary", on: { click: () => create(again) } }, "Make a code");
  const reload = async () => {
    try {
      const promos = await operatorApi.promos();
      board.clear();
      list.replaceChildren(...(promos.length > 0 ? promos.map((promo) => card(promo, again)) : [el("p", {}, "There are no codes yet. A code unlocks the account that redeems it, and adds characters each month.")]));
    } catch (failure) {
      board.show(retryNotice(failure, reload));
    }
  };
  const again = async () => {
    await reload();
    if (document.activeElement === document.body) make.focus();
  };
  root.append(el("div", { class: "row" }, make), board, list);
  await reload();
}

function card(promo, reload) {
  const state = STATES[promo.state];
  return el("article", { class: state ? "key over" : "key", "aria-label": promo.beginning },
    el("div", { class: "key-head" }, el("h2", {}, `${promo.beginning}…`, " ", state && el("span", { class: "tag" }, state))),
    el("dl", { class: "figures" },
      fact("Adds", `${count(promo.chars)} characters per month`),
      fact("Redeemed", `${count(promo.used)} of ${count(promo.uses)}`),
      fact("Expires", promo.expires_ms === null ? "Never" : date(promo.expires_ms)),
      fact("Made", date(promo.created_ms))),
    promo.state === "valid" && el("div", { class: "row" },
      el("button", { type: "button", class: "small danger", "aria-label": `Disable ${promo.beginning}`, on: { click: () => end(promo, reload) } }, "Disable")));
}

function create(reload) {
  const number = (more) => el("input", { type: "number", min: 1, step: 1, inputmode: "numeric", autocomplete: "off", enterkeyhint: "next", ...more });
  const chars = field("Characters per month", number({ required: true, value: 50_000 }), "Added to the allowance of each account that redeems it.");
  const uses = field("Number of accounts that can redeem it", number({ required: true, value: 1 }));
  const expiry = field("Expires", el("select", {}, ...[["", "Never"], ["7", "In 7 days"], ["30", "In 30 days"], ["90", "In 90 days"], ["365", "In a year"]]
    .map(([value, label]) => el("option", { value }, label))));
  ask("Create a promo code", { blocks: [chars, el("div", { class: "pair" }, uses, expiry)], fields: { chars, uses, expires_in_days: expiry }, verb: "Create the code",
    action: () => operatorApi.createPromo({ chars: Number(chars.control.value), uses: Number(uses.control.value), expires_in_days: expiry.control.value ? Number(expiry.control.value) : null }),
    then: (made) => showOnce("The new code", { label: "The code", secret: made.code, advice: "Send it to the users who should get access. Lists show only its first four letters.", then: reload }) });
}

function end({ beginning, used }, reload) {
  ask(`Disable ${beginning}?`, { intro: `It can no longer be redeemed. Accounts that have redeemed it (${count(used)}) keep its characters.`,
    verb: "Disable the code", kind: "danger", action: () => operatorApi.endPromo(beginning),
    then: () => {
      announce(`${beginning} is disabled`);
      reload();
    } });
}
