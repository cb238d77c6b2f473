/** The rule-based voices of Shruti in a web page, without a server. */

export { LANGUAGES } from "./languages.js";
export { WasmSource, type WasmSourceOptions } from "./source.js";
