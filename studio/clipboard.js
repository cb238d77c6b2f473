// Copies text to the clipboard, even on pages over plain HTTP, where browsers provide no clipboard API.

import { announce, el } from "./dom.js";

async function copy(text) {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const shelf = el("textarea", { class: "unseen", readonly: true });
  shelf.value = text;
  // if a dialog is open, place the element in it, because the rest of the page cannot be focused
  (document.querySelector("dialog[open]") ?? document.body).append(shelf);
  shelf.select();
  const done = document.execCommand("copy");
  shelf.remove();
  if (!done) throw new Error("the browser refused to copy");
}

// Creates a button that copies the result of `text()`.
export function copyButton(text, label = "Copy") {
  const button = el("button", { type: "button", class: "small" }, label);
  button.addEventListener("click", async () => {
    try {
      await copy(text());
      button.textContent = "Copied";
      announce("Copied");
    } catch {
      button.textContent = "Select it and press Ctrl+C";
      announce("The browser refused to copy. Select the text and press Control C.");
    }
    button.focus();
    setTimeout(() => (button.textContent = label), 2_500);
  });
  return button;
}
