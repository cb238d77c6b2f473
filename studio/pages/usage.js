// Usage page: one bar per day, divided by voice, language, API or key.

import { allowance } from "../allowance.js";
import { api } from "../api.js";
import { el } from "../dom.js";
import { session } from "../session.js";
import { usageView } from "../usage-view.js";

export const title = "Usage";

export async function render(root) {
  root.classList.add("wide");
  const view = usageView({ fetch: api.usage, byKey: true, file: "usage",
    none: () => el("p", {}, "There is no usage in these days. ", el("a", { href: "/studio" }, "Use the playground"), " to see usage here.") });
  await session.refresh();
  root.append(el("h1", {}, title), session.account ? allowance(session.account) : "", ...view.elements,
    el("p", { class: "hint" }, "Days are UTC days. Only text whose audio was sent is counted, including that of the playground."));
  await view.load();
}
