// Accessible tabs. The arrow keys move between them.

import { el } from "./dom.js";

let lastId = 0;

// `items`: [{name, content, shown}]. `content` is an element; `shown()` is called when its tab is chosen. `label` is
// the name of the group of tabs for screen readers. Returns the element, whose `choose(at)` shows a tab.
export function tabs(label, items) {
  lastId += 1;
  const id = (at, part) => `tabs-${lastId}-${at}-${part}`;
  const buttons = items.map(({ name }, at) => el("button", { type: "button", role: "tab", id: id(at, "tab"), "aria-controls": id(at, "panel") }, name));
  const panels = items.map(({ content }, at) => el("div", { role: "tabpanel", id: id(at, "panel"), "aria-labelledby": id(at, "tab") }, content));
  const choose = (chosen, focus) => {
    buttons.forEach((button, at) => {
      button.setAttribute("aria-selected", `${at === chosen}`);
      button.tabIndex = at === chosen ? 0 : -1;
      panels[at].hidden = at !== chosen;
    });
    if (focus) buttons[chosen].focus();
    items[chosen].shown?.();
  };
  buttons.forEach((button, at) => {
    button.addEventListener("click", () => choose(at, false));
    button.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      choose((at + step + buttons.length) % buttons.length, true);
    });
  });
  choose(0, false);
  const element = el("div", { class: "tabs" }, el("div", { role: "tablist", "aria-label": label }, ...buttons), ...panels);
  return Object.assign(element, { choose: (at) => choose(at, false) });
}
