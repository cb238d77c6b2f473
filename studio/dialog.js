// Dialogs of the browser, which trap the focus and restore it.

import { el } from "./dom.js";

let lastId = 0;

// Opens a dialog with a heading and the elements that `fill(dialog)` returns. It is removed from the page when it is
// closed. `escape: false`: Escape does not close it, because its content is not shown again.
export function openDialog(title, fill, { escape = true } = {}) {
  lastId += 1;
  const heading = `dialog-${lastId}`;
  const dialog = el("dialog", { "aria-labelledby": heading });
  dialog.append(el("h2", { id: heading }, title), ...fill(dialog));
  dialog.addEventListener("close", () => dialog.remove());
  if (!escape) dialog.addEventListener("cancel", (event) => event.preventDefault());
  if (!escape) dialog.addEventListener("keydown", (event) => event.key === "Escape" && event.preventDefault());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

// Returns the row of buttons at the end of a dialog.
export function dialogButtons(dialog, action, cancel = "Cancel") {
  return el("div", { class: "row end" },
    el("button", { type: "button", on: { click: () => dialog.close() } }, cancel), action);
}
