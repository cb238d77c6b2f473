/** Messages between a page and its worker. */

import type { Block, VoiceOptions } from "./module.js";

export type Request =
  /** First message: the module and the data of its languages. */
  | { readonly type: "load"; readonly module: WebAssembly.Module; readonly data: readonly Uint8Array[] }
  /** Starts a text and drops the previous one. */
  | { readonly type: "speak"; readonly id: number; readonly text: string; readonly options: VoiceOptions }
  /** Requests the next block. */
  | { readonly type: "next"; readonly id: number }
  /** Drops a text. */
  | { readonly type: "cancel"; readonly id: number };

export type Reply =
  | { readonly type: "loaded" }
  | { readonly type: "block"; readonly id: number; readonly block: Block }
  /** Reports an error. `id` is missing if the module could not be loaded. */
  | { readonly type: "failed"; readonly id?: number; readonly message: string };
