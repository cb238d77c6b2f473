// Error messages: the text, a remedy, and the request id for support.

import { api } from "./api.js";
import { el } from "./dom.js";
import { waiting } from "./format.js";
import { session } from "./session.js";

// Remedies for errors whose messages do not contain one: the label and the path of a link, by error code.
const HELP = {
  quota_exhausted: ["Show the usage", "/studio/usage"],
  email_not_verified: ["Open the page Account", "/studio/account"],
};

function helpFor({ code, status }) {
  // the operator has locked the account, or the playground is closed: no remedy on this page helps
  if (code === "access_locked") return session.account?.unlocked === false ? ["Enter a promo code to unlock the account", "/studio/promo"] : null;
  // the limit of the open playground, which is low, is used up
  if (code === "quota_exhausted" && !session.account) return ["Create an account to continue", "/studio/sign-up"];
  if (code === "invalid_link") {
    if (location.pathname === "/studio/verify") return session.account ? ["Open your account", "/studio/account"] : ["Sign in", "/studio/sign-in?next=/studio/account"];
    if (session.setup?.sends_mail) return ["Send another mail", "/studio/forgotten-password"];
  }
  if (status === 401 && location.pathname !== "/studio/sign-in") return ["Sign in", "/studio/sign-in"];
  return HELP[code] ?? null;
}

// Interval at which a page checks whether the server responds again.
const RETRY_MS = 2_000;
const isGone = ({ code }) => code === "unreachable" || code === "no_answer";

// Calls `again` when the server responds again, if `notice` is still on the page.
function retryWhenBack(notice, again) {
  const ask = async () => {
    if (!notice.isConnected) return;
    const answers = await api.setup().then(() => true, (failure) => !isGone(failure));
    if (!answers) setTimeout(ask, RETRY_MS);
    else if (notice.isConnected) again();
  };
  setTimeout(ask, RETRY_MS);
}

// Returns a notice about why the content of a page is missing, with a button that calls `again`. If the server cannot
// be reached, `again` is also called automatically as soon as the server responds.
export function retryNotice(failure, again) {
  const notice = failureNotice(failure);
  if (isGone(failure)) {
    notice.append(el("p", {}, "The page continues automatically as soon as the server responds."));
    retryWhenBack(notice, again);
  }
  notice.append(el("p", {}, el("button", { type: "button", on: { click: again } }, "Try again")));
  return notice;
}

// Returns a failure as an alert.
export function failureNotice(failure) {
  const help = helpFor(failure);
  const facts = [];
  if (failure.code) facts.push(failure.docUrl?.startsWith("/docs/") ? el("a", { href: failure.docUrl }, failure.code) : failure.code);
  if (failure.requestId) facts.push(el("span", {}, "request ", el("code", {}, failure.requestId)));
  return el("div", { class: "notice bad", role: "alert" },
    el("p", {}, failure.code || failure.status ? null : "An error occurred in this page: ", sentence(failure.message), failure.retryAfterMs ? ` Try again ${waiting(failure.retryAfterMs)}.` : null,
      help && " ", help && el("a", { href: help[1] }, `${help[0]}.`)),
    facts.length > 0 && el("p", { class: "facts" }, ...facts.flatMap((fact, at) => (at > 0 ? [" · ", fact] : [fact]))));
}

// Converts a message of the API, which begins in lower case and has no full stop, to a sentence.
export function sentence(message) {
  const text = `${message ?? ""}`.trim();
  return text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?।॥]$/u.test(text) ? "" : ".");
}

// Creates an element that shows one notice at a time.
export function noticeBoard() {
  const board = el("div", { class: "board" });
  board.show = (notice) => board.replaceChildren(notice);
  board.fail = (failure) => {
    if (!failure.code) console.error(failure); // the error is a fault of the page, not of the server
    board.replaceChildren(failureNotice(failure));
  };
  board.clear = () => board.replaceChildren();
  return board;
}

// Creates a positive or neutral message.
export function note(kind, ...children) {
  return el("div", { class: `notice ${kind}`, role: "status" }, el("p", {}, ...children));
}

// Runs the action of a form or a button. The button, if given, is disabled during the action. A failure is shown on the
// board or, if `fields` (blocks by parameter name) contains its parameter, at that field. Returns whether the action
// succeeded. A form with a disabled button ignores Enter. A search passes null as the button, because the user may
// change the search before the response arrives.
export async function attempt(board, button, action, fields = {}) {
  board.clear();
  for (const block of Object.values(fields)) block.complain(null);
  if (button) button.disabled = true;
  try {
    await action();
    return true;
  } catch (failure) {
    const block = fields[failure.param];
    if (block) {
      const { message, retryAfterMs } = failure;
      block.complain(`${sentence(message)}${retryAfterMs ? ` Try again ${waiting(retryAfterMs)}.` : ""}`);
      block.control.focus();
    } else {
      board.fail(failure);
    }
    return false;
  } finally {
    if (button) button.disabled = false;
  }
}
