// Elements without markup: text is inserted as text, so that nothing from a user or the server is parsed as HTML.

const SVG = "http://www.w3.org/2000/svg";

// Creates an element. `attributes` are set on it, except `on` (listeners by event name); `false`, `null` and
// `undefined` omit an attribute, `true` sets it to the empty string. Children are nodes or text; empty ones are
// omitted.
export function el(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

// Creates an element of SVG.
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

// Returns an icon of tokens.css, which screen readers ignore.
export const icon = (name) => el("span", { class: `icon icon-${name}`, "aria-hidden": "true" });

// Attributes of a field whose text must not be changed by the keyboard of a phone.
export const AS_TYPED = { autocapitalize: "none", autocorrect: "off", spellcheck: "false" };

let lastId = 0;

// Returns a control with a label above it, a hint below it, and a place for its error. `control` gets the id that
// connects them.
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

// Returns the English name of a language, with the note that it is in beta.
export const languageName = ({ name, beta }) => (beta ? `${name} (beta)` : name);

// Returns the label of a language's button: its own name is visible, its English name and `purpose` are for screen
// readers.
export function languageLabel(language, purpose) {
  const { name, native_name } = language;
  const heard = `${name === native_name ? "" : ` ${languageName(language)}`}: ${purpose}`;
  return [native_name, el("span", { class: "unseen", lang: "en" }, heard)];
}

// Announces something to screen readers that is visible elsewhere on the page.
export function announce(text) {
  const announcer = document.getElementById("announcer");
  announcer.textContent = "";
  // a screen reader does not notice the same text again unless it was removed before
  setTimeout(() => (announcer.textContent = text), 30);
}
