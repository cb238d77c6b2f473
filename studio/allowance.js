// Shows the number of characters that remain in the current month.

import { el } from "./dom.js";
import { count, date } from "./format.js";

export function allowance(account) {
  const { chars_per_month: limit, chars_used: used, month_ends_ms: ends } = account;
  if (limit === null) return el("p", {}, `${count(used)} characters spoken this month; your account has no limit.`);
  const left = Math.max(0, limit - used);
  const label = `${count(used)} of ${count(limit)} characters used this month`;
  return el("div", { class: "allowance" },
    el("meter", { min: 0, max: limit, value: Math.min(used, limit), high: limit * 0.9, optimum: 0, "aria-label": label }),
    el("p", {}, el("strong", {}, count(left)), ` characters left of ${count(limit)} per month; the next month begins on ${date(ends)}.`));
}
