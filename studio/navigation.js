// Header: links in groups, and a round button that opens the account's menu (account pages, colour theme, sign out).

import { openDialog } from "./dialog.js";
import { el } from "./dom.js";
import { failureNotice } from "./notice.js";
import { session } from "./session.js";
import { signOut } from "./sign-out.js";

const GROUPS = { speak: "Speak", build: "Build", run: "Operate" };

const bar = document.getElementById("links");
const who = document.getElementById("who");
const menu = document.getElementById("menu");
const theme = document.getElementById("theme");

// Shows the links. `links`: [{path, name, group, current}], where `current` is the value of `aria-current`. Links of
// the group "account" are in the menu. `go` opens a page.
export function showNavigation(links, go) {
  const link = ({ path, name, current }) => el("a", { href: path, "aria-current": current }, name);
  const ofGroup = (wanted) => links.filter(({ group }) => group === wanted);
  const groups = Object.entries(GROUPS).filter(([group]) => ofGroup(group).length > 0);
  bar.replaceChildren(...groups.map(([group, name]) => el("div", { class: "group", role: "group", "aria-label": name }, ...ofGroup(group).map(link))));
  // the links do not all fit on a phone, so scroll to the current one
  const current = bar.querySelector("[aria-current]");
  if (current) bar.scrollLeft = current.offsetLeft - bar.offsetLeft - (bar.clientWidth - current.offsetWidth) / 2;
  if (menu.matches(":popover-open")) menu.hidePopover();
  if (session.account) showAccount(ofGroup("account").map(link), go);
  else showVisitor(ofGroup("visitor").map(link));
}

function showAccount(links, go) {
  const { email } = session.account;
  const out = el("button", { type: "button", class: "quiet", on: { click: () => leave(go) } }, "Sign out");
  who.replaceChildren(el("button", { type: "button", class: "avatar", popovertarget: menu.id, "aria-label": `Account menu of ${email}`, title: email }, email.charAt(0).toUpperCase()));
  menu.replaceChildren(el("p", { class: "hint address" }, email), ...links, theme, out);
}

function showVisitor(links) {
  who.replaceChildren(...links);
  who.after(theme);
  menu.replaceChildren();
}

async function leave(go) {
  menu.hidePopover();
  try {
    await signOut(go, false);
  } catch (failure) {
    openDialog("Still signed in", (dialog) => [failureNotice(failure), el("div", { class: "row end" }, el("button", { type: "button", on: { click: () => dialog.close() } }, "Close"))]);
  }
}
