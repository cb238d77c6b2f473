/** Defines `<shruti-read-aloud>`. */

import { ReadAloudElement } from "./element.js";

export { ReadAloudElement, type WordDetail } from "./element.js";
export type { Labels } from "./controls.js";

if (!customElements.get("shruti-read-aloud")) customElements.define("shruti-read-aloud", ReadAloudElement);

declare global {
  interface HTMLElementTagNameMap {
    "shruti-read-aloud": ReadAloudElement;
  }
}
