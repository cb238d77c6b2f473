// Creates elements without parsing markup: all text is inserted as text nodes, so that no text from a user or the
// server becomes HTML.

const SVG = "http://www.w3.org/2000/svg";

// Creates an element. `attributes` are set on the element, except `on`, which contains listeners by event name. The
// values `false`, `null` and `undefined` omit an attribute; `true` sets it to the empty string. Children are nodes or
// text; empty children are omitted.
export function el(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

// Creates an SVG element.
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

// Creates an icon from tokens.css. Screen readers ignore it.
export const icon = (name) => el("span", { class: `icon icon-${name}`, "aria-hidden": "true" });

// Attributes for a field whose text a phone's keyboard must not change.
export const AS_TYPED = { autocapitalize: "none", autocorrect: "off", spellcheck: "false" };

let lastId = 0;

// Creates a block that consists of a label, `control`, a hint and an empty element for an error message. Sets the id of
// `control` to connect it with the other parts.
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

// Returns the English name of a language, marked if the language is in beta.
export const languageName = ({ name, beta }) => (beta ? `${name} (beta)` : name);

// Returns the label of a language's button. The native name of the language is visible. Screen readers also read its
// English name and `purpose`.
export function languageLabel(language, purpose) {
  const { name, native_name } = language;
  const heard = `${name === native_name ? "" : ` ${languageName(language)}`}: ${purpose}`;
  return [native_name, el("span", { class: "unseen", lang: "en" }, heard)];
}

// Announces a text to screen readers. The same information must be visible on the page.
export function announce(text) {
  const announcer = document.getElementById("announcer");
  announcer.textContent = "";
  // a screen reader notices the same text again only if the text was removed before
  setTimeout(() => (announcer.textContent = text), 30);
}
