/** The rule voice of Shruti in a web page, without a server. */

export { LANGUAGES } from "./languages.js";
export { WasmSource, type WasmSourceOptions } from "./source.js";
