// Elements without markup: text goes in as text, so nothing that a user or the server wrote is ever read as HTML.

const SVG = "http://www.w3.org/2000/svg";

// Makes an element. `attributes` are set as such but for `on` (listeners by event name); `false`, `null` and
// `undefined` leave an attribute out, `true` sets it empty. Children are nodes or text; empty ones are left out.
export function el(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

// The same for SVG.
export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, { on = {}, ...attributes }, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    element.setAttribute(name, value === true ? "" : value);
  }
  for (const [event, listener] of Object.entries(on)) element.addEventListener(event, listener);
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

// A picture of tokens.css beside or in place of a word; screen readers pass over it.
export const icon = (name) => el("span", { class: `icon icon-${name}`, "aria-hidden": "true" });

// Of a field where a phone's keyboard is to change nothing of what is typed.
export const AS_TYPED = { autocapitalize: "none", autocorrect: "off", spellcheck: "false" };

let lastId = 0;

// A label above a control, with a hint below it and a place for what is wrong with it.
// `control` gets the id that ties them together.
export function field(label, control, hint = null) {
  lastId += 1;
  const id = `field-${lastId}`;
  control.id = id;
  const trouble = el("p", { class: "trouble", id: `${id}-trouble`, hidden: true });
  control.setAttribute("aria-describedby", `${hint ? `${id}-hint ` : ""}${id}-trouble`);
  const block = el("div", { class: "field" }, el("label", { for: id }, label), control,
    hint && el("p", { class: "hint", id: `${id}-hint` }, hint), trouble);
  block.control = control;
  block.complain = (message) => {
    trouble.textContent = message ?? "";
    trouble.hidden = !message;
    if (message) control.setAttribute("aria-invalid", "true");
    else control.removeAttribute("aria-invalid");
  };
  return block;
}

// What stands on a language's button: its own name to be seen, its English one and `purpose` to be heard.
export function languageLabel({ name, native_name }, purpose) {
  const heard = `${name === native_name ? "" : ` ${name}`}: ${purpose}`;
  return [native_name, el("span", { class: "unseen", lang: "en" }, heard)];
}

// Tells screen readers something that is seen elsewhere on the page.
export function announce(text) {
  const announcer = document.getElementById("announcer");
  announcer.textContent = "";
  // a text that is set in one go with its removal is not noticed when it is the same as before
  setTimeout(() => (announcer.textContent = text), 30);
}
