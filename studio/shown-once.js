// Dialog with a secret that is shown only once.

import { copyButton } from "./clipboard.js";
import { openDialog } from "./dialog.js";
import { el } from "./dom.js";

// `advice` explains where to keep the secret, `more` returns additional elements of the dialog, and `then` is called
// after the dialog has been closed.
export function showOnce(title, { label, secret, advice, more = () => [], then }) {
  openDialog(title, (dialog) => {
    const shown = el("input", { class: "secret", readonly: true, value: secret, "aria-label": label, spellcheck: "false" });
    shown.addEventListener("focus", () => shown.select());
    dialog.addEventListener("close", () => {
      shown.value = "";
      then();
    });
    return [
      el("div", { class: "notice" }, el("p", {}, el("strong", {}, "Copy it now: it is not shown again. "), advice)),
      el("div", { class: "copy-line" }, shown, copyButton(() => shown.value)),
      ...more(dialog),
      el("div", { class: "row end" }, el("button", { type: "button", class: "primary", on: { click: () => dialog.close() } }, "I have saved it"))];
  }, { escape: false });
}
