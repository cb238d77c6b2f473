// Dialog with a form and an action.

import { dialogButtons, openDialog } from "./dialog.js";
import { el } from "./dom.js";
import { attempt, noticeBoard } from "./notice.js";

// Opens the dialog. When the form is submitted, `action` is awaited, the dialog is closed, and the result is passed to
// `then`.
export function ask(title, { intro = null, blocks = [], fields = {}, verb, kind = "primary", action, then }) {
  openDialog(title, (dialog) => {
    const board = noticeBoard();
    const button = el("button", { class: kind }, verb);
    let answer;
    const submit = async (event) => {
      event.preventDefault();
      const done = await attempt(board, button, async () => (answer = await action()), fields);
      if (!done) return;
      dialog.close();
      then(answer);
    };
    return [intro && el("p", {}, intro), el("form", { on: { submit } }, ...blocks, board, dialogButtons(dialog, button))].filter(Boolean);
  });
}
