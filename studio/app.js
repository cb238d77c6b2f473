// Application frame of the Studio: paths, navigation, and the signed-in account.

import { partMissing } from "./api.js";
import { announce, el } from "./dom.js";
import { showNavigation } from "./navigation.js";
import { retryNotice } from "./notice.js";
import * as forgotten from "./pages/forgotten.js";
import * as link from "./pages/link.js";
import * as playground from "./pages/playground.js";
import * as promo from "./pages/promo.js";
import * as signin from "./pages/signin.js";
import * as usage from "./pages/usage.js";
import * as verify from "./pages/verify.js";
import * as voices from "./pages/voices.js";
import { session, silentBecause } from "./session.js";

// The module of a page exports `title` and `render(root, {go, next})`. `render` may return a function, which is called
// when the user leaves the page. `module`: the module of the page. `load`: loads the module when the page is first
// opened. `member`: the page is for signed-in users. `operator`: the page is for operators. `link`: the name of the
// page in the navigation, in the given `group` of links.
const ofOperator = (name) => ({ load: async () => (await import("./operator/pages.js")).pages[name], member: true, operator: true });
const PAGES = {
  "/studio": { module: playground, link: "Playground", group: "speak" },
  "/studio/voices": { module: voices, link: "Voices", group: "speak" },
  "/studio/pronunciation": { load: () => import("./pages/pronunciation.js"), link: "Pronunciation", group: "speak" },
  "/studio/keys": { load: () => import("./pages/keys.js"), link: "Keys", group: "build", member: true },
  "/studio/usage": { module: usage, link: "Usage", group: "build", member: true },
  "/studio/quickstart": { load: () => import("./pages/quickstart.js"), link: "Quick start", group: "build" },
  "/studio/operator": { ...ofOperator("accounts"), link: "Operator", group: "run" },
  "/studio/account": { load: () => import("./pages/account.js"), link: "Account", group: "account", member: true },
  "/studio/promo": { module: promo, link: "Promo code", group: "account", member: true },
  "/studio/operator/promos": ofOperator("promos"),
  "/studio/operator/usage": ofOperator("usage"),
  "/studio/operator/health": ofOperator("health"),
  "/studio/sign-in": { module: signin, link: "Sign in", group: "visitor" },
  "/studio/sign-up": { module: signin, link: "Sign up", group: "visitor" },
  "/studio/link": { module: link },
  "/studio/verify": { module: verify },
  "/studio/forgotten-password": { module: forgotten },
};

const main = document.getElementById("main");
let leave = null;
let visit = 0;

const tidy = (path) => path.replace(/\/+$/, "") || "/";

// Opens a page of the Studio.
export function go(path, { replace = false } = {}) {
  history[replace ? "replaceState" : "pushState"](null, "", path);
  return show();
}

// Returns the page to open after signing in. The result is always a page of the Studio, never another site.
function next() {
  const wanted = new URLSearchParams(location.search).get("next");
  return PAGES[wanted] ? wanted : "/studio";
}

async function show({ first = false } = {}) {
  visit += 1;
  const mine = visit;
  const path = tidy(location.pathname);
  const page = PAGES[path];
  if (page?.member && !session.account) {
    go(`/studio/sign-in?next=${encodeURIComponent(path)}`, { replace: true });
    return;
  }
  leave?.();
  leave = null;
  for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close(); // the dialog belongs to the previous page
  const root = el("div", { class: "page" });
  let title = "Not loaded";
  try {
    const module = await moduleOf(page);
    title = typeof module.title === "function" ? module.title(path) : module.title;
    const left = (await module.render(root, { go, next, path })) ?? null;
    if (visit !== mine) {
      left?.(); // another page was opened in the meantime
      return;
    }
    leave = left;
  } catch (failure) {
    if (visit !== mine) return;
    if (!failure.code) console.error(failure);
    root.replaceChildren(el("h1", {}, title), retryNotice(failure, show));
  }
  if (visit !== mine) return;
  main.replaceChildren(root);
  document.title = `${title} · Shruti Studio`;
  links();
  if (first) return;
  scrollTo(0, 0);
  const heading = root.querySelector("h1");
  heading?.setAttribute("tabindex", "-1");
  if (!root.contains(document.activeElement)) heading?.focus({ preventScroll: true });
}

const isOpen = (page) => !page.operator || session.account?.operator === true;

async function moduleOf(page) {
  if (!page || !isOpen(page)) return { title: "No such page", render: missing };
  return page.module ?? page.load().catch(() => { throw partMissing(); });
}

function missing(root) {
  root.append(el("h1", {}, "No such page"), el("p", {}, "The Studio has no page at this address. ", el("a", { href: "/studio" }, "Go to the playground"), "."));
}

const isOperatorPath = (path) => PAGES[path]?.operator === true;

const DOCS = { path: "/docs", name: "Docs", group: "build", current: null };

function links() {
  const here = tidy(location.pathname);
  const current = (path) => (path === here ? "page" : isOperatorPath(here) && isOperatorPath(path) ? "true" : null);
  const shown = Object.entries(PAGES).filter(([, page]) => page.link && isOpen(page));
  showNavigation([...shown.map(([path, { link, group }]) => ({ path, name: link, group, current: current(path) })), DOCS], go);
}

// Explains why signing in and audio do not work over plain HTTP from another machine. Browsers do not explain this.
function warnOfPlainHttp() {
  const because = silentBecause();
  if (!because) return;
  const banner = document.getElementById("insecure");
  const over = new URL("/studio", location.href);
  over.protocol = "https:";
  banner.append(el("div", { class: "notice bad", role: "alert" }, because === "insecure"
    ? el("p", {}, el("strong", {}, "This page was loaded over plain HTTP from another machine. "),
      "Browsers then store no secure cookies and provide no AudioWorklet: you cannot sign in, and there is no sound. Start the server with ",
      el("code", {}, "shruti serve --tls-self-signed"), " and open ", el("a", { href: over.href }, over.href),
      ", or open the Studio on the server's own machine as ", el("code", {}, "http://localhost"), ".")
    : el("p", {}, "This browser has no AudioWorklet, so the playground cannot play. Everything else works. Current versions of Firefox, Chrome, Edge and Safari can play.")));
  banner.hidden = false;
}

document.addEventListener("click", (event) => {
  const anchor = event.target.closest?.("a[href]");
  if (!anchor || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  if (anchor.target || anchor.hasAttribute("download") || anchor.origin !== location.origin || !PAGES[tidy(anchor.pathname)] || anchor.hash) return;
  event.preventDefault();
  go(anchor.pathname + anchor.search);
});
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
addEventListener("popstate", () => show());
session.addEventListener("change", links);
session.addEventListener("over", () => {
  const here = tidy(location.pathname);
  const back = PAGES[here] ? `&next=${encodeURIComponent(here)}` : "";
  go(`/studio/sign-in?over${back}`, { replace: true });
});

async function start() {
  warnOfPlainHttp();
  try {
    await session.load();
    document.getElementById("version").textContent = session.setup.version ? `Shruti ${session.setup.version}` : "";
    await show({ first: true });
  } catch (failure) {
    if (!failure.code) console.error(failure);
    main.replaceChildren(el("h1", {}, "The Studio could not start"), retryNotice(failure, () => location.reload()));
    announce("The Studio could not start");
  }
}

// not awaited: pages load parts that import this module, and with an `await` here, each would wait for the other
// forever
start();
