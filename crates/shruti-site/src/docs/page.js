// Page features that need scripts: the address of this server in the examples, tabs, copy buttons, search while
// typing, and the button for the colour theme (theme.js).

document.getElementById("theme").hidden = false;

// Close the list of pages on a narrow screen, because the list would fill it.
const menu = document.querySelector(".menu");
if (matchMedia("(max-width: 50rem)").matches) menu.open = false;
menu.querySelector("[aria-current]")?.scrollIntoView({ block: "center" });

fillInServer();
for (const block of document.querySelectorAll("pre")) addCopyButton(block);
for (const group of adjacentSamples()) makeTabs(group);
searchWhileTyping(document.querySelector("[role=search]"));
const reader = document.querySelector("shruti-read-aloud");
if (reader) readAloud(reader);

// Replaces the address in each example with the address of this server.
function fillInServer() {
  const { origin } = location;
  const socket = origin.replace(/^http/, "ws");
  for (const code of document.querySelectorAll("pre code")) {
    for (const node of code.childNodes) {
      if (node.nodeType !== Node.TEXT_NODE) continue;
      node.data = node.data.replaceAll("http://127.0.0.1:8080", origin).replaceAll("ws://127.0.0.1:8080", socket)
        .replaceAll("https://HOST", origin).replaceAll("wss://HOST", socket);
    }
  }
}

function addCopyButton(block) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(block.querySelector("code").textContent);
      button.textContent = "Copied";
    } catch {
      // no permission, or plain HTTP: the text is selected, so that the reader can copy it
      getSelection().selectAllChildren(block.querySelector("code"));
      button.textContent = "Press Ctrl+C";
    }
    setTimeout(() => (button.textContent = "Copy"), 2_000);
  });
  const frame = document.createElement("div");
  frame.className = "code";
  block.replaceWith(frame);
  frame.append(block, button);
}

// Returns the groups of consecutive samples in different programming languages. The samples of a group are equivalent.
function adjacentSamples() {
  const names = { sh: "curl", python: "Python", js: "JavaScript" };
  const nameOf = (frame) => names[frame?.querySelector?.("code")?.className.replace("language-", "")];
  const groups = [];
  for (const frame of document.querySelectorAll("main > .code")) {
    const name = nameOf(frame);
    if (!name) continue;
    const group = groups.at(-1);
    const follows = group && group.at(-1).frame.nextElementSibling === frame && !group.some((other) => other.name === name);
    if (follows) group.push({ frame, name });
    else groups.push([{ frame, name }]);
  }
  return groups.filter((group) => group.length > 1);
}

function makeTabs(group) {
  const KEY = "shruti.docs.language";
  const box = document.createElement("div");
  box.className = "tabs";
  const list = document.createElement("div");
  list.setAttribute("role", "tablist");
  list.setAttribute("aria-label", "Language of the sample");
  group[0].frame.before(box);
  const number = document.querySelectorAll(".tabs").length;
  const tabs = group.map(({ frame, name }, at) => {
    const tab = document.createElement("button");
    tab.type = "button";
    tab.textContent = name;
    tab.id = `tab-${number}-${at}`;
    tab.setAttribute("role", "tab");
    frame.setAttribute("role", "tabpanel");
    frame.setAttribute("aria-labelledby", tab.id);
    tab.addEventListener("click", () => {
      choose(name);
      try {
        localStorage.setItem(KEY, name);
      } catch {
        // storage is blocked: the choice lasts only until the reader leaves the page
      }
    });
    list.append(tab);
    return tab;
  });
  list.addEventListener("keydown", ({ key }) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (!step) return;
    const next = tabs[(tabs.indexOf(document.activeElement) + step + tabs.length) % tabs.length];
    next.focus();
    next.click();
  });
  const choose = (wanted) => {
    const at = Math.max(0, group.findIndex(({ name }) => name === wanted));
    group.forEach(({ frame }, other) => {
      frame.hidden = other !== at;
      tabs[other].setAttribute("aria-selected", other === at);
      tabs[other].tabIndex = other === at ? 0 : -1;
    });
  };
  box.append(list, ...group.map(({ frame }) => frame));
  let before = null;
  try {
    before = localStorage.getItem(KEY);
  } catch {
    // storage is blocked, so there is no stored choice
  }
  choose(before);
}

// Sets up the element of read-aloud.md with tokens for the Studio's playground.
async function readAloud(element) {
  await import("/docs/read-aloud.js");
  element.tokenProvider = async () => {
    const response = await fetch("/studio/api/token", { method: "POST", headers: { accept: "application/json", "x-studio": "1" } });
    const answer = await response.json();
    if (response.status === 429) {
      // all visitors share a rate limit
      await new Promise((resolve) => setTimeout(resolve, answer.error.retry_after_ms ?? 1_000));
      return element.tokenProvider();
    }
    if (!response.ok) throw new Error(`This server's playground is closed to you: ${answer.error.message}.`);
    return answer.token;
  };
}

function searchWhileTyping(form) {
  const input = form.querySelector("input");
  const results = document.createElement("div");
  results.className = "results";
  results.hidden = true;
  form.append(results);
  let newest = 0;
  let waiting = 0;
  const show = async () => {
    const words = input.value.trim();
    const mine = ++newest;
    if (!words) return void (results.hidden = true);
    const response = await fetch(`/docs/search?q=${encodeURIComponent(words)}`).catch(() => null);
    if (mine !== newest || !response?.ok) return;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    if (mine !== newest) return;
    const found = page.querySelectorAll("main [role=status], main .found");
    results.replaceChildren(...[...found].map((part) => document.importNode(part, true)));
    results.hidden = false;
  };
  input.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(show, 80);
  });
  input.addEventListener("focus", () => input.value.trim() && results.childElementCount && (results.hidden = false));
  form.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      results.hidden = true;
      input.focus();
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const links = [...results.querySelectorAll("a")];
    if (!step || results.hidden || !links.length) return;
    event.preventDefault();
    const at = links.indexOf(document.activeElement) + step;
    (at < 0 ? input : links[Math.min(at, links.length - 1)]).focus();
  });
  document.addEventListener("click", (event) => form.contains(event.target) || (results.hidden = true));
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target.closest("input, textarea, select")) return;
    event.preventDefault();
    input.focus();
  });
}
