// Dialogs that use the browser's `<dialog>` element, which traps the focus and restores it.

import { el } from "./dom.js";

let lastId = 0;

// Opens a dialog with a heading and the elements that `fill(dialog)` returns. The dialog is removed from the page when
// it is closed. If `escape` is false, the Escape key does not close the dialog. Use this for content that is shown only
// once.
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
