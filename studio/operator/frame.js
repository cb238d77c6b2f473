// Common parts of the pages for operators.

import { el } from "../dom.js";

const PAGES = [["/studio/operator", "Accounts"], ["/studio/operator/promos", "Promo codes"], ["/studio/operator/usage", "Usage"], ["/studio/operator/health", "Health"]];

// Adds links to all pages for operators and, below them, the heading of the page.
export function frame(root, title, path) {
  root.classList.add("wide");
  root.append(
    el("nav", { class: "operator-links", "aria-label": "Operator" }, ...PAGES.map(([href, name]) => el("a", { href, "aria-current": href === path ? "page" : null }, name))),
    el("h1", {}, title));
}

// Creates an entry of a list of figures: a name and a value.
export const fact = (name, value) => el("div", {}, el("dt", {}, name), el("dd", {}, value));
