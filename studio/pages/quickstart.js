// Quick start page for calling the API from a program.

import { copyButton } from "../clipboard.js";
import { el } from "../dom.js";
import { SAMPLES } from "../samples.js";
import { session } from "../session.js";
import { conversation, snippets } from "../snippets.js";
import { tabs } from "../tabs.js";

export const title = "Quick start";

export function render(root) {
  root.classList.add("wide");
  const base = location.origin;
  const code = (text) => el("div", { class: "code" }, copyButton(() => text), el("pre", { tabindex: "0" }, text));
  const request = { text: SAMPLES.hi[2], voice: "Ananya", language: "hi" };
  const docs = (page, text) => el("a", { href: `/docs${page}` }, text);
  const here = session.account;
  root.append(
    el("h1", {}, title),
    el("p", { class: "next" }, "Four steps; the first two take a minute."),
    el("ol", { class: "steps" },
      el("li", {}, el("strong", {}, "Hear it. "), el("a", { href: "/studio" }, "The playground"), " speaks any text that you enter."),
      el("li", {}, el("strong", {}, "Create an API key. "), here?.unlocked ? el("a", { href: "/studio/keys" }, "On the page of keys")
        : here ? el("span", {}, "First ", el("a", { href: "/studio/promo" }, "enter your promo code"), ", then go to ", el("a", { href: "/studio/keys" }, "keys"))
          : el("span", {}, el("a", { href: "/studio/sign-up" }, "Create an account"), ", enter a promo code, then go to ", el("a", { href: "/studio/keys" }, "keys")),
        ". It is shown only once; store it in the environment variable ", el("code", {}, "SHRUTI_API_KEY"), "."),
      el("li", {}, el("strong", {}, "One clip. "), "Send a text and receive an audio file, which is streamed during synthesis.",
        tabs("Language of the example", snippets(base, request).map(({ name, code: text }) => ({ name, content: code(text) })))),
      el("li", {}, el("strong", {}, "A conversation. "), "Send text in pieces as a model generates it; speech starts with the first words and stops when the user speaks (",
        el("code", {}, "npm install ws"), ").", code(conversation(base)))),
    el("h2", {}, "Good to know"),
    el("ul", {},
      el("li", {}, "Raw samples are signed 16-bit little-endian, 24,000 per second, one channel. ", el("code", {}, "accept: audio/wav"), " returns a file that any player can open."),
      el("li", {}, "Check the status before writing a body to a file: an error is JSON, not sound. ", docs("/errors", "Every error"), "."),
      el("li", {}, "A web page must not contain a key: your server fetches a single-use token for it. ", docs("/http#tokens-for-web-pages", "Tokens"), "."),
      el("li", {}, "After a barge-in put ", el("code", {}, "heard.text"), " into the model's history. ", docs("/websocket#what-a-cancel-guarantees", "Guarantees of a cancel"), "."),
      el("li", {}, docs("", "All documentation"), " · ", el("a", { href: "/openapi.json" }, "OpenAPI"), " · ", el("a", { href: "/asyncapi.json" }, "AsyncAPI"))));
}
