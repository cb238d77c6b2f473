/**
 * Highlighting of the current word with the CSS Custom Highlight API or, in older browsers, with boxes over the page.
 */

const NAME = "shruti-read-aloud";
const STYLE = `::highlight(${NAME}) {
  background-color: var(--shruti-word-background, #ffd54a);
  color: var(--shruti-word-color, #1c1b22);
}`;

export interface Highlighter {
  show(range: Range): void;
  clear(): void;
}

export function highlighter(): Highlighter {
  return "highlights" in CSS && "Highlight" in globalThis ? new NamedHighlighter() : new BoxHighlighter();
}

class NamedHighlighter implements Highlighter {
  static #sheet: CSSStyleSheet | undefined;

  constructor() {
    if (NamedHighlighter.#sheet) return;
    NamedHighlighter.#sheet = new CSSStyleSheet();
    NamedHighlighter.#sheet.replaceSync(STYLE);
    document.adoptedStyleSheets.push(NamedHighlighter.#sheet);
  }

  show(range: Range): void {
    CSS.highlights.set(NAME, new Highlight(range));
  }

  clear(): void {
    CSS.highlights.delete(NAME);
  }
}

/** Highlights with boxes over the page. The boxes ignore clicks and are hidden from screen readers. */
class BoxHighlighter implements Highlighter {
  #boxes: HTMLElement[] = [];

  show(range: Range): void {
    this.clear();
    this.#boxes = [...range.getClientRects()].map((area) => {
      const box = document.createElement("span");
      box.setAttribute("aria-hidden", "true");
      Object.assign(box.style, {
        position: "absolute",
        left: `${area.left + scrollX}px`,
        top: `${area.top + scrollY}px`,
        width: `${area.width}px`,
        height: `${area.height}px`,
        background: "var(--shruti-word-background, #ffd54a)",
        opacity: "0.45",
        pointerEvents: "none",
      });
      return box;
    });
    document.body.append(...this.#boxes);
  }

  clear(): void {
    for (const box of this.#boxes.splice(0)) box.remove();
  }
}
